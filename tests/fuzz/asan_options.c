/* SPDX-License-Identifier: MIT */
/* Of all targets: what was freed is kept from use for a while, but not so long that each execution gets new pages. */

const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=8";
}
