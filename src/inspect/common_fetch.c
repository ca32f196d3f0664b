/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/common_fetch.h"

#include "core/table.h"
#include "inspect/common_python.h"

#define NAME_MAX_KEPT 300
#define QUOTE_MAX 200
#define FETCHES_MAX 256 /* of one file */

static struct gv_dep *fetched(struct gv_inspect *x, gv_str name, unsigned vendor, gv_str quote, uint32_t line)
{
	struct gv_dep *d;
	size_t n = 0;

	name = gv_cut(name, NAME_MAX_KEPT);
	for (size_t i = 0; i < x->file->deps.n; i++) {
		n += x->file->deps.v[i].grade == GV_FETCHED;
		if (n >= FETCHES_MAX ||
		    (x->file->deps.v[i].grade == GV_FETCHED && gv_eq(x->file->deps.v[i].name, name)))
			return NULL;
	}
	d = gv_add_dep(x, GV_FETCHED, name, vendor);
	d->quote = gv_dup(x->arena, gv_cut(gv_trim(quote), QUOTE_MAX));
	d->line = line;
	return d;
}

/* ---- Where from ---- */

static bool ends_word(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'`()<>,;|[]{}\\", c);
}

/* What stands around the place, up to blanks and quotation marks; a shell's ${NAME} belongs to it. */
static gv_str word_at(gv_str text, size_t at)
{
	size_t from = at, to = at;

	while (from && (!ends_word(text.p[from - 1]) || strchr("{}", text.p[from - 1])))
		from--;
	while (to < text.n && (!ends_word(text.p[to]) || strchr("{}", text.p[to])))
		to++;
	text = gv_sub(text, from, to - from);
	from = (size_t)(gv_find(gv_before(text, "://"), "=") + 1); /* "--index-url=https://..." */
	return gv_has(text, "://") ? gv_from(text, from) : text;
}

static gv_str last_part(gv_str path)
{
	return gv_from(path, (size_t)(gv_rfind(path, "/") + 1));
}

/* One star in the pattern. */
static bool fits(gv_str pattern, gv_str s)
{
	ptrdiff_t star = gv_find_c(pattern, '*');
	gv_str head = gv_sub(pattern, 0, (size_t)star), tail = gv_from(pattern, (size_t)star + 1);

	return s.n >= head.n + tail.n && !memcmp(s.p, head.p, head.n) && !memcmp(s.p + s.n - tail.n, tail.p, tail.n);
}

static bool row_hits(gv_str how, gv_str row, gv_str word)
{
	if (gv_is(how, "file"))
		return gv_has(word, "://") && fits(row, last_part(gv_before(word, "?")));
	return gv_is(how, "url");
}

static void from_where(struct gv_inspect *x, gv_str text, uint32_t line)
{
	const struct gv_table *t = gv_table("gpu-fetches");

	for (size_t i = 0; t && i < t->rows; i++) {
		gv_str row = gv_cell(t, i, "text"), how = gv_cell(t, i, "how"), word;
		const char *needle = gv_is(how, "file") ? "://" : row.p;
		ptrdiff_t at;

		if (!gv_is(how, "file") && !gv_is(how, "url"))
			continue;
		at = gv_find(text, needle);
		if (at < 0)
			continue;
		word = word_at(text, (size_t)at);
		if (row_hits(how, row, word))
			fetched(x, word, gv_vendor_of(gv_cell(t, i, "vendor")), text, line);
	}
}

/* ---- Package managers ---- */

struct manager {
	const char *program, *eco;
};
static const struct manager managers[] = {
	{ "apk", "apk" },  { "apt", "deb" },	 { "apt-get", "deb" },	{ "aptitude", "deb" },	   { "conda", "conda" },
	{ "dnf", "rpm" },  { "mamba", "conda" }, { "microdnf", "rpm" }, { "micromamba", "conda" }, { "npm", "npm" },
	{ "pip", "pypi" }, { "pip3", "pypi" },	 { "pnpm", "npm" },	{ "tdnf", "rpm" },	   { "uv", "pypi" },
	{ "yarn", "npm" }, { "yum", "rpm" },	 { "zypper", "rpm" },
};

/* A name behind "install", kept until the command ends: an index that is named later tells which build it is of. */
struct word {
	gv_str text, line;
	uint32_t n;
};
#define WORDS 64

