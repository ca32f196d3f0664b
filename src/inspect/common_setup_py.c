/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/common_setup_py.h"

#include "inspect/common_python.h"

/* Calls that build code for GPUs, and whose compiler that takes. PyTorch's CUDAExtension builds for AMD where the
 * PyTorch that is there does. */
static const struct {
	const char *call, *needs;
	unsigned vendor;
} builders[] = {
	{ "CUDAExtension(", "nvcc", GV_NVIDIA }, { "HIPExtension(", "hipcc", GV_AMD },
	{ "SyclExtension(", "icpx", GV_INTEL },	 { "SYCLExtension(", "icpx", GV_INTEL },
	{ "DPCPPExtension(", "icpx", GV_INTEL },
};

struct reader {
	struct gv_inspect *x;
	struct gv_py_asks asks;
	gv_str extra; /* "" in install_requires */
	int open;     /* brackets since the list began */
	bool in_list, is_extras;
	bool told[sizeof(builders) / sizeof(*builders)];
};

/* The line without its comment; texts are not cut. */
static gv_str code_of(gv_str line)
{
	char quote = 0;

	for (size_t i = 0; i < line.n; i++) {
		char c = line.p[i];

		if (quote && c == '\\')
			i++;
		else if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? 0 : c;
		else if (!quote && c == '#')
			return gv_sub(line, 0, i);
	}
	return line;
}

static void builds(struct reader *r, gv_str line, uint32_t n)
{
	if (gv_has(line, "import "))
		return;
	for (size_t i = 0; i < sizeof(builders) / sizeof(*builders); i++) {
		struct gv_dep *d;

		if (r->told[i] || !gv_has(line, builders[i].call))
			continue;
		r->told[i] = true;
		d = gv_add_dep(r->x, GV_DECLARED, gv_str_of(builders[i].needs), builders[i].vendor);
		d->of = r->asks.p;
		d->quote = gv_dup(r->x->arena, gv_cut(gv_trim(line), 160));
		d->line = n;
	}
}

/* The texts of a list of requirements: the names of extras stand before a colon. */
static void texts(struct reader *r, gv_str line, uint32_t n)
{
	for (size_t i = 0; i < line.n && r->in_list; i++) {
		char c = line.p[i];
		ptrdiff_t end;
		gv_str text;

		r->open += (c == '[' || c == '{' || c == '(') - (c == ']' || c == '}' || c == ')');
		if (r->open <= 0 && (c == ']' || c == '}' || c == ')'))
			r->in_list = false;
		if (c != '"' && c != '\'')
			continue;
		end = gv_find_c(gv_from(line, i + 1), c);
		if (end < 0)
			return;
		text = gv_sub(line, i + 1, (size_t)end);
		i += (size_t)end + 1;
		if (r->is_extras && gv_starts(gv_trim(gv_from(line, i + 1)), ":"))
			r->extra = gv_py_name(r->x->arena, text);
		else if (!r->is_extras || r->extra.n)
			gv_py_ask_text(&r->asks, text, r->extra, text, n);
	}
}

/* What follows "name" and "=" or ":"; empty where the line is none that sets it. */
static gv_str set_to(gv_str line, const char *name)
{
	gv_str rest = gv_after(line, name);

	rest = gv_trim(gv_starts(rest, "\"") || gv_starts(rest, "'") ? gv_from(rest, 1) : rest);
	if (!rest.n || (rest.p[0] != '=' && rest.p[0] != ':') || gv_starts(rest, "=="))
		return GV_NONE;
	return gv_trim(gv_from(rest, 1));
}

static gv_str text_of(gv_str s)
{
	return s.n && (s.p[0] == '"' || s.p[0] == '\'')
		   ? gv_sub(s, 1, gv_before(gv_from(s, 1), s.p[0] == '"' ? "\"" : "'").n)
		   : GV_NONE;
}

static gv_str find_text(gv_str text, const char *name)
{
	gv_str line;

	while (gv_next(&text, '\n', &line)) {
		line = gv_trim(code_of(line));
		if (gv_starts(line, name) && text_of(set_to(line, name)).n)
			return text_of(set_to(line, name));
	}
	return GV_NONE;
}

void gv_py_setup(struct gv_inspect *x, gv_str text)
{
	static const char *const lists[] = { "install_requires", "extras_require" };
	struct reader r = { .x = x };
	gv_str line, call = gv_after(text, "setup(");

	r.asks = gv_py_asks(x, gv_py_project(x, find_text(call, "name"), find_text(call, "version")));

	for (uint32_t n = 1; gv_next(&text, '\n', &line); n++) {
		line = code_of(line);
		builds(&r, line, n);
		for (size_t i = 0; i < 2 && !r.in_list; i++) {
			gv_str list = set_to(line, lists[i]);

			if (!gv_starts(list, "[") && !gv_starts(list, "{") && !gv_starts(list, "("))
				continue;
			r.in_list = true;
			r.is_extras = i == 1;
			r.extra = GV_NONE;
			r.open = 0;
			line = list;
		}
		if (r.in_list)
			texts(&r, line, n);
	}
}
