/* SPDX-License-Identifier: Apache-2.0 */
/* yarn.lock, of Yarn 1 (a format of its own) and later ones (YAML as a program writes it). A package begins a line with
 * all the requests that it answers; what it says is indented by two, its requirements by four. */
#include "inspect/common_npm.h"

static bool claim(const struct gv_item *it)
{
	return gv_is(it->name, "yarn.lock");
}

/* '"@s/a@npm:^1.0, @s/a@npm:^2":' -> "@s/a" */
static gv_str first_name(gv_str line, gv_str *ret_spec)
{
	gv_str s = gv_npm_unquoted(gv_before(line, ", "));

	while (s.n && (s.p[0] == '"' || s.p[0] == '\''))
		s = gv_from(s, 1);
	while (s.n && (s.p[s.n - 1] == '"' || s.p[s.n - 1] == '\''))
		s.n--;
	return gv_npm_name(s, ret_spec);
}

/* 'b "^1.0"', 'b: ^1.0' */
static gv_str name_and_spec(gv_str line, gv_str *ret_spec)
{
	gv_str name;

	*ret_spec = gv_trim(line);
	if (!gv_word(ret_spec, &name))
		return GV_NONE;
	*ret_spec = gv_npm_unquoted(*ret_spec);
	return gv_npm_unquoted(name);
}

static void read_lock(struct gv_inspect *x, gv_str bytes)
{
	struct gv_text_lines l = { .rest = bytes };
	struct gv_package *p = NULL;
	bool project = false, optional = false, asks = false;

	while (gv_text_line(&l)) {
		size_t indent = gv_indent(l.line);
		gv_str line = gv_trim(l.line), name, spec;

		if (!line.n || line.p[0] == '#')
			continue;
		if (!indent) {
			name = first_name(line, &spec);
			asks = false;
			project = gv_starts(spec, "workspace:");
			p = project || gv_is(name, "__metadata") || !gv_ends(line, ":")
				? NULL
				: gv_npm_locked(x, name, GV_NONE, l.n);
			continue;
		}
		name = name_and_spec(line, &spec);
		if (indent == 2) {
			optional = gv_is(name, "optionalDependencies") || gv_is(name, "peerDependencies");
			asks = gv_is(name, "dependencies") || optional;
			if (p && gv_is(name, "version"))
				p->version = gv_dup(x->arena, spec);
		} else if (indent == 4 && asks && p) {
			gv_npm_require(x, p, name, spec, optional, l.n);
		} else if (indent == 4 && asks && project) {
			gv_npm_wish(x, name, spec, l.n);
		}
	}
	gv_npm_end(x);
}

const struct gv_document gv_document_yarn_lock = { .type = "npm lock file", .claim = claim, .read = read_lock };