struct command {
	const char *eco; /* of the package manager that was named; NULL: none yet */
	bool installs;	 /* names of packages follow */
	bool value;	 /* the next word is that of an option */
	gv_str local;	 /* of the index: "cu124", "cpu" */
	struct word words[WORDS];
	size_t n;
};

static const char *manager_eco(gv_str word)
{
	for (size_t i = 0; i < sizeof(managers) / sizeof(*managers); i++)
		if (gv_is(last_part(word), managers[i].program))
			return managers[i].eco;
	return NULL;
}

static gv_str strip(gv_str w)
{
	while (w.n && strchr("\"'`([{,", w.p[0]))
		w = gv_from(w, 1);
	for (bool more = true; more;) { /* in a text that another program writes, "\n" stands as two characters */
		bool newline = w.n > 1 && w.p[w.n - 2] == '\\' && w.p[w.n - 1] == 'n';

		more = newline || (w.n && strchr("\"'`)]},.", w.p[w.n - 1]));
		w.n -= newline ? 2 : more ? 1 : 0;
	}
	return w;
}

/* The name of "torch==2.4.0+cu124", "@s/a@1.2", "channel::cudnn=9", "libcudnn9:amd64=9.1"; *ret_local: behind the plus.
 */
static gv_str package_name(struct gv_inspect *x, const char *eco, gv_str w, gv_str *ret_local)
{
	ptrdiff_t at = gv_rfind(w, !strcmp(eco, "npm") ? "@" : "::");
	size_t n = 0;

	*ret_local = GV_NONE;
	if (!strcmp(eco, "npm"))
		return at > 0 ? gv_sub(w, 0, (size_t)at) : w;
	w = gv_from(w, at >= 0 ? (size_t)at + 2 : 0);
	while (n < w.n && !strchr("=<>!~[:;@", w.p[n]))
		n++;
	if (strcmp(eco, "pypi"))
		return gv_sub(w, 0, n);
	at = gv_find_c(w, '+');
	*ret_local = at >= 0 ? gv_from(w, (size_t)at + 1) : GV_NONE;
	return gv_py_name(x->arena, gv_sub(w, 0, n));
}

static void end_command(struct gv_inspect *x, struct command *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct word *w = &c->words[i];
		gv_str local, name = package_name(x, c->eco, w->text, &local);
		struct gv_by_name says;
		struct gv_dep *d;

		if (!gv_package_by_name(c->eco, name, local, &says))
			continue;
		if (says.by_local && !local.n && c->local.n)
			gv_package_by_name(c->eco, name, c->local, &says);
		d = says.vendor ? fetched(x, w->text, says.vendor, w->line, w->n) : NULL;
		if (d)
			d->by_default = says.by_default;
	}
	c->eco = NULL;
	c->installs = c->value = false;
	c->local = GV_NONE;
	c->n = 0;
}

/* Options whose value is the next word: "conda create -n cuda" names an environment. */
static bool takes_value(const char *eco, gv_str w)
{
	static const struct {
		const char *eco, *options;
	} rows[] = {
		{ "conda", " -n --name -p --prefix -c --channel --file --solver " },
		{ "deb", " -t -o -c --target-release --default-release " },
		{ "npm", " -C --prefix --cwd --dir --registry " },
		{ "pypi",
		  " -r -c -t -i -f -p --requirement --constraint --target --prefix --root --python --extra --group " },
		{ "rpm", " -c --config --installroot --releasever --repo --repoid --enablerepo --disablerepo " },
		{ "apk", " -t --virtual -p --root -X --repository " },
	};
	char word[32];

	if (!w.n || w.n > sizeof(word) - 3)
		return false;
	word[0] = ' ';
	memcpy(word + 1, w.p, w.n);
	word[w.n + 1] = ' ';
	word[w.n + 2] = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].eco, eco))
			return strstr(rows[i].options, word);
	return false;
}

static void in_install(struct gv_inspect *x, struct command *c, gv_str w, gv_str line, uint32_t n)
{
	if (gv_has(w, "://")) {
		gv_str local = gv_py_index_local(w);

		c->local = local.n ? local : c->local;
	} else if (w.n && w.p[0] != '-' && !c->value && c->n < WORDS) {
		c->words[c->n++] = (struct word){ w, line, n };
	}
	c->value = takes_value(c->eco, w);
}

