/* SPDX-License-Identifier: MIT */
#include "cli/page.h"

/* The picture is made dark as the page is, by turning its lightness round and keeping its hues. */
static const char style[] =
	":root{--back:#fff;--text:#1c1f23;--soft:#5a6068;--line:#d9dde2;--link:#0057a3;"
	"--bad:#a33b00}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:.75rem;max-width:100rem;background:var(--back);"
	"color:var(--text);font:1rem/1.4 system-ui,\"DejaVu Sans\",sans-serif}\n"
	"a{color:var(--link)}\n"
	"h1{font-size:1.4rem;margin:.25rem 0;overflow-wrap:anywhere}\n"
	"h2{font-size:1.15rem;margin:1.25rem 0 .25rem}\n"
	"h3{font-size:1rem;margin:0 0 .25rem}\n"
	"p{margin:.25rem 0}\n"
	"section>p,header p,footer{color:var(--soft);font-size:.9rem}\n"
	"nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1rem}\n"
	"nav a{display:inline-block;padding:.2rem 0}\n"
	".grid{display:grid;gap:1.25rem 1.5rem;align-items:start;"
	"grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr))}\n"
	"article{min-width:0;break-inside:avoid}\n"
	"article h2{margin-top:.5rem}\n"
	".graph{margin:0;overflow-wrap:anywhere}\n"
	".graph img{display:block;width:100%;max-width:30rem;height:auto}\n"
	"table{border-collapse:collapse;font-size:.8rem;font-variant-numeric:tabular-nums}\n"
	"th{text-align:left;font-weight:normal}\n"
	"thead th{color:var(--soft)}\n"
	"td,thead th+th{text-align:right}\n"
	"th,td{padding:.1rem .3rem;vertical-align:top}\n"
	".legend{width:100%;max-width:30rem}\n"
	".legend th:first-child{padding-left:1.25rem;text-indent:-1.25rem;width:40%}\n"
	".limits{margin:.25rem 0}\n"
	".limits tr{border-bottom:1px solid var(--line)}\n"
	".limits td:nth-child(2),.limits th:nth-child(2),.limits th:nth-child(4){text-align:left}\n"
	".limits meter{width:5rem}\n"
	"td[data-v*=\"nan\"] span,span[data-v*=\"nan\"]{display:none}\n"
	"td[data-v*=\"nan\"]::after,td[data-level*=\"nan\"]::after{content:\"\\2013\"}\n"
	"td:nth-child(2)[data-v*=\"nan\"]::after{content:\"unknown\"}\n"
	".twin,img[alt*=\"-nan\"],img[alt*=\" nan\"]{display:none!important}\n"
	"img[alt*=\"-nan\"]+.twin,img[alt*=\" nan\"]+.twin{display:block!important}\n"
	"td[data-level=\"1\"]::after{content:\"warning\";font-weight:bold}\n"
	"td[data-level=\"2\"]::after{content:\"critical\";font-weight:bold;color:var(--bad)}\n"
	"td[data-level=\"0\"]::after{content:\"ok\"}\n"
	".key{display:inline-block;text-indent:0;width:.9rem;height:.7rem;margin-right:.35rem}\n"
	".key.line{height:.2rem;vertical-align:middle}\n"
	".key.dash{height:.2rem;vertical-align:middle;"
	"-webkit-mask:repeating-linear-gradient(90deg,#000 0 .3rem,#0000 .3rem .45rem);"
	"mask:repeating-linear-gradient(90deg,#000 0 .3rem,#0000 .3rem .45rem)}\n"
	".key.gap{background:#80808038;margin-right:0}\n"
	"ul.alerts{margin:.25rem 0;padding-left:1.2rem}\n"
	".level{font-weight:bold}\n"
	".critical .level{color:var(--bad)}\n"
	"dl{font-size:.9rem}\ndt{font-weight:bold}\ndd{margin:0 0 .4rem}\n"
	"abbr{text-decoration:none}\n"
	"footer{margin-top:1.5rem;border-top:1px solid var(--line)}\n"
	"@media (max-width:40rem){article{overflow-x:auto}.legend{font-size:.7rem}.legend th,"
	".legend td{padding:.1rem .15rem}.legend th:first-child{width:30%}.limits thead,.limits "
	"td:nth-child(4),"
	".limits td:nth-child(6){display:none}}\n"
	"@media (min-width:75rem){.columns{display:grid;grid-template-columns:repeat(3,1fr);"
	"column-gap:1.5rem}.c2{grid-column:span 2}.c3{grid-column:span 3}}\n"
	"@media (prefers-color-scheme:dark){:root{--back:#121417;--text:#e4e7eb;--soft:#a2a9b3;"
	"--line:#343a42;--link:#7ab8f5;--bad:#ff9a5c}\n"
	".graph img,.key{filter:invert(1) hue-rotate(180deg) brightness(1.35)}}\n"
	"@media print{:root{--back:#fff;--text:#000;--soft:#333;--line:#bbb;--link:#000;"
	"--bad:#000}\nbody{max-width:none;padding:0;font-size:10pt}\nnav{display:none}\n"
	"h2,h3,section>p{break-after:avoid}.legend{font-size:7pt}\n"
	".graph img,.key{filter:none;-webkit-print-color-adjust:exact;"
	"print-color-adjust:exact}\n.grid{grid-template-columns:1fr 1fr}}\n";

void page_style(FILE *out)
{
	fputs(style, out);
	for (int i = 0; i < N_COLOURS; i++)
		fprintf(out, ".k%d{background:%s}\n", i, graphdef_colour((enum graph_colour)i));
}

/* A table, half full, and its limit. */
void page_icon(FILE *out)
{
	fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\">"
	      "<rect width=\"16\" height=\"16\" rx=\"3\" fill=\"#0057a3\"/>"
	      "<path d=\"M2 13V10l3-2 3 1 3-4 3 2v6z\" fill=\"#fff\"/>"
	      "<path d=\"M2 3.5h12\" stroke=\"#ffb000\" stroke-width=\"1.5\"/></svg>\n",
		out);
}
