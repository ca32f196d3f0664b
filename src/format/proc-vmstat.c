/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/vmstat: counters of the memory manager since boot, a key and a number a line; whole or in single lines, with
 * the path in front from grep.
 *
 * Source: Linux, mm/vmstat.c. Swap traffic is counted in pages, whose size is not in the file: 4 KiB is taken, which on
 * kernels with larger pages is too little. */
#include "format/common_series.h"

#define PAGE_KB 4

static const struct {
	const char *key;
	enum gv_fact fact;
	double by; /* a second; 0: the counter itself */
	bool page; /* also kept as an average since boot */
} kept[] = {
	{ "pswpin", GV_F_SWAP_IN, PAGE_KB, true },
	{ "pswpout", GV_F_SWAP_OUT, PAGE_KB, true },
	{ "pgmajfault", GV_F_MAJOR_FAULTS, 1, false },
	{ "oom_kill", GV_F_OOM_KILLS, 0, false },
};
#define KEPT (sizeof(kept) / sizeof(kept[0]))

/* "pswpin 1234", "/proc/vmstat:pswpin 1234" */
static bool entry(gv_str text, gv_str *ret_key, uint64_t *ret)
{
	gv_str w[3];

	if (gv_words(text, w, 3) != 2)
		return false;
	if (gv_starts(w[0], "/proc/vmstat:"))
		w[0] = gv_from(w[0], 13);
	for (size_t i = 0; i < w[0].n; i++) {
		char c = w[0].p[i];

		if (!((c >= 'a' && c <= 'z') || (i && ((c >= '0' && c <= '9') || c == '_'))))
			return false;
	}
	*ret_key = w[0];
	return w[0].n && w[0].n < 64 && gv_to_u64(w[1], ret);
}

/* A line that was cut off has a key alone. */
static bool is_content(gv_str text)
{
	gv_str key, w[2];
	uint64_t v;

	return entry(text, &key, &v) || gv_words(text, w, 2) == 1;
}

static size_t known(gv_str key)
{
	for (size_t i = 0; i < KEPT; i++)
		if (gv_is(key, kept[i].key))
			return i;
	return SIZE_MAX;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str key, path;
	uint64_t v;
	double t;

	if (gv_shot_head(l[0].text, &t, &path))
		return gv_shots_extent(l, n, "/proc/vmstat", is_content);
	if (!entry(l[0].text, &key, &v))
		return 0;
	if (known(key) == SIZE_MAX && !gv_is(key, "nr_free_pages") && !(seg && gv_has(seg->cmd, "/proc/vmstat")))
		return 0;
	return gv_shots_extent(l, n, "/proc/vmstat", is_content);
}

struct reading {
	struct gv_read *r;
	struct gv_entity *node;
	struct gv_shots shots;
	struct gv_counters keys;
	size_t k; /* edge at hand */
	bool boot, any;
	const struct gv_line *last;
};

static void read_entry(struct reading *x, size_t i, gv_str key, uint64_t v, const struct gv_line *l)
{
	bool rate;
	struct gv_counter *c = gv_counter_take(&x->keys, x->k, key, &v, 1, &rate);
	double d, s = x->boot ? x->shots.v[0].t : x->k ? gv_shots_window(&x->shots, x->k) : 0;

	if (!c)
		return;
	if (!kept[i].by) {
		if (x->k + 1 == x->shots.nedges)
			gv_put_num(x->r, x->node, kept[i].fact, (double)v, l);
		return;
	}
	if (x->boot ? !kept[i].page : !rate)
		return;
	if (x->boot)
		d = (double)v;
	else if (!gv_counter_delta(c, 0, &d))
		return;
	if (!(s > 0))
		return;
	gv_shots_put(x->r, &x->shots, x->k, x->node, kept[i].fact, d * kept[i].by / s, l);
	if (kept[i].page) {
		x->any = true;
		x->last = l;
	}
}

static void read_vmstat(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading x = { .r = r, .node = gv_see_node(r), .keys = { .by = { .arena = r->arena } } };

	gv_shots_read(r, l, n, KEPT, &x.shots);
	x.boot = x.shots.nedges == 1;
	for (x.k = 0; x.k < x.shots.nedges; x.k++) {
		const struct gv_shot *s = &x.shots.v[x.shots.edge[x.k]];

		for (size_t i = s->first; i < s->first + s->n; i++) {
			gv_str key;
			uint64_t v;

			if (entry(l[i].text, &key, &v) && known(key) != SIZE_MAX)
				read_entry(&x, known(key), key, v, &l[i]);
		}
	}
	if (x.any)
		gv_put_flag(r, x.node, GV_F_VM_SINCE_BOOT, x.boot, x.last);
}

const struct gv_format gv_format_proc_vmstat = {
	.name = "/proc/vmstat",
	.heads = { "/proc/vmstat", "nr_free_pages ", "pswpin ", "pswpout ", "pgmajfault ", "oom_kill " },
	.cmds = { "/proc/vmstat" },
	.claim = claim,
	.read = read_vmstat,
};
