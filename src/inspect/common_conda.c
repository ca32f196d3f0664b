/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/common_conda.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool in_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

struct gv_conda_spec gv_conda_spec_of(gv_str text)
{
	struct gv_conda_spec s;
	ptrdiff_t channel;
	size_t n = 0;

	text = gv_trim(text);
	channel = gv_rfind(gv_before(text, "["), "::");
	if (channel >= 0)
		text = gv_from(text, (size_t)channel + 2);
	while (n < text.n && in_name(text.p[n]))
		n++;
	s.name = gv_sub(text, 0, n);
	s.spec = gv_trim(gv_from(text, n));
	return s;
}

/* "cuda" or "rocm" and the digits behind it, of which a minor one may stand behind a point or a line. */
static gv_str with_digits(struct gv_arena *a, gv_str build, const char *word, const char *as)
{
	gv_str rest = gv_after(build, word);
	size_t n = 0, minor;

	if (gv_starts(rest, "_") && rest.n > 1 && is_digit(rest.p[1]))
		rest = gv_from(rest, 1);
	while (n < rest.n && is_digit(rest.p[n]))
		n++;
	if (!n)
		return GV_NONE;
	minor = n;
	if (n <= 2 && n + 1 < rest.n && rest.p[n] == '.' && is_digit(rest.p[n + 1]))
		for (minor = n + 1; minor < rest.n && is_digit(rest.p[minor]);)
			minor++;
	return minor == n ? gv_fmt(a, "%s%.*s", as, (int)n, rest.p)
			  : gv_fmt(a, "%s%.*s%.*s", as, (int)n, rest.p, (int)(minor - n - 1), rest.p + n + 1);
}

static bool has_word(gv_str build, const char *word)
{
	gv_str part;

	while (gv_next(&build, '_', &part))
		if (gv_is(part, word))
			return true;
	return false;
}

gv_str gv_conda_hint(struct gv_arena *a, gv_str build)
{
	gv_str hint = with_digits(a, build, "cuda", "cu");

	if (!hint.n)
		hint = with_digits(a, build, "rocm", "rocm");
	if (hint.n)
		return hint;
	return has_word(build, "cpu") ? GV_STR("cpu") : has_word(build, "gpu") ? GV_STR("gpu") : GV_NONE;
}

void gv_conda_build(struct gv_inspect *x, struct gv_package *p, gv_str build)
{
	p->local = gv_conda_hint(x->arena, build);
	gv_package_judge(p);
}

void gv_conda_require(struct gv_inspect *x, struct gv_package *p, gv_str text, bool optional, uint32_t line)
{
	struct gv_conda_spec s = gv_conda_spec_of(text);
	struct gv_dep *d = gv_add_require(x, p, s.name, s.spec, optional, line);

	if (d && gv_is(s.name, "__cuda"))
		d->driver = true;
}

bool gv_conda_archive(gv_str url, gv_str *ret_name, gv_str *ret_version, gv_str *ret_build)
{
	gv_str file = gv_before(gv_from(url, (size_t)(gv_rfind(url, "/") + 1)), "#");
	ptrdiff_t build, version;

	if (gv_ends(file, ".conda"))
		file.n -= 6;
	else if (gv_ends(file, ".tar.bz2"))
		file.n -= 8;
	else
		return false;
	build = gv_rfind(file, "-");
	version = build > 0 ? gv_rfind(gv_sub(file, 0, (size_t)build), "-") : -1;
	if (version <= 0)
		return false;
	*ret_name = gv_sub(file, 0, (size_t)version);
	*ret_version = gv_sub(file, (size_t)version + 1, (size_t)(build - version) - 1);
	*ret_build = gv_from(file, (size_t)build + 1);
	return true;
}

struct gv_package *gv_conda_wish(struct gv_inspect *x, gv_str text, uint32_t line)
{
	struct gv_conda_spec s = gv_conda_spec_of(text);
	struct gv_package *p;

	if (!s.name.n)
		return NULL;
	p = gv_add_package(x, "conda", s.name, s.spec);
	p->how = GV_PACKAGE_ASKED;
	p->top = true;
	p->local = GV_NONE;
	gv_conda_build(x, p, s.spec);
	p->line = line;
	return p;
}
