/* SPDX-License-Identifier: Apache-2.0 */
/* The database of RPM, where it is one of SQLite: pages of one size, of which those that matter are a tree for the
 * table "Packages", with a header of a package in each leaf's cell, or the beginning of it and a chain of further
 * pages. Of the whole format as little is understood as that takes: every leaf of any table is looked at, and cells
 * that hold no header are passed over (SQLite's file format, https://www.sqlite.org/fileformat2.html, is stable). */
#include "inspect/common_rpm.h"

#define LEAF 0x0d /* of a table */

static bool claim(const struct gv_item *it)
{
	gv_str root, dir = gv_folder_above(it->path, 1);

	return (gv_is(it->name, "rpmdb.sqlite") || gv_is(it->name, "Packages") || gv_is(it->name, "Packages.db")) &&
	       (gv_root_of(dir, "var/lib/rpm", &root) || gv_root_of(dir, "usr/lib/sysimage/rpm", &root));
}

static gv_str root_of(const struct gv_item *it)
{
	gv_str root = GV_NONE, dir = gv_folder_above(it->path, 1);

	if (!gv_root_of(dir, "usr/lib/sysimage/rpm", &root))
		gv_root_of(dir, "var/lib/rpm", &root);
	return root;
}

struct db {
	struct gv_inspect *x;
	gv_str bytes, dir;
	size_t page, usable;
	struct gv_buf whole; /* a header that is in several pages */
	uint64_t left; /* bytes of records that may still be read: as many as the file has, however often cells point to
			  them */
};

static unsigned be16(gv_str s, size_t at)
{
	return at + 2 <= s.n ? (unsigned)(unsigned char)s.p[at] << 8 | (unsigned char)s.p[at + 1] : 0;
}

/* A number of one to nine bytes. False at the end of s. */
static bool varint(gv_str s, size_t *at, uint64_t *ret)
{
	uint64_t v = 0;

	for (int i = 0; i < 9; i++) {
		unsigned char c;

		if (*at >= s.n)
			return false;
		c = (unsigned char)s.p[(*at)++];
		v = i == 8 ? v << 8 | c : v << 7 | (c & 0x7f);
		if (i == 8 || !(c & 0x80))
			break;
	}
	*ret = v;
	return true;
}

static gv_str page_of(const struct db *d, uint32_t number)
{
	if (!number || number > d->bytes.n / d->page)
		return GV_NONE;
	return gv_sub(d->bytes, (size_t)(number - 1) * d->page, d->usable);
}

/* A record of the table: its own header, then a key and one value of bytes (an even type from 12 on says how many). */
static void read_record(struct db *d, gv_str record)
{
	uint64_t header, key, blob;
	size_t at = 0, body;

	if (!varint(record, &at, &header) || header > record.n || !varint(record, &at, &key) ||
	    !varint(record, &at, &blob))
		return;
	if (blob < 12 || blob % 2 || key > 6)
		return;
	body = (size_t)header + (key < 5 ? (size_t)key : key == 5 ? 6 : 8);
	if (body < record.n && (blob - 12) / 2 == record.n - body)
		gv_rpm_header(d->x, gv_from(record, body), d->dir, true);
}

/* A cell: the size of the record, the number of the row, the record, and where it does not fit the page of what
 * follows. */
static void read_cell(struct db *d, gv_str page, size_t at)
{
	uint64_t size, row;
	size_t max = d->usable - 35, min = (d->usable - 12) * 32 / 255 - 23, here;
	uint32_t next;

	if (!varint(page, &at, &size) || !varint(page, &at, &row) || size < 32 || size > d->left)
		return;
	d->left -= size;
	if (size <= max) {
		if (at + size <= page.n)
			read_record(d, gv_sub(page, at, (size_t)size));
		return;
	}
	here = min + (size_t)(size - min) % (d->usable - 4);
	here = here <= max ? here : min;
	if (at + here + 4 > page.n)
		return;
	d->whole.n = 0;
	gv_put(&d->whole, gv_sub(page, at, here));
	next = gv_be32(page, at + here);
	while (next && d->whole.n < size) {
		gv_str more = page_of(d, next);

		if (!more.n)
			return;
		next = gv_be32(more, 0);
		gv_put(&d->whole, gv_sub(gv_from(more, 4), 0, (size_t)size - d->whole.n));
	}
	if (d->whole.n == size)
		read_record(d, gv_buf_str(&d->whole));
}

static void read_leaf(struct db *d, gv_str page, size_t at)
{
	unsigned n = be16(page, at + 3);

	for (unsigned i = 0; i < n && at + 8 + 2 * (size_t)i + 2 <= page.n; i++)
		read_cell(d, page, be16(page, at + 8 + 2 * (size_t)i));
}

static void read_db(struct gv_inspect *x, gv_str bytes)
{
	struct db d = { .x = x, .bytes = bytes };

	if (!gv_starts(bytes, "SQLite format 3") || bytes.n < 512) {
		gv_file_note(x, "RPM's database in a format that is not read (Berkeley DB or ndb): whose the files are "
				"is not known");
		return;
	}
	d.page = be16(bytes, 16) == 1 ? 65536 : be16(bytes, 16);
	d.usable = d.page - (unsigned char)bytes.p[20];
	if (d.page < 512 || d.usable < 480) {
		gv_file_note(x, "RPM's database is damaged");
		return;
	}
	d.dir = gv_dup(x->arena, root_of(x->item));
	d.left = bytes.n;
	for (uint32_t i = 1; i <= bytes.n / d.page; i++) {
		gv_str page = page_of(&d, i);
		size_t at = i == 1 ? 100 : 0;

		if ((unsigned char)page.p[at] == LEAF)
			read_leaf(&d, page, at);
	}
	if (!x->file->packages.n)
		gv_file_note(x, "no package found in RPM's database");
	gv_buf_free(&d.whole);
}

const struct gv_document gv_document_rpm_db = { .type = "rpm database", .claim = claim, .read = read_db };
