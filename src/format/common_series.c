/* SPDX-License-Identifier: Apache-2.0 */
#include "format/common_series.h"

#include <math.h>

#define WINDOW 0.5     /* seconds */
#define SHORTEST 0.1   /* seconds: what was seen in less is as one moment */
#define WINDOWS 240    /* at most, of one thing */
#define SAMPLES 16384  /* at most, of all things in a document; never fewer than four windows */
#define LONGEST 1e10   /* seconds since boot: beyond it the number is no uptime */
#define COUNTERS 16384 /* rows with a name of their own */

bool gv_shot_head(gv_str text, double *ret_t, gv_str *ret_path)
{
	gv_str rest, path;
	double t;

	if (text.n < 4 || text.p[0] != '@' || text.p[1] < '0' || text.p[1] > '9')
		return false;
	if (!gv_lead_num(gv_from(text, 1), &t, &rest) || !(t >= 0 && t < LONGEST))
		return false;
	path = gv_trim(rest);
	if (!rest.n || rest.p[0] != ' ' || !path.n || path.p[0] != '/')
		return false;
	*ret_t = t;
	*ret_path = path;
	return true;
}

size_t gv_shots_extent(const struct gv_line *l, size_t n, const char *path, bool (*is_content)(gv_str text))
{
	gv_str ours = GV_NONE, p;
	size_t end = 0;
	double t;

	if (gv_shot_head(l[0].text, &t, &ours)) {
		if (!gv_ends(ours, path))
			return 0;
		end = 1;
	}
	for (size_t i = end; i < n; i++) {
		if (gv_shot_head(l[i].text, &t, &p)) {
			if (!ours.n || !gv_eq(p, ours))
				break;
		} else if (ours.n && gv_blank_line(&l[i])) {
			continue;
		} else if (gv_blank_line(&l[i]) || !is_content(l[i].text) ||
			   (l[i].flags & (GV_LINE_PROMPT | GV_LINE_FENCE))) {
			break;
		}
		end = i + 1;
	}
	return end;
}

static size_t words_of(gv_str s)
{
	return gv_words(s, NULL, 0);
}

/* A document may end anywhere. The last snapshot of several counts where its last line is ended and it is as long as
 * the one before: a thing that went just then is not missed. */
static bool cut(const struct gv_read *r, const struct gv_shots *s)
{
	const struct gv_shot *last = &s->v[s->n - 1], *prev;
	const struct gv_line *end;

	if (s->n < 2)
		return false;
	prev = last - 1;
	if (last->n < prev->n)
		return true;
	if (!last->n)
		return false;
	end = &s->l[last->first + last->n - 1];
	/* the text ends with this line, and not with its '\n' */
	if (r->doc->text.n && end->raw.p + end->raw.n == r->doc->text.p + r->doc->text.n)
		return true;
	return words_of(end->text) < words_of(s->l[prev->first + last->n - 1].text);
}

static void find_shots(struct gv_read *r, struct gv_shots *s, size_t n)
{
	GV_VEC(struct gv_shot) v = { 0 };
	double newest = -1, t;
	gv_str path;

	for (size_t i = 0; i < n; i++) {
		struct gv_shot *last;

		if (gv_shot_head(s->l[i].text, &t, &path)) {
			s->path = path;
			*gv_push(r->arena, &v) = (struct gv_shot){ t, i + 1, 0 };
			continue;
		}
		if (!v.n)
			*gv_push(r->arena, &v) = (struct gv_shot){ NAN, i, 0 };
		last = &v.v[v.n - 1];
		if (gv_trim(s->l[i].text).n)
			last->n = i + 1 - last->first;
	}
	s->v = v.v;
	s->n = v.n;
	if (s->n && cut(r, s))
		s->n--;
	/* only what is newer than all before it, and has content */
	v.n = s->n;
	s->n = 0;
	for (size_t i = 0; i < v.n; i++) {
		if (!v.v[i].n || v.v[i].t <= newest)
			continue;
		newest = v.v[i].t;
		s->v[s->n++] = v.v[i];
	}
}

