/* SPDX-License-Identifier: Apache-2.0 */
/* expat stops at the first thing that is wrong. It is then started again behind it, below the same open elements, of
 * which a list is kept here. */
#include "format/common_xml.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

gv_str gv_xml_attr(const struct gv_xml_item *item, const char *name)
{
	for (size_t i = 0; i < item->nattrs; i++)
		if (gv_is(item->attr[i].name, name))
			return item->attr[i].value;
	return GV_NONE;
}

#if GV_HAVE_EXPAT

#include <expat.h>

#include "base/buf.h"

#define ATTRS 64   /* of an element; no tool writes so many */
#define NAME 256   /* bytes of a name; each start tells all that are open again */
#define PIECE ((size_t)64 << 10) /* the first one that is parsed, in bytes; each next one is twice as large */
#define ROOT "<r>" /* around all, so that several elements may stand side by side */

struct xml {
	struct gv_arena *arena;
	const struct gv_line *lines;
	size_t nlines;
	size_t *start; /* where each begins in the text */
	size_t line;   /* of the place at hand, which only moves on */
	gv_str text;
	size_t from;	      /* where the parser was started in it */
	struct gv_buf before; /* what it was given first: the elements that are open */
	XML_Parser parser;
	GV_VEC(struct gv_xml_item) items;
	gv_str open[GV_XML_DEPTH];
	size_t depth;
	bool pending; /* the innermost element has no other in it so far */
	struct gv_xml_item leaf;
	struct gv_buf chars;
	const char *broken;
};

/* The lines as one text, with "&amp;" for an '&' that begins no reference. */
static void join(struct xml *x, struct gv_buf *out)
{
	for (size_t i = 0; i < x->nlines; i++) {
		gv_str t = x->lines[i].text;
		size_t done = 0;

		x->start[i] = out->n;
		for (size_t k = 0; k < t.n; k++) {
			size_t end = k + 1;

			if (t.p[k] != '&')
				continue;
			while (end < t.n && end < k + 12 && t.p[end] != ';' && t.p[end] != '&' && t.p[end] != ' ')
				end++;
			if (end < t.n && t.p[end] == ';' && end > k + 1)
				continue;
			gv_put(out, gv_sub(t, done, k + 1 - done));
			gv_puts(out, "amp;");
			done = k + 1;
		}
		gv_put(out, gv_from(t, done));
		gv_putc(out, '\n');
	}
}

static const struct gv_line *line_at(struct xml *x, size_t at)
{
	while (x->line + 1 < x->nlines && x->start[x->line + 1] <= at)
		x->line++;
	return &x->lines[x->line];
}

/* Where the parser stands in the text. */
static size_t here(const struct xml *x)
{
	XML_Index i = XML_GetCurrentByteIndex(x->parser);

	return i < 0 || (size_t)i < x->before.n ? x->from : x->from + (size_t)i - x->before.n;
}

static bool replay(const struct xml *x)
{
	return XML_GetCurrentByteIndex(x->parser) < (XML_Index)x->before.n;
}

static void stop(struct xml *x, const char *why)
{
	x->broken = why;
	XML_StopParser(x->parser, XML_FALSE);
}

static void add(struct xml *x, const struct gv_xml_item *item)
{
	if (x->items.n == GV_XML_ITEMS)
		stop(x, "it has more elements than are read");
	else
		*gv_push(x->arena, &x->items) = *item;
}

/* The innermost element is no leaf: it has others in it, or its end is not there. */
static void no_leaf(struct xml *x)
{
	if (!x->pending)
		return;
	x->leaf.kind = GV_XML_OPEN;
	x->pending = false;
	add(x, &x->leaf);
}

static void XMLCALL on_start(void *ctx, const XML_Char *name, const XML_Char **attrs)
{
	struct xml *x = ctx;
	struct gv_xml_attr *a;
	size_t n = 0;

	if (replay(x) || x->broken)
		return;
	no_leaf(x);
	if (x->depth == GV_XML_DEPTH || strlen(name) > NAME) {
		stop(x, x->depth == GV_XML_DEPTH ? "its elements are nested too deeply" : "a name in it is too long");
		return;
	}
	while (attrs[2 * n] && n < ATTRS)
		n++;
	a = n ? GV_NEWN(x->arena, struct gv_xml_attr, n) : NULL;
	for (size_t i = 0; i < n; i++)
		a[i] = (struct gv_xml_attr){ gv_dup(x->arena, gv_str_of(attrs[2 * i])),
					     gv_dup(x->arena, gv_str_of(attrs[2 * i + 1])) };
	x->leaf = (struct gv_xml_item){ .kind = GV_XML_LEAF,
					.depth = (uint32_t)x->depth,
					.name = gv_dup(x->arena, gv_str_of(name)),
					.attr = a,
					.nattrs = n,
					.line = line_at(x, here(x)) };
	x->open[x->depth++] = x->leaf.name;
	x->pending = true;
	x->chars.n = 0;
}

static void XMLCALL on_end(void *ctx, const XML_Char *name)
{
	struct xml *x = ctx;

	(void)name;
	if (replay(x) || x->broken || !x->depth)
		return;
	if (x->pending) {
		x->leaf.text = gv_dup(x->arena, gv_trim(gv_buf_str(&x->chars)));
		add(x, &x->leaf);
	}
	x->pending = false;
	x->depth--;
}

