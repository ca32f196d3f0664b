/* SPDX-License-Identifier: Apache-2.0 */
/* What the reports share, the looks of text excepted (width.c). */
#include "report/common.h"

#include <math.h>

const struct gv_line *gv_line_at(struct gv_place at)
{
	const struct gv_doc *d = at.doc;
	size_t lo = 0, hi;

	if (!d || !at.line)
		return NULL;
	/* Almost always line N is entry N - 1. */
	if (at.line <= d->nlines && d->lines[at.line - 1].no == at.line)
		return &d->lines[at.line - 1];
	hi = d->nlines;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->lines[mid].no < at.line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < d->nlines && d->lines[lo].no == at.line ? &d->lines[lo] : NULL;
}

gv_str gv_piece(gv_str raw, size_t max, bool *ret_cut)
{
	gv_str s = gv_trim(raw);
	size_t chars = 0, keep = s.n; /* keep: where character max - 1 begins */

	*ret_cut = false;
	for (size_t i = 0; i < s.n; i++) {
		if (((unsigned char)s.p[i] & 0xc0) == 0x80)
			continue;
		if (chars == max - 1)
			keep = i;
		if (++chars > max) {
			*ret_cut = true;
			return gv_sub(s, 0, keep);
		}
	}
	return s;
}

/* Year, month and day of a number of days since 1970-01-01. */
static void civil(int64_t days, int64_t *y, unsigned *m, unsigned *d)
{
	int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
	unsigned doe = (unsigned)(z - era * 146097);
	unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;

	*d = doy - (153 * mp + 2) / 5 + 1;
	*m = mp < 10 ? mp + 3 : mp - 9;
	*y = (int64_t)yoe + era * 400 + (*m <= 2);
}

bool gv_when_dated(struct gv_time t)
{
	return t.clock == GV_CLOCK_WALL && t.year && t.t > -6e10 && t.t < 2.5e11; /* years 69 to 9892 */
}

bool gv_when_text(struct gv_buf *out, struct gv_time t)
{
	int64_t s, day, y;
	unsigned m, d, sec;

	if (t.clock == GV_CLOCK_BOOT && isfinite(t.t)) {
		gv_printf(out, "boot+%.3fs", t.t);
		return true;
	}
	if (t.clock != GV_CLOCK_WALL || !(t.t > -6e10 && t.t < 2.5e11))
		return false;
	s = (int64_t)floor(t.t);
	day = s / 86400 - (s % 86400 < 0);
	sec = (unsigned)(s - day * 86400);
	civil(day, &y, &m, &d);
	if (t.year)
		gv_printf(out, "%04lld-%02u-%02u", (long long)y, m, d);
	else
		gv_printf(out, "--%02u-%02u", m, d);
	gv_printf(out, "T%02u:%02u:%02u%s", sec / 3600, sec / 60 % 60, sec % 60, t.zone ? "Z" : "");
	return true;
}

void gv_put_number(struct gv_buf *out, double v)
{
	if (floor(v) == v && fabs(v) < 1e15)
		gv_printf(out, "%.0f", v);
	else
		gv_printf(out, "%.6g", v);
}

void gv_json_place(struct gv_json *j, struct gv_place at)
{
	const struct gv_line *l = gv_line_at(at);
	struct gv_buf b = { 0 };
	bool cut;

	if (!l)
		return;
	gv_put(&b, gv_piece(l->raw, GV_PIECE, &cut));
	if (cut)
		gv_puts(&b, "…");
	gv_json_obj(j);
	gv_json_key(j, "file");
	gv_json_str(j, at.doc->name);
	gv_json_key(j, "line");
	gv_json_u64(j, at.line);
	gv_json_key(j, "text");
	gv_json_str(j, gv_buf_str(&b));
	gv_json_end(j);
	gv_buf_free(&b);
}

static void entity_keys(struct gv_json *j, const struct gv_entity *e)
{
	gv_json_some(j, "node", e->node ? e->node->id : e->kind == GV_NODE ? e->id : GV_NONE);
	gv_json_key(j, "type");
	gv_json_strz(j, gv_entity_name[e->kind]);
	gv_json_some(j, "id", e->id);
}

void gv_json_on(struct gv_json *j, const struct gv_entity *e, const struct gv_entity *const *also, size_t n)
{
	if (!e) {
		gv_json_null(j);
		return;
	}
	gv_json_obj(j);
	entity_keys(j, e);
	if (n) {
		gv_json_key(j, "also");
		gv_json_arr(j);
		for (size_t i = 0; i < n; i++) {
			gv_json_obj(j);
			entity_keys(j, also[i]);
			gv_json_end(j);
		}
		gv_json_end(j);
	}
	gv_json_end(j);
}

