/* SPDX-License-Identifier: Apache-2.0 */
#include "core/finding.h"

#include <string.h>

#define FAIL GV_FAIL
#define WARN GV_WARN
#define NOTE GV_NOTE
#define CODE GV_CODE
const struct gv_kind_info gv_kind_info[GV_KINDS] = {
#define KIND(ID, name, stage, severity, bound, meaning)                                                                \
	[GV_K_##ID] = { name, GV_STAGE_##stage, severity, GV_BOUND_##bound, meaning },
#include "core/kind.def"
#undef KIND
};

const char *const gv_stage_name[GV_STAGES] = { "visible", "stack", "busy", "fed", "scaling", "scheduler", "serving" };
const char *const gv_severity_name[] = { "note", "warn", "fail" };
const char *const gv_confidence_name[] = { "low", "medium", "high" };
const char *const gv_when_name[] = { "history", "recent", "now" };
const char *const gv_bound_name[] = { "unknown",  "input",    "compute",  "memory", "communication",
				      "overhead", "transfer", "throttle", "idle",   "unknown" };

int gv_kind_by_name(gv_str name)
{
	for (int k = 0; k < GV_KINDS; k++)
		if (name.n && *name.p == *gv_kind_info[k].name && gv_is(name, gv_kind_info[k].name))
			return k; /* most differ in the first letter, and all signatures ask at the start */
	return -1;
}

static const struct gv_value *value_of(const struct gv_value *v, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(v[i].name) == len && memcmp(v[i].name, name, len) == 0)
			return &v[i];
	return NULL;
}

static void put(char *out, size_t *at, gv_str s)
{
	if (out && s.n)
		memcpy(out + *at, s.p, s.n);
	*at += s.n;
}

/* What stands between { and }: "name", or "count|line" and "count|process|processes": the value and a word in the form
 * that the number asks for. False where there is no such value. */
static bool expand_value(gv_str inner, const struct gv_value *v, size_t n, char *out, size_t *at)
{
	gv_str rest = inner, name = GV_NONE, one = GV_NONE, many = GV_NONE;
	const struct gv_value *x;
	bool several;

	gv_next(&rest, '|', &name);
	gv_next(&rest, '|', &one);
	gv_next(&rest, '|', &many);
	x = value_of(v, n, name.p, name.n);
	if (!x)
		return false;
	put(out, at, x->text);
	if (!one.n)
		return true;
	several = !gv_is(x->text, "1");
	put(out, at, GV_STR(" "));
	put(out, at, several && many.n ? many : one);
	if (several && !many.n)
		put(out, at, GV_STR("s"));
	return true;
}

/* Expands tmpl[0..len) into out (NULL: only measures); *missing is set where a value is not there. */
static size_t expand(const char *tmpl, size_t len, const struct gv_value *v, size_t n, char *out, bool *missing)
{
	size_t at = 0;

	for (size_t i = 0; i < len; i++) {
		const char *end;

		if (tmpl[i] == '{' && (end = memchr(tmpl + i, '}', len - i))) {
			gv_str inner = { tmpl + i + 1, (size_t)(end - tmpl) - i - 1 };

			if (!expand_value(inner, v, n, out, &at))
				*missing = true;
			i = (size_t)(end - tmpl);
		} else if (tmpl[i] == '[' && (end = memchr(tmpl + i, ']', len - i))) {
			size_t inner = (size_t)(end - tmpl) - i - 1, m;
			bool gone = false;

			m = expand(tmpl + i + 1, inner, v, n, NULL, &gone);
			if (!gone && out)
				expand(tmpl + i + 1, inner, v, n, out + at, &gone);
			at += gone ? 0 : m;
			i = (size_t)(end - tmpl);
		} else {
			put(out, &at, (gv_str){ tmpl + i, 1 });
		}
	}
	return at;
}

gv_str gv_template(struct gv_arena *a, const char *tmpl, const struct gv_value *v, size_t n)
{
	size_t len = tmpl ? strlen(tmpl) : 0;
	bool missing = false;
	size_t size = expand(tmpl, len, v, n, NULL, &missing);
	char *p = gv_alloc(a, size + 1);

	expand(tmpl, len, v, n, p, &missing);
	return (gv_str){ p, size };
}
