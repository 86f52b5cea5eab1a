// SPDX-License-Identifier: MIT
// What is asked of the pages behind a web server. Each command prints what is wrong, a line each, and fails then:
//
//	browse BASE OUTPUT PROFILE [N]  the first N pages, or all, in Chromium, at two widths and in both colour schemes,
//	                                with screenshots
//	shots BASE OUTPUT PROFILE       the screenshots of README.md
//	images BASE [N]                 every image of the first N pages, or of all, is a whole PNG of the size its page says
//	save BASE OUTPUT                every page as a file
//	hostile BASE                    no query changes a byte, and nothing but pages and images is served
//	headers BASE                    the headers that keep a browser from everything not needed
//	foreign BASE FROM               nobody from elsewhere
import fs from 'node:fs';
import path from 'node:path';
import { Browser } from './cdp.mjs';
import { get } from './http.mjs';
import { png_size } from './png.mjs';

const [command, base, ...rest] = process.argv.slice(2);
const origin = new URL(base).origin;
const folder = new URL(base).pathname;
const problems = [];

function problem(text) {
	problems.push(text);
	console.log(text);
}

function attributes(html, tag) {
	return [...html.matchAll(new RegExp(`<${tag}\\b([^>]*)>`, 'g'))].map(([, text]) =>
		Object.fromEntries([...text.matchAll(/([a-z-]+)\s*=\s*"([^"]*)"/g)].map(([, key, value]) => [key, value])));
}

// The pages that links lead to, from the index, or the first of them: a Map of path -> HTML.
async function all_pages(most = Infinity) {
	const pages = new Map();
	const open = [folder];

	while (open.length > 0 && pages.size < most) {
		const page = open.shift();
		if (pages.has(page))
			continue;
		const { status, headers, body } = await get(base, page);
		if (status !== 200 || !/^text\/html\b/.test(headers.get('content-type')))
			problem(`${page}: status ${status}, ${headers.get('content-type')}`);
		const html = body.toString('utf8');
		pages.set(page, html);
		for (const { href } of attributes(html, 'a')) {
			const target = new URL(href ?? '', origin + page);
			if (target.origin === origin)
				open.push(target.pathname.replace(/\/index\.cgi$/, '/'));
			else
				problem(`${page}: a link to elsewhere: ${href}`);
		}
	}
	if (pages.size < Math.min(most, 3))
		problem(`only ${pages.size} pages`);
	return pages;
}

const name_of = (page) => (page.endsWith('/') ? 'index' : path.basename(page, '.cgi'));

const WIDTHS = [360, 1280];
const SCHEMES = ['light', 'dark'];

// Evaluated in the page: what a person with eyes would complain of.
function look(scheme) {
	const found = [];
	const root = document.documentElement;
	if (root.scrollWidth > root.clientWidth)
		found.push(`is ${root.scrollWidth} pixels wide in a window of ${root.clientWidth}`);
	for (const image of document.images) {
		if (!image.complete || image.naturalWidth === 0)
			found.push(`broken image ${image.src}`);
		else if (image.getBoundingClientRect().width > image.naturalWidth)
			found.push(`image blown up: ${image.src}`);
		if (!image.alt || (image.checkVisibility() && /\bnan\b/.test(image.alt)))
			found.push(`image without words: ${image.src}: ${image.alt}`);
	}
	const shown = [...document.images].filter((image) => image.checkVisibility()).length;
	if (shown === 0 || shown !== document.querySelectorAll('.graph').length)
		found.push(`shows ${shown} images`);
	if (document.body.innerText.includes('ERROR'))
		found.push(`says ${document.body.innerText.match(/.*ERROR.*/)[0]}`);
	const back = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
	if ((Math.max(...back) < 128) !== (scheme === 'dark'))
		found.push(`has the background ${back} in ${scheme}`);
	return found;
}

// A tab that tells of everything that goes wrong in it; load(PAGE, WIDTH) and set_scheme(SCHEME) of it.
async function open_tab(browser) {
	let view;
	let loaded;
	const tab = await browser.open((method, params) => {
		if (method === 'Page.loadEventFired')
			loaded();
		else if (method === 'Runtime.consoleAPICalled')
			problem(`${view}: console: ${JSON.stringify(params.args)}`);
		else if (method === 'Runtime.exceptionThrown')
			problem(`${view}: exception: ${params.exceptionDetails.text}`);
		else if (method === 'Log.entryAdded')
			problem(`${view}: ${params.entry.level}: ${params.entry.text} ${params.entry.url ?? ''}`);
		else if (method === 'Network.requestWillBeSent' && !params.request.url.startsWith(`${origin}${folder}`))
			problem(`${view}: asks for ${params.request.url}`);
		else if (method === 'Network.responseReceived' && ![200, 304].includes(params.response.status))
			problem(`${view}: ${params.response.status} for ${params.response.url}`);
		else if (method === 'Network.loadingFailed')
			problem(`${view}: ${params.errorText}`);
	});
	for (const domain of ['Page', 'Runtime', 'Log', 'Network'])
		await tab.send(`${domain}.enable`);
	tab.load = async (page, width) => {
		const load = new Promise((resolve) => { loaded = resolve; });
		view = `${page} at ${width}`;
		await tab.send('Emulation.setDeviceMetricsOverride',
			{ width, height: 800, deviceScaleFactor: width < 500 ? 2 : 1, mobile: width < 500 });
		await tab.send('Page.navigate', { url: origin + page });
		await load;
	};
	tab.set_scheme = (value, media = 'screen') => tab.send('Emulation.setEmulatedMedia',
		{ media, features: [{ name: 'prefers-color-scheme', value }] });
	return tab;
}

async function check_view(tab, name, scheme) {
	const { result } = await tab.send('Runtime.evaluate',
		{ expression: `(${look})('${scheme}')`, returnByValue: true });
	for (const text of result.value)
		problem(`${name}: ${text}`);
}

// clip: what of the page; else all of it.
async function shoot(tab, file, clip = undefined) {
	const { data } = await tab.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip });
	fs.writeFileSync(file, Buffer.from(data, 'base64'));
}

