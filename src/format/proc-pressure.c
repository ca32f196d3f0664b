/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/pressure/{cpu,io,memory}: the share of time in which tasks waited. Which resource a line is about stands in the
 * path of its snapshot, of grep or head, or in the command. A series gives what the totals grew by; one snapshot,
 * avg10.
 *
 * Source: Linux, Documentation/accounting/psi.rst. Totals are in microseconds. `full` of cpu is always 0 for a machine.
 */
#include "format/common_series.h"

static const char *const paths[] = { "/proc/pressure/cpu", "/proc/pressure/io", "/proc/pressure/memory" };
#define PATHS (sizeof(paths) / sizeof(paths[0]))

static const enum gv_fact some_fact[PATHS] = { GV_F_PRESSURE_CPU, GV_F_PRESSURE_IO, GV_F_PRESSURE_MEM };
static const enum gv_fact full_fact[PATHS] = { GV_FACTS, GV_F_PRESSURE_IO_FULL, GV_F_PRESSURE_MEM_FULL };

struct row {
	bool full;
	double avg10;
	uint64_t total;
};

static size_t path_in(gv_str s)
{
	for (size_t i = 0; i < PATHS; i++)
		if (gv_has(s, paths[i]))
			return i;
	return PATHS;
}

/* "some avg10=69.47 avg60=48.49 avg300=19.21 total=6825198117", perhaps with "/proc/pressure/cpu:" in front */
static bool parse(gv_str text, struct row *ret)
{
	ptrdiff_t colon = gv_starts(text, "/proc/pressure/") ? gv_find_c(text, ':') : -1;
	gv_str w[6];

	if (colon > 0)
		text = gv_from(text, (size_t)colon + 1);
	if (gv_words(text, w, 6) != 5 || !(gv_is(w[0], "some") || gv_is(w[0], "full")))
		return false;
	ret->full = gv_is(w[0], "full");
	return gv_starts(w[1], "avg10=") && gv_to_num(gv_from(w[1], 6), &ret->avg10) && gv_starts(w[4], "total=") &&
	       gv_to_u64(gv_from(w[4], 6), &ret->total) && ret->avg10 >= 0 && ret->avg10 <= 100;
}

static bool is_name(gv_str text)
{
	return gv_starts(text, "==> /proc/pressure/") && gv_ends(text, " <==");
}

static bool is_content(gv_str text)
{
	return gv_starts(text, "some") || gv_starts(text, "full");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t end = 0, i;
	struct row row;
	gv_str path;
	double t;

	(void)seg;
	if (gv_shot_head(l[0].text, &t, &path)) {
		for (i = 0; i < PATHS && !end; i++)
			end = gv_shots_extent(l, n, paths[i], is_content);
		return end;
	}
	for (i = 0; i < n && (parse(l[i].text, &row) || is_name(l[i].text) || (end && gv_blank_line(&l[i]))); i++)
		if (!gv_blank_line(&l[i]))
			end = i + 1;
	return end;
}

/* Shares since the edge before. */
static void read_series(struct gv_read *r, const struct gv_shots *s, size_t which)
{
	struct gv_counters c = { .by = { .arena = r->arena } };

	for (size_t k = 0; k < s->nedges; k++) {
		const struct gv_shot *shot = &s->v[s->edge[k]];

		for (size_t i = shot->first; i < shot->first + shot->n; i++) {
			const struct gv_line *l = &s->l[i];
			struct gv_counter *x;
			struct row row;
			enum gv_fact f;
			bool rate;
			double us, v;

			if (!parse(l->text, &row))
				continue;
			f = row.full ? full_fact[which] : some_fact[which];
			x = gv_counter_take(&c, k, row.full ? GV_STR("full") : GV_STR("some"), &row.total, 1, &rate);
			if (f == GV_FACTS || !x || !rate || !gv_counter_delta(x, 0, &us))
				continue;
			v = us / 1e4 / gv_shots_window(s, k);
			gv_shots_put(r, s, k, gv_see_node(r), f, v > 100 ? 100 : v, l);
		}
	}
}

/* Which file a single snapshot is of: the path on or above the line, else in a command that names one file. */
static void read_single(struct gv_read *r, const struct gv_line *l, size_t n, size_t which)
{
	for (size_t i = 0; i < n; i++) {
		size_t named = path_in(l[i].text);
		struct row row;
		enum gv_fact f;

		which = named < PATHS ? named : which;
		if (which == PATHS || !parse(l[i].text, &row))
			continue;
		f = row.full ? full_fact[which] : some_fact[which];
		if (f != GV_FACTS)
			gv_put_num(r, gv_see_node(r), f, row.avg10, &l[i]);
	}
}

static size_t by_command(const struct gv_seg *seg)
{
	size_t which = PATHS, named = 0;

	for (size_t i = 0; seg && i < PATHS; i++)
		if (gv_has(seg->cmd, paths[i])) {
			which = i;
			named++;
		}
	return named == 1 ? which : PATHS;
}

static void read_pressure(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_shots s;

	gv_shots_read(r, l, n, 0, &s);
	if (s.nedges > 1 && path_in(s.path) < PATHS)
		read_series(r, &s, path_in(s.path));
	else if (s.path.n && s.n)
		read_single(r, l + s.v[0].first, s.v[0].n, path_in(s.path));
	else
		read_single(r, l, n, by_command(r->block->seg));
}

const struct gv_format gv_format_proc_pressure = {
	.name = "/proc/pressure",
	.heads = { "/proc/pressure/", "some avg10=", "full avg10=" },
	.claim = claim,
	.read = read_pressure,
};
