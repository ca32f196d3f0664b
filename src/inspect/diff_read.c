/* SPDX-License-Identifier: Apache-2.0 */
/* An inventory that an earlier run wrote as JSON, for comparisons. Members that are not needed, or not known, are
 * passed over. */
#include "inspect/diff.h"

#include <errno.h>
#include <stddef.h>

#include "base/json.h"

#define SCHEMA "gpuvet.inventory.v1"
#define ENTRIES_MAX ((size_t)4 << 20)

bool gv_saved_is(gv_str text)
{
	gv_str head = gv_sub(text, 0, 200);

	return gv_starts(gv_trim(head), "{") && gv_has(head, "\"" SCHEMA "\"");
}

/* One entry of a list: its members as texts; numbers as they are written. */
struct entry {
	gv_str file, arch, name, via, vendor, kind, grade, eco, version, count, bytes;
	bool hidden;
};

static gv_str *member(struct entry *e, gv_str key)
{
	static const struct {
		const char *name;
		size_t at;
	} names[] = {
		{ "file", offsetof(struct entry, file) },	{ "arch", offsetof(struct entry, arch) },
		{ "name", offsetof(struct entry, name) },	{ "via", offsetof(struct entry, via) },
		{ "vendor", offsetof(struct entry, vendor) },	{ "kind", offsetof(struct entry, kind) },
		{ "grade", offsetof(struct entry, grade) },	{ "ecosystem", offsetof(struct entry, eco) },
		{ "version", offsetof(struct entry, version) }, { "count", offsetof(struct entry, count) },
		{ "bytes", offsetof(struct entry, bytes) },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (gv_is(key, names[i].name))
			return (gv_str *)(void *)((char *)e + names[i].at);
	return NULL;
}

static bool read_entry(struct gv_json_in *in, struct gv_arena *a, struct entry *ret)
{
	enum gv_json_kind k;

	*ret = (struct entry){ 0 };
	while ((k = gv_json_next(in)) == GV_JSON_KEY) {
		gv_str *to = member(ret, in->raw);
		bool visible = gv_is(in->raw, "visible");

		k = gv_json_next(in);
		ret->hidden |= visible && k == GV_JSON_FALSE;
		if (to && k == GV_JSON_STR)
			*to = in->escaped ? gv_json_unescape(a, in->raw) : in->raw;
		else if (to && k == GV_JSON_NUM)
			*to = in->raw;
		else if (!gv_json_skip(in, k))
			return false;
	}
	return k == GV_JSON_OBJ_END;
}

static int word(gv_str s, const char *const *words, int n)
{
	for (int i = 0; i < n; i++)
		if (gv_is(s, words[i]))
			return i;
	return -1;
}

static bool add_code(struct gv_saved *s, struct gv_arena *a, const struct entry *e)
{
	struct gv_saved_code c = {
		.file = e->file, .arch = e->arch, .vendor = gv_vendor_of(e->vendor), .hidden = e->hidden
	};
	int kind = word(e->kind, gv_code_kind_name, GV_CODE_KINDS);

	if (kind < 0 || !gv_to_u64(e->count, &c.count) || !gv_to_u64(e->bytes, &c.bytes))
		return false;
	c.kind = (enum gv_code_kind)kind;
	*gv_push(a, &s->code) = c;
	return true;
}

static bool add_library(struct gv_saved *s, struct gv_arena *a, const struct entry *e)
{
	int grade = word(e->grade, gv_grade_name, GV_GRADES);

	if (grade < 0 || !e->name.n)
		return false;
	if (!e->hidden)
		*gv_push(a, &s->libraries) = (struct gv_saved_library){ e->file, e->name, e->via,
									gv_vendor_of(e->vendor), (enum gv_grade)grade };
	return true;
}

static bool add_shipped(struct gv_saved *s, struct gv_arena *a, const struct entry *e)
{
	if (!e->hidden)
		*gv_push(a, &s->libraries) = (struct gv_saved_library){ e->file, gv_file_name(e->file), GV_NONE,
									gv_vendor_of(e->vendor), GV_GRADES };
	return e->file.n > 0;
}

static bool add_package(struct gv_saved *s, struct gv_arena *a, const struct entry *e)
{
	if (!e->name.n)
		return false;
	*gv_push(a, &s->packages) = (struct gv_saved_package){ e->eco, e->name, e->version };
	return true;
}

static bool read_list(struct gv_json_in *in, struct gv_arena *a, struct gv_saved *s,
		      bool (*one)(struct gv_saved *s, struct gv_arena *a, const struct entry *e))
{
	enum gv_json_kind k = gv_json_next(in);
	struct entry e;

	if (k != GV_JSON_ARR)
		return k == GV_JSON_NULL;
	for (size_t n = 0; (k = gv_json_next(in)) == GV_JSON_OBJ; n++)
		if (n == ENTRIES_MAX || !read_entry(in, a, &e) || !one(s, a, &e))
			return false;
	return k == GV_JSON_ARR_END;
}

static bool read_member(struct gv_json_in *in, struct gv_arena *a, struct gv_saved *s, bool *ret_known)
{
	gv_str key = in->raw;

	if (gv_is(key, "code"))
		return read_list(in, a, s, add_code);
	if (gv_is(key, "libraries"))
		return read_list(in, a, s, add_library);
	if (gv_is(key, "ships"))
		return read_list(in, a, s, add_shipped);
	if (gv_is(key, "packages"))
		return read_list(in, a, s, add_package);
	if (gv_is(key, "bytes"))
		return gv_json_next(in) == GV_JSON_NUM && gv_to_u64(in->raw, &s->bytes);
	if (gv_is(key, "schema")) {
		*ret_known = gv_json_next(in) == GV_JSON_STR && gv_is(in->raw, SCHEMA);
		return *ret_known;
	}
	return gv_json_skip(in, GV_JSON_KEY);
}

int gv_saved_read(struct gv_saved *ret, struct gv_arena *a, gv_str name, gv_str text, struct gv_buf *err)
{
	struct gv_json_in in = { .text = text };
	bool known = false, good = gv_json_next(&in) == GV_JSON_OBJ;
	enum gv_json_kind k = GV_JSON_OBJ;

	*ret = (struct gv_saved){ 0 };
	while (good && (k = gv_json_next(&in)) == GV_JSON_KEY)
		good = read_member(&in, a, ret, &known);
	if (good && known && k == GV_JSON_OBJ_END && gv_json_next(&in) == GV_JSON_END)
		return 0;
	gv_printf(err, "%.*s: no document of " SCHEMA "%s%s, at byte %zu", GV_ARG(name), in.error ? ": " : "",
		  in.error ? in.error : "", in.at);
	return -EINVAL;
}