// A page has no script: a view in the other colours is the same load.
async function browse(output, profile, most = Infinity) {
	fs.mkdirSync(output, { recursive: true });
	const pages = [...(await all_pages(most)).keys()];
	const browser = new Browser('chromium', profile);
	try {
		const tab = await open_tab(browser);
		for (const page of pages)
			for (const width of WIDTHS) {
				await tab.load(page, width);
				for (const scheme of SCHEMES) {
					await tab.set_scheme(scheme);
					const name = `${name_of(page)}-${width}-${scheme}`;
					await check_view(tab, name, scheme);
					await shoot(tab, path.join(output, `${name}.png`));
				}
				// Paper is light.
				await tab.set_scheme('dark', 'print');
				await check_view(tab, `${name_of(page)} on paper`, 'light');
			}
	} finally {
		await browser.close();
	}
	console.log(`${pages.length} pages, ${WIDTHS.length * SCHEMES.length} views of each: ${output}`);
}

async function shots(output, profile) {
	const browser = new Browser('chromium', profile);
	try {
		const tab = await open_tab(browser);
		for (const page of ['index', 'conntrack-table'])
			for (const width of WIDTHS) {
				await tab.load(`${folder}${page}.cgi`, width);
				for (const scheme of SCHEMES) {
					await tab.set_scheme(scheme);
					await shoot(tab, path.join(output, `${page}-${width}-${scheme}.png`),
						{ x: 0, y: 0, width, height: 785, scale: width < 500 ? 0.7 : 1 });
				}
			}
	} finally {
		await browser.close();
	}
}

async function images(most = Infinity) {
	let count = 0;
	for (const [page, html] of await all_pages(most))
		for (const { src, width, height } of attributes(html, 'img').filter((image) => image.class !== 'twin')) {
			const target = new URL(src, origin + page);
			const { status, headers, body } = await get(base, target.pathname);
			count++;
			if (status !== 200 || headers.get('content-type') !== 'image/png') {
				problem(`${page}: ${src}: status ${status}, ${headers.get('content-type')}`);
				continue;
			}
			try {
				const size = png_size(body);
				// Drawn at twice the size, for sharp screens.
				if (size.width !== 2 * Number(width) || size.height !== 2 * Number(height))
					problem(`${page}: ${src} is ${size.width}x${size.height}, shown as ${width}x${height}`);
			} catch (error) {
				problem(`${page}: ${src}: ${error.message}`);
			}
		}
	if (count === 0)
		problem('no image on any page');
	console.log(`${count} images`);
}

async function save(output) {
	fs.mkdirSync(output, { recursive: true });
	for (const [page, html] of await all_pages())
		fs.writeFileSync(path.join(output, `${name_of(page)}.html`), html);
}

const QUERIES = [
	'?range=%3Cscript%3Ealert(1)%3C/script%3E',
	'?range=day&range=%3Cb%3E',
	'?unknown=%3Cimg%20src%3Dx%3E',
	'?"><script>alert(1)</script>',
	"?'%20onload=alert(1)%20'",
	'?"%22%27`\\$(id)',
	'?--filter',
	'?--filter+--refresh+--daemon+unix:/tmp/x',
	'?-',
	'?--',
	'?-V',
	'?start=-1y&end=now&width=99999&height=99999',
	'?/etc/passwd',
	'?../../../../etc/passwd',
	'?%2e%2e%2f%2e%2e%2fetc%2fpasswd',
	'?file=/etc/passwd%00.rrd',
	'?<RRD::CV range>',
	'?<RRD::INCLUDE /etc/passwd>',
	'?%3CRRD::INCLUDE%20/etc/passwd%3E',
	'?%',
	'?%%%',
	'?a=%4',
	'?=&=&==&&',
	'??',
	`?${'a=1&'.repeat(1500)}`,
	`?${'A'.repeat(8000)}`,
	`?${'%41'.repeat(2600)}`,
	`?${'A'.repeat(65000)}`,
	'?\u00e9\u2028',
];