/* As many windows as fit, of equal length, over all that was seen. */
static void find_edges(struct gv_read *r, struct gv_shots *s, size_t rows)
{
	double span = s->v[s->n - 1].t - s->v[0].t, count = floor(span / WINDOW + 0.1), most, step;
	size_t k = 1;

	rows = rows ? rows : s->v[0].n;
	most = SAMPLES / (double)rows;
	most = most > WINDOWS ? WINDOWS : most < 4 ? 4 : floor(most);
	count = count > most ? most : count >= 1 ? count : 1;
	step = span / count;
	s->edge = GV_NEWN(r->arena, size_t, (size_t)count + 2);
	s->nedges = 1;
	if (span < SHORTEST)
		return;
	for (size_t i = 1; i < s->n && s->nedges < (size_t)count + 1; i++) {
		double from_start = s->v[i].t - s->v[0].t;

		if (from_start < ((double)k - 0.1) * step && i + 1 < s->n)
			continue;
		s->edge[s->nedges++] = i;
		k = (size_t)(from_start / step + 0.1) + 1;
	}
}

void gv_shots_read(struct gv_read *r, const struct gv_line *l, size_t n, size_t rows, struct gv_shots *ret)
{
	*ret = (struct gv_shots){ .l = l };
	find_shots(r, ret, n);
	if (!ret->n)
		return;
	find_edges(r, ret, rows);
	if (!isnan(ret->v[0].t))
		r->block->when = (struct gv_time){ .t = ret->v[ret->n - 1].t, .clock = GV_CLOCK_BOOT };
}

double gv_shots_window(const struct gv_shots *s, size_t k)
{
	return s->v[s->edge[k]].t - s->v[s->edge[k - 1]].t;
}

uint32_t gv_shots_sample(const struct gv_shots *s, size_t k)
{
	(void)s;
	return k ? (uint32_t)k - 1 : 0;
}

uint32_t gv_shots_ms(const struct gv_shots *s, size_t k)
{
	double ms = k < s->nedges ? (s->v[s->edge[k]].t - s->v[0].t) * 1000 : 0;

	return ms > 0 && ms < UINT32_MAX ? (uint32_t)(ms + 0.5) : 0;
}

void gv_shots_put(struct gv_read *r, const struct gv_shots *s, size_t k, struct gv_entity *e, enum gv_fact f, double v,
		  const struct gv_line *l)
{
	gv_put_nth(r, e, f, v, gv_shots_sample(s, k), gv_shots_ms(s, k), l);
}

struct gv_counter *gv_counter_take(struct gv_counters *c, size_t k, gv_str name, const uint64_t *v, size_t n,
				   bool *ret_rate)
{
	struct gv_counter *x = gv_map_get(&c->by, name);

	*ret_rate = false;
	if (!x) {
		if (c->n >= COUNTERS)
			return NULL;
		c->n++;
		x = GV_NEW(c->by.arena, struct gv_counter);
		x->name = name;
		*gv_map_put(&c->by, name) = x;
	}
	n = n < GV_COUNTERS ? n : GV_COUNTERS;
	*ret_rate = k && x->edge == k && x->n == n;
	memcpy(x->old, x->now, sizeof(x->old));
	memcpy(x->now, v, n * sizeof(v[0]));
	x->n = n;
	x->edge = k + 1;
	return x;
}

bool gv_counter_delta(const struct gv_counter *c, size_t i, double *ret)
{
	if (i >= c->n || c->now[i] < c->old[i])
		return false;
	*ret = (double)(c->now[i] - c->old[i]);
	return true;
}

size_t gv_counter_words(const gv_str *words, size_t nwords, size_t from, uint64_t *ret)
{
	size_t n = 0;

	while (from + n < nwords && n < GV_COUNTERS && gv_to_u64(words[from + n], &ret[n]))
		n++;
	return n;
}
