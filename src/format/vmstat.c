/* SPDX-License-Identifier: Apache-2.0 */
/* vmstat: a row a moment. The rates and CPU times of the first row are averages since boot. */
#include "format/common.h"

#define WORDS 32

static bool is_header(gv_str line)
{
	struct gv_columns c;

	if (!gv_has(line, "swpd"))
		return false;
	gv_columns(&c, line);
	return gv_column(&c, "r") == 0 && gv_column(&c, "b") == 1 && gv_column(&c, "si") != SIZE_MAX &&
	       gv_column(&c, "so") != SIZE_MAX;
}

static bool is_top(gv_str line)
{
	/* Wide output (-w) has dashes in front, too. */
	return (gv_starts(line, "procs") || gv_starts(line, "--procs")) && gv_has(line, "memory");
}

/* Numbers down to the last column but those of a stamp (-t), whose header is a time zone. */
static bool is_row(gv_str line)
{
	gv_str w[WORDS];
	size_t n = gv_words(line, w, WORDS), i = 0;
	uint64_t v;

	n = n < WORDS ? n : WORDS;
	while (i < n && gv_to_u64(w[i], &v))
		i++;
	return i >= 10;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 0, end = 0;

	(void)seg;
	if (is_top(gv_trim(l[0].text)))
		i = 1;
	if (i >= n || !is_header(gv_trim(l[i].text)))
		return 0;
	for (i++; i < n; i++) {
		gv_str t = gv_trim(l[i].text);

		if (is_row(t))
			end = i + 1;
		else if (t.n && (!end || (!is_top(t) && !is_header(t))))
			break;
	}
	return end;
}

struct command {
	double unit; /* of the memory and swap columns, in KiB */
	bool no_first;
};

static struct command command(gv_str cmd)
{
	struct command c = { .unit = 1 };
	gv_str w;
	bool ours = false;

	while (gv_word(&cmd, &w)) {
		if (ours && gv_is(w, "|"))
			break;
		ours = ours || gv_ends(w, "vmstat");
		if (!ours || w.n < 2 || w.p[0] != '-')
			continue;
		if (gv_is(w, "--no-first") || (w.p[1] != '-' && gv_find_c(w, 'y') > 0))
			c.no_first = true;
		if (w.p[1] == '-' || gv_find_c(w, 'S') < 0)
			continue;
		if (gv_ends(w, "S") && !gv_word(&cmd, &w))
			break;
		switch (w.p[w.n - 1]) {
		case 'k':
			c.unit = 1000 / 1024.0;
			break;
		case 'm':
			c.unit = 1e6 / 1024;
			break;
		case 'M':
			c.unit = 1024;
			break;
		}
	}
	return c;
}

static const struct {
	const char *col;
	enum gv_fact fact;
	bool size;
} columns[] = {
	{ "r", GV_F_RUNNABLE, false },	 { "b", GV_F_BLOCKED, false }, { "swpd", GV_F_SWAP_USED, true },
	{ "free", GV_F_MEM_FREE, true }, { "si", GV_F_SWAP_IN, true }, { "so", GV_F_SWAP_OUT, true },
	{ "us", GV_F_USR, false },	 { "sy", GV_F_SYS, false },    { "id", GV_F_IDLE, false },
	{ "wa", GV_F_IOWAIT, false },	 { "st", GV_F_STEAL, false },
};

static void read_row(struct gv_read *r, struct gv_entity *node, const struct gv_columns *c, double unit,
		     uint32_t sample, const struct gv_line *l)
{
	gv_str w[WORDS];
	size_t n = gv_words(l->text, w, WORDS);

	n = n < WORDS ? n : WORDS;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		size_t col = gv_column(c, columns[i].col);
		double v;

		if (col >= n || !gv_to_num(w[col], &v))
			continue;
		gv_put_nth(r, node, columns[i].fact, columns[i].size ? v * unit : v, sample, 0, l);
	}
}

static void read_vmstat(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_entity *node = gv_see_node(r);
	struct command c = command(r->block->seg->cmd);
	struct gv_columns col = { 0 };
	size_t rows = 0, seen = 0;
	bool boot;

	for (size_t i = 0; i < n; i++)
		rows += is_row(gv_trim(l[i].text));
	boot = rows == 1 && !c.no_first;
	for (size_t i = 0; i < n; i++) {
		if (is_header(gv_trim(l[i].text))) {
			gv_columns(&col, l[i].text);
			continue;
		}
		if (!is_row(gv_trim(l[i].text)))
			continue;
		if (seen++ == 0 && rows > 1 && !c.no_first)
			continue;
		read_row(r, node, &col, c.unit, (uint32_t)(seen - 1), &l[i]);
		if (seen == rows) {
			gv_put_flag(r, node, GV_F_VM_SINCE_BOOT, boot, &l[i]);
			gv_put_flag(r, node, GV_F_CPU_SINCE_BOOT, boot, &l[i]);
		}
	}
}

const struct gv_format gv_format_vmstat = {
	.name = "vmstat",
	.heads = { "procs", "swpd" },
	.claim = claim,
	.read = read_vmstat,
};