void gv_json_some(struct gv_json *j, const char *key, gv_str s)
{
	gv_json_key(j, key);
	if (s.n)
		gv_json_str(j, s);
	else
		gv_json_null(j);
}

void gv_json_when(struct gv_json *j, const char *key, struct gv_time t)
{
	struct gv_buf b = { 0 };

	gv_when_text(&b, t);
	gv_json_some(j, key, gv_buf_str(&b));
	gv_buf_free(&b);
}

/* {name: first, "why": second} */
static void put_reason(struct gv_json *j, const char *name, gv_str first, gv_str why)
{
	gv_json_obj(j);
	gv_json_key(j, name);
	gv_json_str(j, first);
	gv_json_key(j, "why");
	gv_json_str(j, why);
	gv_json_end(j);
}

void gv_json_unread(struct gv_json *j, const struct gv_run *run)
{
	gv_json_key(j, "unread");
	gv_json_arr(j);
	for (size_t i = 0; i < run->unread.n; i++)
		put_reason(j, "file", run->unread.v[i].file, run->unread.v[i].why);
	gv_json_end(j);
}

void gv_json_remarks(struct gv_json *j, const struct gv_run *run)
{
	gv_json_key(j, "remarks");
	gv_json_arr(j);
	for (size_t i = 0; i < run->remarks.n; i++)
		put_reason(j, "what", run->remarks.v[i].what, run->remarks.v[i].why);
	gv_json_end(j);
}

/* An output that lists all GPUs of a machine, other than those that state their count. */
static bool lists_all(const struct gv_run *run, const struct gv_entity *node)
{
	static const char *const tools[] = { "amd-smi", "rocm-smi", "xpu-smi", "hl-smi" };

	for (const struct gv_block *b = NULL; (b = gv_each_block_on(node, b));)
		for (size_t i = 0; b->tool && !b->container && i < sizeof(tools) / sizeof(tools[0]); i++)
			if (gv_starts(gv_str_of(b->tool), tools[i]))
				return gv_count(run, GV_GPU, node) > 0;
	return false;
}

long gv_gpu_total(const struct gv_run *run, const struct gv_entity *node, bool *ret_sure)
{
	size_t seen = gv_count(run, GV_GPU, node);
	double listed = -1, capacity = -1;

	if (!gv_num(node, GV_F_GPU_COUNT, &listed))
		gv_num(node, GV_F_GPU_ON_BUS, &listed);
	gv_num(node, GV_F_K8S_CAPACITY, &capacity);
	if (!(listed >= 0) || (capacity > listed && seen > listed))
		listed = capacity;
	*ret_sure = (listed >= 0 && listed < 1e6) || lists_all(run, node);
	/* The tool's own count may be lower than what the bus, the logs and the tool show together. */
	if (!(listed >= 0 && listed < 1e6))
		return seen ? (long)seen : -1;
	return (size_t)listed > seen ? (long)listed : (long)seen;
}

const char *gv_vendor_word(const struct gv_run *run, const struct gv_entity *node)
{
	bool sure;

	switch (gv_vendors(run, node)) {
	case 0:
		return gv_gpu_total(run, node, &sure) == 0 ? "none" : NULL;
	case GV_NVIDIA:
		return "nvidia";
	case GV_AMD:
		return "amd";
	case GV_INTEL:
		return "intel";
	default:
		return "mixed";
	}
}

struct span {
	struct gv_time from, to;
	bool any;
};

static void widen(struct span *s, struct gv_time t)
{
	if (!gv_when_dated(t))
		return;
	if (!s->any || t.t < s->from.t)
		s->from = t;
	if (!s->any || t.t > s->to.t)
		s->to = t;
	s->any = true;
}

bool gv_span(const struct gv_run *run, const struct gv_entity *node, struct gv_time *ret_from, struct gv_time *ret_to)
{
	struct span s = { 0 };

	for (const struct gv_block *b = NULL; (b = gv_each_block_on(node, b));)
		widen(&s, b->when);
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(node, ev));) {
		widen(&s, ev->t_first);
		widen(&s, ev->t_last);
	}
	if (!s.any)
		return false;
	*ret_from = s.from;
	*ret_to = s.to;
	return true;
}