const ELSEWHERE = [
	'nothing.cgi',
	'index.cgi/x',
	'index.cgi/../index.cgi.bak',
	'../',
	'..%2f..%2fetc/passwd',
	'../../../../../../etc/passwd',
	'images/',
	'images/../../../etc/passwd',
	'images/%2e%2e/%2e%2e/etc/passwd',
	'images/fontconfig/',
	'images/nothing.png',
	'images/index.cgi',
	'note.txt',
	'images/note.txt',
	'.htaccess',
	'rrdcgi',
];

// What is no request is refused by the server itself, without a word of it.
function is_refused(query, answer) {
	const malformed = /[^!$%&'()*+,\-./0-9:;=?@A-Z_a-z~]|%(?![0-9A-Fa-f]{2})|%00/.test(query);
	return (malformed || query.length > 8100) && (answer.status === 0 || (answer.status >= 400 && answer.status < 500)) &&
		!answer.body.includes('script') && !answer.body.includes('RRD::');
}

// The page without a query is given, and returned as it is by then: the time that it shows may have moved on.
async function unchanged(page, query, plain) {
	for (let tries = 0; tries < 20; tries++) {
		const answer = await get(base, page + query);
		if (is_refused(query, answer) || (answer.status === 200 && answer.body.equals(plain)))
			return plain;
		const before = plain;
		plain = (await get(base, page)).body;
		if (answer.status !== 200 || plain.equals(before)) {
			problem(`${page}${query.slice(0, 60)}: status ${answer.status}, another page`);
			return plain;
		}
	}
	problem(`${page}: never twice the same`);
	return plain;
}

async function hostile() {
	// Every query on one graph's page, a few on the index, which is slow to draw; the others are behind the same rules.
	const [index, graph] = [...(await all_pages(2)).keys()];
	for (const [page, queries] of [[graph, QUERIES], [index, QUERIES.slice(0, 3)]]) {
		let plain = (await get(base, page)).body;
		for (const query of queries)
			plain = await unchanged(page, query, plain);
	}
	for (const target of ELSEWHERE) {
		const { status } = await get(base, folder + target);
		if (status < 400 || status >= 500)
			problem(`${target}: status ${status}`);
	}
	for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']) {
		const { status } = await get(base, `${folder}index.cgi`, { method });
		if (status < 400)
			problem(`${method}: status ${status}`);
	}
	const head = await get(base, `${folder}index.cgi`, { method: 'HEAD' });
	// Apache cannot hide from rrdcgi that it is HEAD.
	if (![200, 405].includes(head.status) || head.body.length !== 0)
		problem(`HEAD: status ${head.status}, ${head.body.length} bytes`);
}

async function headers() {
	const page = await get(base, folder);
	const { src } = attributes(page.body.toString(), 'img')[0];
	const image = await get(base, new URL(src, base).pathname);
	const style = await get(base, `${folder}style.css`);
	const icon = await get(base, `${folder}icon.svg`);
	const wanted = {
		'content-security-policy':
			/^default-src 'none'; img-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
		'x-content-type-options': /^nosniff$/,
		'referrer-policy': /^no-referrer$/,
		'cache-control': /^private, no-cache$/,
	};
	for (const [name, answer] of Object.entries({ page, image, style, icon })) {
		if (answer.status !== 200)
			problem(`${name}: status ${answer.status}`);
		for (const [header, pattern] of Object.entries(wanted))
			if (!pattern.test(answer.headers.get(header)))
				problem(`${name}: ${header}: ${answer.headers.get(header)}`);
	}
	for (const [name, answer] of Object.entries({ image, style, icon }))
		if (!answer.headers.has('etag') && !answer.headers.has('last-modified'))
			problem(`${name}: nothing to ask again by`);
	if (style.headers.get('content-type') !== 'text/css; charset=utf-8')
		problem(`style: ${style.headers.get('content-type')}`);
	if (icon.headers.get('content-type') !== 'image/svg+xml')
		problem(`icon: ${icon.headers.get('content-type')}`);
	const bare = await get(base, folder.replace(/\/$/, ''));
	if (![301, 302, 308].includes(bare.status) || !bare.headers.get('location').endsWith(folder))
		problem(`without the slash: status ${bare.status}, ${bare.headers.get('location')}`);
}

// The server's address is BASE's, which is not loopback; the client's is another.
async function foreign(from) {
	for (const target of ['', 'index.cgi', 'style.css', 'images/nothing.png']) {
		const { status } = await get(base, folder + target, { from });
		if (status !== 403)
			problem(`${target} from ${from}: status ${status}`);
	}
}

await { browse, shots, images, save, hostile, headers, foreign }[command](...rest);
process.exitCode = problems.length > 0 ? 1 : 0;
