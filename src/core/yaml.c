/* SPDX-License-Identifier: Apache-2.0 */
#include "core/yaml.h"

#include <errno.h>

bool gv_yaml_empty(const struct gv_yaml *y)
{
	return y->kind == GV_YAML_TEXT && y->plain && (!y->text.n || gv_is(y->text, "null") || gv_is(y->text, "~"));
}

#if GV_HAVE_YAML

#include <yaml.h>

/* A map or list that is open. */
struct level {
	struct gv_yaml *at, *last;
	bool has_key; /* a key was read and its value is still to come */
	gv_str key;
	uint32_t key_line;
};

struct reader {
	struct gv_arena *arena;
	gv_str name, bytes;
	struct gv_buf *err;
	yaml_parser_t parser;
	struct gv_yaml *root;
	struct level open[GV_YAML_DEPTH];
	size_t depth;
	bool had_document;
};

static int wrong(const struct reader *r, size_t line, const char *what)
{
	gv_printf(r->err, "%.*s:%zu: %s", GV_ARG(r->name), line, what);
	return -EINVAL;
}

static gv_str text_of(struct gv_arena *a, const yaml_event_t *e)
{
	return gv_dup(a, (gv_str){ (const char *)e->data.scalar.value, e->data.scalar.length });
}

static int take_key(struct reader *r, struct level *top, const yaml_event_t *e, size_t line)
{
	if (e->type != YAML_SCALAR_EVENT)
		return wrong(r, line, "a key has to be a word");
	top->key = text_of(r->arena, e);
	top->key_line = (uint32_t)line;
	for (const struct gv_yaml *y = top->at->child; y; y = y->next)
		if (gv_eq(y->key, top->key)) {
			gv_printf(r->err, "%.*s:%zu: \"%.*s\" stands there twice (first in line %u)", GV_ARG(r->name),
				  line, GV_ARG(top->key), y->line);
			return -EINVAL;
		}
	if (top->at->n == GV_YAML_KEYS)
		return wrong(r, line, "too many keys");
	top->has_key = true;
	return 0;
}

static bool opens(const yaml_event_t *e)
{
	return e->type == YAML_MAPPING_START_EVENT || e->type == YAML_SEQUENCE_START_EVENT;
}

/* A new node, hung where it belongs. */
static int add(struct reader *r, const yaml_event_t *e, size_t line)
{
	struct level *top = r->depth ? &r->open[r->depth - 1] : NULL;
	struct gv_yaml *y;

	if (top && top->at->kind == GV_YAML_MAP && !top->has_key)
		return take_key(r, top, e, line);
	y = GV_NEW(r->arena, struct gv_yaml);
	y->line = top && top->has_key ? top->key_line : (uint32_t)line;
	if (e->type == YAML_SCALAR_EVENT) {
		y->text = text_of(r->arena, e);
		y->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	} else {
		y->kind = e->type == YAML_MAPPING_START_EVENT ? GV_YAML_MAP : GV_YAML_LIST;
	}
	if (top) {
		y->key = top->has_key ? top->key : GV_NONE;
		top->has_key = false;
		*(top->last ? &top->last->next : &top->at->child) = y;
		top->last = y;
		top->at->n++;
	} else {
		r->root = y;
	}
	if (!opens(e))
		return 0;
	if (r->depth == GV_YAML_DEPTH)
		return wrong(r, line, "nested too deeply");
	r->open[r->depth++] = (struct level){ .at = y };
	return 0;
}

static bool has_mark(const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		return e->data.scalar.anchor || e->data.scalar.tag;
	case YAML_MAPPING_START_EVENT:
		return e->data.mapping_start.anchor || e->data.mapping_start.tag;
	case YAML_SEQUENCE_START_EVENT:
		return e->data.sequence_start.anchor || e->data.sequence_start.tag;
	default:
		return e->type == YAML_ALIAS_EVENT;
	}
}

static int take(struct reader *r, const yaml_event_t *e)
{
	size_t line = e->start_mark.line + 1;

	if (has_mark(e))
		return wrong(r, line, "anchors, aliases and tags are not allowed");
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (r->had_document)
			return wrong(r, line, "a second document begins here; only one is allowed");
		r->had_document = true;
		return 0;
	case YAML_SCALAR_EVENT:
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		return add(r, e, line);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		r->depth--;
		return 0;
	default:
		return 0;
	}
}

/* libyaml reads ahead of what it parses, and of a wrong byte it tells the offset only. */
static size_t line_at(gv_str bytes, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset && i < bytes.n; i++)
		line += bytes.p[i] == '\n';
	return line;
}

static int syntax(const struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	bool byte = p->error == YAML_READER_ERROR;
	size_t line = byte ? line_at(r->bytes, p->problem_offset) : p->problem_mark.line + 1;

	if (p->error == YAML_MEMORY_ERROR)
		gv_oom();
	gv_printf(r->err, "%.*s:%zu: not valid YAML: %s", GV_ARG(r->name), line,
		  p->problem ? p->problem : "unknown error");
	if (!byte && p->context && p->context_mark.line + 1 != line)
		gv_printf(r->err, " (%s in line %zu)", p->context, p->context_mark.line + 1);
	return -EINVAL;
}

bool gv_yaml_there(void)
{
	return true;
}

int gv_yaml_parse(struct gv_arena *a, gv_str name, gv_str bytes, struct gv_yaml **ret_root, struct gv_buf *err)
{
	struct reader r = { .arena = a, .name = name, .bytes = bytes, .err = err };
	bool end = false;
	int ret = 0;

	if (!yaml_parser_initialize(&r.parser))
		gv_oom();
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)(bytes.n ? bytes.p : ""), bytes.n);
	while (!ret && !end) {
		yaml_event_t e;

		if (!yaml_parser_parse(&r.parser, &e)) {
			ret = syntax(&r);
			break;
		}
		end = e.type == YAML_STREAM_END_EVENT;
		ret = take(&r, &e);
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&r.parser);
	if (!ret)
		*ret_root = r.root && gv_yaml_empty(r.root) ? NULL : r.root;
	return ret;
}

#else

bool gv_yaml_there(void)
{
	return false;
}

int gv_yaml_parse(struct gv_arena *a, gv_str name, gv_str bytes, struct gv_yaml **ret_root, struct gv_buf *err)
{
	gv_printf(err, "%.*s: this build of gpuvet cannot read YAML (it was built without libyaml)", GV_ARG(name));
	return -ENOTSUP;
}

#endif
