/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/term.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"

#define NARROWEST 40
#define WIDEST 120
#define USUAL 80

size_t gv_term_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w = { 0 };
	uint64_t n = 0;

	if (!isatty(fd))
		return USUAL;
	if (!columns || !gv_to_u64(gv_str_of(columns), &n) || !n)
		n = ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
	if (!n)
		return USUAL;
	return n < NARROWEST ? NARROWEST : n > WIDEST ? WIDEST : (size_t)n;
}

bool gv_term_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	gv_str locale = GV_NONE;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !locale.n; i++)
		locale = gv_str_of(getenv(names[i]));
	locale = gv_before(gv_after(locale, "."), "@");
	return gv_eq_nocase(locale, GV_STR("UTF-8")) || gv_eq_nocase(locale, GV_STR("UTF8"));
}

void gv_term_progress(const char *fmt, ...)
{
	va_list ap;

	if (!isatty(STDERR_FILENO))
		return;
	fputs("\r\033[K", stderr);
	if (fmt) {
		va_start(ap, fmt);
		vfprintf(stderr, fmt, ap);
		va_end(ap);
	}
	fflush(stderr);
}
