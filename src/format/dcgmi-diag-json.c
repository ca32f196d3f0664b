/* SPDX-License-Identifier: Apache-2.0 */
/* dcgmi diag -j. DCGM 1 to 3 call the whole "DCGM GPU Diagnostic", 4 "DCGM Diagnostic"; categories hold tests, tests
 * hold results, one for each GPU or for all, with messages as a text, a list of texts, or a list of objects. */
#include "format/common_dcgm.h"
#include "format/common_json.h"

#define MESSAGES 64

struct diag {
	struct gv_read *r;
	struct gv_json_walk w;
	gv_str test;
	unsigned tests;	 /* the level in which objects are tests; 0 outside of them */
	unsigned result; /* the level of the result at hand; 0 where none is */
	gv_str status, about, worst;
	bool other; /* it is of a switch or CPU */
	const struct gv_line *worst_at;
	struct {
		gv_str text;
		const struct gv_line *l;
	} message[MESSAGES];
	size_t messages;
};

static const char *const names[] = { "\"DCGM GPU Diagnostic\"", "\"DCGM Diagnostic\"" };

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str t = gv_trim(l[0].text);

	(void)seg;
	for (size_t i = 0; i < 2; i++)
		if (gv_starts(t, names[i]) || (gv_starts(t, "{") && gv_has(t, names[i])))
			return gv_json_extent(l, n);
	return 0;
}

static void finish_result(struct diag *d)
{
	int rank = gv_dcgm_rank(d->status);

	for (size_t i = 0; rank >= gv_dcgm_rank(GV_STR("Warn")) && i < d->messages; i++)
		gv_put_dcgm_says(d->r, false, d->message[i].text, d->other ? GV_NONE : d->about, d->message[i].l);
	d->messages = 0;
	d->status = d->about = GV_NONE;
	d->other = false;
	d->result = 0;
}

static void finish_test(struct diag *d)
{
	gv_put_dcgm_result(d->r, d->test, "dcgmi diag", d->worst, d->worst_at);
	d->test = d->worst = GV_NONE;
}

static void read_text(struct diag *d, gv_str name, gv_str v)
{
	const struct gv_line *l = gv_json_line(&d->w);

	if (gv_is(name, "Driver Version Detected")) {
		gv_put_str(d->r, gv_see_node(d->r), GV_F_DRIVER_KERNEL, v, l);
	} else if (gv_is(name, "name") && d->tests && d->w.in.depth == d->tests) {
		d->test = v;
	} else if (gv_is(name, "status") && d->tests) {
		if (d->result)
			d->status = v;
		if (gv_dcgm_rank(v) > gv_dcgm_rank(d->worst)) {
			d->worst = v;
			d->worst_at = l;
		}
	} else if (d->result && gv_is(name, "entity_group")) {
		d->other = !gv_is(v, "GPU");
	} else if (d->result && (gv_is(name, "gpu_id") || gv_is(name, "gpu_ids") || gv_is(name, "entity_id"))) {
		d->about = gv_has(v, ",") ? GV_NONE : v;
	} else if (d->result && gv_starts(name, "warning") && d->messages < MESSAGES) {
		d->message[d->messages].text = v;
		d->message[d->messages++].l = l;
	}
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct diag d = { .r = r };
	enum gv_json_kind k;

	gv_json_walk(r->arena, &d.w, l, n);
	while ((k = gv_json_step(&d.w)) != GV_JSON_END && k != GV_JSON_ERROR) {
		unsigned depth = d.w.in.depth;
		gv_str name = gv_json_name(&d.w);

		if (k == GV_JSON_ARR && gv_is(name, "tests"))
			d.tests = depth + 1;
		else if (k == GV_JSON_OBJ && d.tests && !d.result && depth == d.tests + 2 && gv_is(name, "results"))
			d.result = depth;
		else if (k == GV_JSON_STR || k == GV_JSON_NUM)
			read_text(&d, name, gv_json_text(&d.w));
		else if (k == GV_JSON_OBJ_END && d.result && depth < d.result)
			finish_result(&d);
		else if (k == GV_JSON_OBJ_END && d.tests && depth + 1 == d.tests)
			finish_test(&d);
		else if (k == GV_JSON_ARR_END && d.tests && depth + 1 < d.tests)
			d.tests = 0;
	}
	if (d.result)
		finish_result(&d);
	finish_test(&d);
}

const struct gv_format gv_format_dcgmi_diag_json = {
	.name = "dcgmi diag -j",
	.heads = { "\"DCGM GPU Diagnostic\"", "\"DCGM Diagnostic\"" },
	.claim = claim,
	.read = read,
};