static void one_word(struct gv_inspect *x, struct command *c, gv_str raw, gv_str text, uint32_t line)
{
	bool ends = gv_ends(raw, ";") || gv_is(raw, "&&") || gv_is(raw, "||") || gv_is(raw, "|");
	gv_str w = strip(gv_ends(raw, ";") ? gv_sub(raw, 0, raw.n - 1) : raw);
	const char *eco = c->installs ? NULL : manager_eco(w);

	if (eco)
		c->eco = eco;
	else if (c->eco && !c->installs)
		c->installs = gv_is(w, "install") || gv_is(w, "add") || gv_is(w, "i") || gv_is(w, "create");
	else if (c->installs && (!ends || gv_ends(raw, ";")))
		in_install(x, c, w, text, line);
	if (ends)
		end_command(x, c);
}

static void words(struct gv_inspect *x, struct command *c, gv_str text, uint32_t line)
{
	gv_str rest = text, word;

	while (gv_word(&rest, &word))
		one_word(x, c, word, text, line);
}

/* ---- Scripts ---- */

void gv_fetch_line(struct gv_inspect *x, gv_str text, uint32_t line)
{
	struct command c = { 0 };

	from_where(x, text, line);
	words(x, &c, text, line);
	end_command(x, &c);
}

/* Whether the output goes somewhere else: ">" or "|" outside of quotation marks. */
static bool is_piped(gv_str line)
{
	char quote = 0;

	for (size_t i = 0; i < line.n; i++) {
		char c = line.p[i];

		if (quote)
			quote = c == quote ? 0 : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '>' || c == '|')
			return true;
	}
	return false;
}

/* Text for people, unless it is written to a file. */
static bool is_shown(gv_str line)
{
	static const char *const begins[] = { "console.", "echo", "log", "print", "raise", "throw", "warn" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (gv_starts(line, begins[i]))
			return !is_piped(line);
	return false;
}

/* The image that an image is built on: "FROM --platform=linux/amd64 nvidia/cuda:12.4.1-devel AS build". */
static void base_image(struct gv_inspect *x, gv_str text, uint32_t line)
{
	const struct gv_table *t = gv_table("gpu-fetches");
	gv_str rest = gv_from(text, 5), word = GV_NONE;

	while (gv_word(&rest, &word) && gv_starts(word, "--"))
		;
	if (gv_starts(word, "docker.io/"))
		word = gv_from(word, 10);
	for (size_t i = 0; t && i < t->rows; i++) {
		gv_str row = gv_cell(t, i, "text");

		if (gv_is(gv_cell(t, i, "how"), "image") && word.n >= row.n && !memcmp(word.p, row.p, row.n))
			fetched(x, word, gv_vendor_of(gv_cell(t, i, "vendor")), text, line);
	}
}

void gv_fetch_script(struct gv_inspect *x, gv_str bytes)
{
	struct gv_text_lines l = { .rest = bytes };
	struct command c = { 0 };

	while (gv_text_line(&l)) {
		gv_str line = gv_trim(l.line);

		if (!line.n || gv_starts(line, "#") || gv_starts(line, "//") || gv_starts(line, "* "))
			continue; /* also between the lines of one command, as in a Dockerfile */
		if (!is_shown(line)) {
			if (gv_starts_nocase(line, "FROM "))
				base_image(x, line, l.n);
			from_where(x, line, l.n);
			words(x, &c, gv_ends(line, "\\") ? gv_sub(line, 0, line.n - 1) : line, l.n);
		}
		if (!gv_ends(line, "\\"))
			end_command(x, &c);
	}
	end_command(x, &c);
}

void gv_fetch_npm(struct gv_inspect *x, struct gv_package *p, gv_str quote, uint32_t line)
{
	const struct gv_table *t = gv_table("gpu-fetches");

	for (size_t i = 0; t && i < t->rows; i++)
		if (gv_is(gv_cell(t, i, "how"), "npm") && gv_eq(gv_cell(t, i, "text"), p->name)) {
			struct gv_dep *d =
			    fetched(x, gv_cell(t, i, "what"), gv_vendor_of(gv_cell(t, i, "vendor")), quote, line);

			if (d)
				d->of = p;
		}
}
