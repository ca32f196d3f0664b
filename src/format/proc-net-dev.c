/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/net/dev: counters of interfaces since they were made. Of a series the first and the last snapshot are kept.
 *
 * Source: Linux, net/core/net-procfs.c. `drop` on the receiving side holds what the kernel dropped and what the ring
 * missed. Columns are taken by the words of the header, whose two halves stand left and right of its second bar. */
#include "format/common_series.h"

#define COLUMNS 16

static bool is_head(gv_str text)
{
	gv_str t = gv_trim(text);

	return gv_starts(t, "Inter-|") || (gv_starts(t, "face |") && gv_has(t, "bytes"));
}

/* "  eth0: 376878886    9951 ...", in old kernels without a blank behind the colon. */
static bool row(gv_str text, gv_str *ret_name, uint64_t *ret_v, size_t *ret_n)
{
	gv_str t = gv_trim(text), w[COLUMNS];
	ptrdiff_t colon = gv_rfind(t, ":");
	size_t n;

	if (colon <= 0 || colon > 32 || gv_find_c(gv_sub(t, 0, (size_t)colon), ' ') >= 0)
		return false;
	n = gv_words(gv_from(t, (size_t)colon + 1), w, COLUMNS);
	*ret_name = gv_sub(t, 0, (size_t)colon);
	*ret_n = gv_counter_words(w, n < COLUMNS ? n : COLUMNS, 0, ret_v);
	return n > 0 && *ret_n == (n < COLUMNS ? n : COLUMNS);
}

static bool is_content(gv_str text)
{
	uint64_t v[GV_COUNTERS];
	gv_str name;
	size_t n;

	return is_head(text) || row(text, &name, v, &n) || gv_words(text, &name, 1) == 1;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str path;
	double t;

	(void)seg;
	if (!gv_shot_head(l[0].text, &t, &path) && !is_head(l[0].text))
		return 0;
	return gv_shots_extent(l, n, "/proc/net/dev", is_content);
}

/* The facts of the columns, from the header's words. */
struct columns {
	enum gv_fact fact[COLUMNS]; /* GV_FACTS: not kept */
	size_t n;
};

static void half(struct columns *c, gv_str words, bool rx)
{
	static const struct {
		const char *word;
		enum gv_fact rx, tx;
	} kept[] = {
		{ "bytes", GV_F_NIC_RX_BYTES, GV_F_NIC_TX_BYTES },
		{ "packets", GV_F_NIC_RX_PACKETS, GV_F_NIC_TX_PACKETS },
		{ "errs", GV_F_NIC_RX_ERRORS, GV_F_NIC_TX_ERRORS },
		{ "drop", GV_F_NIC_RX_DROPPED, GV_F_NIC_TX_DROPPED },
	};
	gv_str w;

	while (c->n < COLUMNS && gv_word(&words, &w)) {
		c->fact[c->n] = GV_FACTS;
		for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
			if (gv_is(w, kept[i].word))
				c->fact[c->n] = rx ? kept[i].rx : kept[i].tx;
		c->n++;
	}
}

static bool columns(struct columns *c, gv_str text)
{
	gv_str rest = gv_trim(text), face, rx;

	if (!gv_starts(rest, "face |") || !gv_next(&rest, '|', &face) || !gv_next(&rest, '|', &rx))
		return false;
	c->n = 0;
	half(c, rx, true);
	half(c, rest, false);
	return true;
}

static void read_row(struct gv_read *r, uint32_t sample, uint32_t ms, const struct columns *c, struct gv_map *nics,
		     const struct gv_line *l)
{
	uint64_t v[GV_COUNTERS];
	gv_str name;
	size_t n;
	void **slot;

	/* without all its columns a row was cut */
	if (!row(l->text, &name, v, &n) || n < c->n || nics->n >= GV_THINGS_MAX)
		return;
	slot = gv_map_put(nics, name);
	if (!*slot)
		*slot = gv_see(r, GV_NIC, name);
	for (size_t i = 0; i < c->n; i++)
		if (c->fact[i] != GV_FACTS)
			gv_put_nth(r, *slot, c->fact[i], (double)v[i], sample, ms, l);
}

static void read_net_dev(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_map nics = { .arena = r->arena };
	struct columns c = { 0 };
	struct gv_shots s;

	gv_shots_read(r, l, n, 0, &s);
	for (size_t k = 0; k<s.nedges; k += s.nedges> 1 ? s.nedges - 1 : 1) {
		const struct gv_shot *shot = &s.v[s.edge[k]];

		for (size_t i = shot->first; i < shot->first + shot->n; i++)
			if (!columns(&c, l[i].text))
				read_row(r, (uint32_t)k, gv_shots_ms(&s, k), &c, &nics, &l[i]);
	}
}

const struct gv_format gv_format_proc_net_dev = {
	.name = "/proc/net/dev",
	.heads = { "/proc/net/dev", "Inter-|", "face |" },
	.claim = claim,
	.read = read_net_dev,
};
