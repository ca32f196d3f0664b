/* SPDX-License-Identifier: Apache-2.0 */
/* pnpm-lock.yaml, as pnpm writes it, of versions 5 to 9 of the format. Projects ("importers", or the top itself) name
 * what they want; "packages" and, from version 9 on, "snapshots" name what each package needs. It is read line by line:
 * real ones hold more keys than a tree is made of. */
#include "inspect/common_npm.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "pnpm-lock.yaml");
}

/* "/@s/a@1.2.3(peer@1):" of version 6, without its first character of version 9, "/@s/a/1.2.3_peer@1:" of version 5 */
static gv_str package_of(gv_str key, gv_str *ret_version)
{
	gv_str name, s = gv_before(gv_npm_unquoted(key), "(");
	ptrdiff_t slash;

	if (gv_starts(s, "/"))
		s = gv_from(s, 1);
	slash = gv_rfind(gv_before(s, "_"), "/");
	if (slash > 0 && gv_find_c(gv_before(gv_from(s, (size_t)slash), "_"), '@') < 0) {
		*ret_version = gv_before(gv_from(s, (size_t)slash + 1), "_");
		return gv_sub(s, 0, (size_t)slash);
	}
	name = gv_npm_name(s, ret_version);
	return name;
}

enum part { OTHER, PROJECTS, PROJECT, PACKAGES };

struct state {
	struct gv_inspect *x;
	enum part part;
	struct gv_package *p;
	bool asks, optional;
	size_t names; /* blanks in front of the names that are asked for */
};

static bool is_list_of_names(gv_str key, bool *ret_optional)
{
	*ret_optional = !gv_is(key, "dependencies");
	return gv_is(key, "dependencies") || gv_is(key, "optionalDependencies") || gv_is(key, "devDependencies") ||
	       gv_is(key, "peerDependencies");
}

static void begin_part(struct state *s, gv_str key)
{
	s->p = NULL;
	s->asks = is_list_of_names(key, &s->optional);
	s->names = 2;
	s->part = gv_is(key, "importers")			      ? PROJECTS
		  : gv_is(key, "packages") || gv_is(key, "snapshots") ? PACKAGES
		  : s->asks					      ? PROJECT
								      : OTHER;
}

static void begin_list(struct state *s, gv_str key, size_t indent)
{
	s->asks = is_list_of_names(key, &s->optional);
	s->names = indent + 2;
}

static void one_line(struct state *s, gv_str line, size_t indent, uint32_t n)
{
	gv_str key = gv_npm_unquoted(gv_before(line, ": ")), value = gv_npm_unquoted(gv_after(line, ": ")), version;

	if (!indent) {
		begin_part(s, key);
	} else if (s->part == PACKAGES && indent == 2) {
		key = package_of(line, &version);
		s->p = key.n && version.n ? gv_npm_locked(s->x, key, version, n) : NULL;
		s->asks = false;
	} else if ((s->part == PACKAGES || s->part == PROJECTS) && indent == 4) {
		begin_list(s, key, indent);
	} else if (s->asks && indent == s->names && s->part == PACKAGES && s->p) {
		gv_npm_require(s->x, s->p, key, value, s->optional, n);
	} else if (s->asks && indent == s->names && s->part != PACKAGES) {
		gv_npm_wish(s->x, key, value, n);
	}
}

static void read_lock(struct gv_inspect *x, gv_str bytes)
{
	struct gv_text_lines l = { .rest = bytes };
	struct state s = { .x = x };

	while (gv_text_line(&l)) {
		gv_str line = gv_trim(l.line);

		if (line.n && line.p[0] != '#')
			one_line(&s, line, gv_indent(l.line), l.n);
	}
	gv_npm_end(x);
}

const struct gv_document gv_document_pnpm_lock = { .type = "npm lock file", .claim = claim, .read = read_lock };
