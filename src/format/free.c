/* SPDX-License-Identifier: Apache-2.0 */
/* free: "total used free ..." above the rows Mem:, Swap: and, before procps 3.3.10, "-/+ buffers/cache:". */
#include "base/units.h"
#include "format/common.h"

#define WORDS 16

static bool is_header(gv_str line)
{
	return gv_starts(line, "total") && gv_has(line, " used") && gv_has(line, " free");
}

static bool is_row(gv_str line)
{
	gv_str rest, label, value;
	double v;

	if (gv_starts(line, "-/+ buffers/cache:"))
		return true;
	rest = line;
	return gv_word(&rest, &label) && gv_ends(label, ":") && gv_word(&rest, &value) &&
	       gv_lead_num(value, &v, NULL) &&
	       (gv_is(label, "Mem:") || gv_is(label, "Swap:") || gv_is(label, "Low:") || gv_is(label, "High:") ||
		gv_is(label, "Total:") || gv_is(label, "Comm:"));
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 1;

	(void)seg;
	if (!is_header(gv_trim(l[0].text)))
		return 0;
	while (i < n && is_row(gv_trim(l[i].text)))
		i++;
	return i > 1 ? i : 0;
}

/* The unit of bare numbers, in kB, from the command line; 0 where that says nothing. */
static double unit_of_command(gv_str cmd)
{
	static const struct {
		const char *word;
		double kb;
	} words[] = {
		{ "--bytes", 1 / 1024.0 },   { "--kibi", 1 },	       { "--mebi", 1024 },	 { "--gibi", 1048576 },
		{ "--kilo", 1000 / 1024.0 }, { "--mega", 1e6 / 1024 }, { "--giga", 1e9 / 1024 },
	};
	gv_str w;
	bool ours = false, si = false;
	double kb = 1;

	while (gv_word(&cmd, &w)) {
		if (ours && gv_is(w, "|"))
			break;
		if (gv_is(w, "free") || gv_ends(w, "/free")) {
			ours = true;
			continue;
		}
		if (!ours || w.n < 2 || w.p[0] != '-')
			continue;
		si = si || gv_is(w, "--si");
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (gv_is(w, words[i].word))
				kb = words[i].kb;
		for (size_t i = 1; i < w.n && w.p[1] != '-'; i++)
			kb = w.p[i] == 'b' ? 1 / 1024.0 : w.p[i] == 'm' ? 1024 : w.p[i] == 'g' ? 1048576 : kb;
	}
	if (si && kb >= 1024)
		kb = kb > 1024 ? 1e9 / 1024 : 1e6 / 1024;
	return ours ? kb : 0;
}

/* Without the command line the total tells the unit as far as it can be only one: no machine that runs Linux with a GPU
 * has less than 512 MB, none more than 16 TB. */
static double unit_of_total(double total)
{
	if (total >= 16e9)
		return 1 / 1024.0; /* bytes */
	if (total >= 524288)
		return 1;
	return total >= 512 ? 1024 : 0;
}

struct reading {
	struct gv_read *r;
	struct gv_entity *node;
	struct gv_columns col;
	double kb; /* of a bare number; 0 = not known */
};

static void put(struct reading *x, enum gv_fact f, const char *column, const gv_str *w, size_t n,
		const struct gv_line *l)
{
	size_t col = gv_column(&x->col, column);
	double v;

	/* The header has no word above the row's label. */
	if (col == SIZE_MAX || col + 1 >= n)
		return;
	if (gv_to_num(w[col + 1], &v)) {
		if (x->kb > 0 || v == 0)
			gv_put_num(x->r, x->node, f, v * x->kb, l);
		else
			gv_put_none(x->r, x->node, f, GV_UNKNOWN, "the unit is not told", l);
	} else if (gv_bytes(w[col + 1], &v)) {
		gv_put_num(x->r, x->node, f, v / 1024, l);
	} else {
		gv_put_none(x->r, x->node, f, GV_UNKNOWN, "not a size", l);
	}
}

static void read_row(struct reading *x, const struct gv_line *l)
{
	gv_str w[WORDS], t = gv_trim(l->text);
	size_t n;
	double v;

	if (gv_starts(t, "-/+")) { /* "-/+ buffers/cache: used free": what the old layout has for "available" */
		n = gv_words(t, w, WORDS);
		if (n >= 4 && gv_to_num(w[3], &v) && x->kb > 0)
			gv_put_num(x->r, x->node, GV_F_MEM_AVAIL, v * x->kb, l);
		else if (n >= 4 && !gv_to_num(w[3], &v) && gv_bytes(w[3], &v))
			gv_put_num(x->r, x->node, GV_F_MEM_AVAIL, v / 1024, l);
		return;
	}
	n = gv_words(t, w, WORDS);
	n = n < WORDS ? n : WORDS;
	if (gv_starts(t, "Mem:")) {
		put(x, GV_F_MEM_TOTAL, "total", w, n, l);
		put(x, GV_F_MEM_FREE, "free", w, n, l);
		put(x, GV_F_MEM_AVAIL, "available", w, n, l);
	} else if (gv_starts(t, "Swap:")) {
		put(x, GV_F_SWAP_TOTAL, "total", w, n, l);
		put(x, GV_F_SWAP_USED, "used", w, n, l);
		put(x, GV_F_SWAP_FREE, "free", w, n, l);
	}
}

static void read_free(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading x = { .r = r, .node = gv_see_node(r), .kb = unit_of_command(r->block->seg->cmd) };

	gv_columns(&x.col, l[0].text);
	for (size_t i = 1; i < n && x.kb == 0; i++) {
		gv_str w[2];
		double total;

		if (gv_words(l[i].text, w, 2) >= 2 && gv_is(w[0], "Mem:") && gv_to_num(w[1], &total))
			x.kb = unit_of_total(total);
	}
	for (size_t i = 1; i < n; i++)
		read_row(&x, &l[i]);
}

const struct gv_format gv_format_free = {
	.name = "free",
	.heads = { "total" },
	.claim = claim,
	.read = read_free,
};
