/* SPDX-License-Identifier: Apache-2.0 */
/* df, by blocks or inodes (-i), in any unit. Names may hold blanks: the share in use ("73%") anchors the columns, the
 * mount point is all behind it. */
#include "base/units.h"
#include "format/common.h"

#define WORDS 32

static bool is_header(gv_str line, struct gv_columns *c)
{
	size_t use;

	if (!gv_starts(line, "Filesystem") || !gv_has(line, "Mounted on"))
		return false;
	gv_columns(c, line);
	use = gv_column(c, "Use%");
	use = use == SIZE_MAX ? gv_column(c, "IUse%") : use;
	use = use == SIZE_MAX ? gv_column(c, "Capacity") : use;
	/* Only the usual order can be read when names have blanks: the share last but for the mount point. */
	return use != SIZE_MAX && use + 3 == c->n && gv_is(c->name[use + 1], "Mounted");
}

struct row {
	gv_str w[WORDS];
	size_t use;   /* word of the share */
	size_t shift; /* words that the source has more than one */
	gv_str source, mount;
};

static bool is_share(gv_str w)
{
	double v;

	return gv_is(w, "-") || (gv_ends(w, "%") && gv_to_num(gv_sub(w, 0, w.n - 1), &v));
}

/* Cuts a row; `before` is the source where an old df put it on a line of its own. */
static bool parse_row(gv_str line, const struct gv_columns *c, gv_str before, struct row *r)
{
	size_t use = c->n - 3, n, i;
	gv_str text = line;

	n = gv_words(text, r->w, WORDS);
	n = n < WORDS ? n : WORDS;
	if (before.n) {
		use--;
		r->source = before;
	}
	for (i = use; i < n && !is_share(r->w[i]); i++)
		;
	if (i + 1 >= n || !n)
		return false;
	r->use = i;
	r->shift = i - use;
	text = gv_from(line, (size_t)(r->w[i].p - line.p) + r->w[i].n);
	r->mount = gv_trim(text);
	if (before.n)
		return r->shift == 0;
	r->source =
	    gv_sub(line, (size_t)(r->w[0].p - line.p), (size_t)(r->w[r->shift].p - r->w[0].p) + r->w[r->shift].n);
	return r->mount.n && (r->mount.p[0] == '/' || gv_is(r->mount, "-"));
}

/* A source so long that its numbers are on the next line. */
static bool is_alone(gv_str line)
{
	gv_str w[2];

	return gv_words(line, w, 2) == 1 && (gv_find_c(w[0], '/') >= 0 || gv_find_c(w[0], ':') >= 0);
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct gv_columns c;
	struct row r;
	size_t i = 1;

	(void)seg;
	if (!is_header(gv_trim(l[0].text), &c))
		return 0;
	while (i < n) {
		gv_str t = gv_trim(l[i].text);

		if (parse_row(t, &c, GV_NONE, &r) || gv_starts(t, "df: ")) /* an error among the rows */
			i++;
		else if (is_alone(t) && i + 1 < n && parse_row(gv_trim(l[i + 1].text), &c, t, &r))
			i += 2;
		else
			break;
	}
	return i;
}

/* "1K-blocks", "1024-blocks", "512-blocks", "1M-blocks", "1B-blocks": bytes of a block; 0 where the cells have units.
 */
static double block_size(const struct gv_columns *c)
{
	for (size_t i = 0; i < c->n; i++) {
		double v;

		if (gv_ends(c->name[i], "-blocks") && gv_bytes_1024(gv_before(c->name[i], "-"), &v))
			return v;
	}
	return 0;
}

static void put_size(struct gv_read *r, struct gv_entity *e, enum gv_fact f, gv_str cell, double block,
		     const struct gv_line *l)
{
	const char *reason;
	double v;

	if (gv_no_value(cell, &reason) != GV_KNOWN)
		gv_put_none(r, e, f, gv_no_value(cell, &reason), reason, l);
	else if (gv_to_num(cell, &v))
		gv_put_num(r, e, f, v * (block > 0 ? block : 1) / 1024, l);
	else if (gv_bytes(cell, &v))
		gv_put_num(r, e, f, v / 1024, l);
	else
		gv_put_none(r, e, f, GV_UNKNOWN, "not a size", l);
}

static void read_row(struct gv_read *r, const struct gv_columns *c, const struct row *row, size_t moved,
		     const struct gv_line *l)
{
	struct gv_entity *e = gv_see(r, GV_MOUNT, row->mount);
	double block = block_size(c);

	gv_put_str(r, e, GV_F_MOUNT_SOURCE, row->source, l);
	for (size_t i = 1; i + 2 < c->n; i++) {
		gv_str name = c->name[i], cell = row->w[i + row->shift - moved];

		if (gv_is(name, "Type"))
			gv_put_str(r, e, GV_F_MOUNT_FSTYPE, cell, l);
		else if (gv_is(name, "Size") || gv_ends(name, "-blocks"))
			put_size(r, e, GV_F_MOUNT_SIZE, cell, block, l);
		else if (gv_is(name, "Avail") || gv_is(name, "Available"))
			put_size(r, e, GV_F_MOUNT_AVAIL, cell, block, l);
		else if (gv_is(name, "Use%") || gv_is(name, "Capacity"))
			gv_put_cell(r, e, GV_F_MOUNT_USED, cell, l);
		else if (gv_is(name, "IUse%"))
			gv_put_cell(r, e, GV_F_MOUNT_IUSED, cell, l);
	}
}

static void read_df(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_columns c;
	struct row row;

	if (!is_header(gv_trim(l[0].text), &c))
		return;
	for (size_t i = 1; i < n; i++) {
		gv_str t = gv_trim(l[i].text);

		if (parse_row(t, &c, GV_NONE, &row)) {
			read_row(r, &c, &row, 0, &l[i]);
		} else if (is_alone(t) && i + 1 < n && parse_row(gv_trim(l[i + 1].text), &c, t, &row)) {
			i++;
			read_row(r, &c, &row, 1, &l[i]);
		}
	}
}

const struct gv_format gv_format_df = {
	.name = "df",
	.heads = { "Filesystem" },
	.claim = claim,
	.read = read_df,
};