static void XMLCALL on_chars(void *ctx, const XML_Char *s, int n)
{
	struct xml *x = ctx;

	if (x->pending && !replay(x) && n > 0)
		gv_put(&x->chars, (gv_str){ s, (size_t)n });
}

/* Parses from `from` on, below what is open; where all was read, the end of the text, else where something is wrong. */
static size_t parse_from(struct xml *x, size_t from, enum XML_Error *ret_error)
{
	gv_str rest = gv_from(x->text, from), piece;
	enum XML_Status status = XML_STATUS_OK;

	XML_ParserReset(x->parser, "UTF-8");
	XML_SetUserData(x->parser, x);
	XML_SetElementHandler(x->parser, on_start, on_end);
	XML_SetCharacterDataHandler(x->parser, on_chars);
	x->from = from;
	x->before.n = 0;
	gv_puts(&x->before, ROOT);
	for (size_t i = 0; i < x->depth; i++)
		gv_printf(&x->before, "<%.*s>", GV_ARG(x->open[i]));
	XML_Parse(x->parser, x->before.p, (int)x->before.n, 0);
	*ret_error = XML_ERROR_NONE;
	/* In pieces that grow: expat may copy all that it is given, which it needs not see where it soon stops. */
	for (size_t n = PIECE; status == XML_STATUS_OK && (rest.n || n == PIECE); n *= 2) {
		piece = gv_sub(rest, 0, n);
		rest = gv_from(rest, n);
		status = XML_Parse(x->parser, piece.p, (int)piece.n, !rest.n);
	}
	if (status == XML_STATUS_OK)
		return x->text.n;
	*ret_error = XML_GetErrorCode(x->parser);
	if (*ret_error == XML_ERROR_NO_MEMORY)
		gv_oom();
	return here(x);
}

/* Marks what stands in the elements that are open from `depth` on. What is outside of all has nothing around it. */
static void doubt(struct xml *x, size_t depth)
{
	if (!depth)
		return;
	for (size_t i = x->items.n; i-- > 0 && x->items.v[i].depth >= depth && !x->items.v[i].unsure;)
		x->items.v[i].unsure = true;
}

/* The name of an end tag is not that of the innermost element: elements within lack theirs, or it lacks its beginning.
 */
static void mend_end(struct xml *x, size_t at)
{
	gv_str tag = gv_trim(gv_before(gv_from(x->text, at), ">"));
	struct gv_xml_item lost = { .kind = GV_XML_LOST, .depth = (uint32_t)x->depth, .line = line_at(x, at) };

	no_leaf(x);
	for (size_t i = x->depth; i-- > 0;)
		if (gv_eq(x->open[i], tag)) {
			doubt(x, i + 2);
			x->depth = i;
			return;
		}
	doubt(x, x->depth);
	lost.name = gv_dup(x->arena, tag);
	add(x, &lost);
}

/* The next tag at or behind `at`. */
static size_t next_tag(gv_str text, size_t at)
{
	while (at + 1 < text.n) {
		char c = text.p[at + 1];

		if (text.p[at] == '<' && (c == '/' || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
			return at;
		at++;
	}
	return text.n;
}

static void parse_all(struct xml *x, struct gv_xml *ret)
{
	size_t at = next_tag(x->text, 0), mends = 0;
	enum XML_Error error;

	while (at < x->text.n && !x->broken) {
		at = parse_from(x, at, &error);
		if (error == XML_ERROR_NONE || x->broken)
			break;
		if (error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN) {
			ret->cut = x->depth > 0 || error == XML_ERROR_UNCLOSED_TOKEN;
			break;
		}
		if (++mends > GV_XML_MENDS) {
			x->broken = "it is no XML";
			break;
		}
		if (error == XML_ERROR_TAG_MISMATCH)
			mend_end(x, at);
		else
			no_leaf(x); /* its text is not whole */
		at = next_tag(x->text, at + 1);
	}
	ret->v = x->items.v;
	ret->n = x->items.n;
	ret->broken = x->broken;
}

int gv_xml_parse(struct gv_arena *a, const struct gv_line *l, size_t n, struct gv_xml *ret)
{
	struct xml x = { .arena = a, .lines = l, .nlines = n };
	struct gv_buf text = { 0 };

	*ret = (struct gv_xml){ 0 };
	if (!n)
		return 0;
	x.start = GV_NEWN(a, size_t, n);
	join(&x, &text);
	x.text = gv_buf_str(&text);
	if (x.text.n > INT_MAX) {
		ret->broken = "it is too large";
	} else {
		x.parser = XML_ParserCreate("UTF-8");
		if (!x.parser)
			gv_oom();
		parse_all(&x, ret);
		XML_ParserFree(x.parser);
	}
	gv_buf_free(&x.chars);
	gv_buf_free(&x.before);
	gv_buf_free(&text);
	return 0;
}

#else

int gv_xml_parse(struct gv_arena *a, const struct gv_line *l, size_t n, struct gv_xml *ret)
{
	(void)a;
	(void)l;
	(void)n;
	*ret = (struct gv_xml){ 0 };
	return -ENOTSUP;
}

#endif
