/* SPDX-License-Identifier: Apache-2.0 */
/* The databases of MIOpen: what was tuned and compiled for a target and its number of compute units, which their names
 * say:
 *
 *     gfx1201_32.HIP.3_5_1_dabb6df2b9.ufdb.txt    up to 64 units: decimal
 *     gfx942130.ukdb                              more: hexadecimal, 304 of a gfx942
 *     gfx906_nosramecc_60.HIP.fdb.txt
 *
 * The version stands in the name, or is that of the folder: ~/.cache/miopen/3.5.1.dabb6df2b9/gfx1201_32.ukdb */
#include "inspect/cache_name.h"

static bool is_database(gv_str name)
{
	static const char *const ends[] = { ".ukdb",	".kdb",	     ".udb",	 ".db.txt",  ".udb.txt",
					    ".fdb.txt", ".ufdb.txt", ".pdb.txt", ".updb.txt" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (gv_ends(name, ends[i]))
			return true;
	return false;
}

static bool claim(const struct gv_item *it)
{
	gv_str gfx, rest;

	return gv_gfx_of(it->name, &gfx, &rest) && is_database(it->name);
}

/* "3_5_1_dabb6df2b9" or "3.5.1.dabb6df2b9": the three numbers. */
static gv_str version_of(struct gv_arena *a, gv_str s)
{
	gv_str rest = s, part[3] = { 0 };
	char sep = gv_find_c(s, '_') >= 0 ? '_' : '.';
	uint64_t n;

	for (size_t i = 0; i < 3; i++)
		if (!gv_next(&rest, sep, &part[i]) || part[i].n > 4 || !gv_to_u64(part[i], &n))
			return GV_NONE;
	return gv_fmt(a, "%.*s.%.*s.%.*s", GV_ARG(part[0]), GV_ARG(part[1]), GV_ARG(part[2]));
}

static void read_miopen(struct gv_inspect *x, gv_str head)
{
	struct gv_artefact *a = gv_add_artefact(x, "miopen");
	gv_str gfx, rest, part, version = GV_NONE;
	uint64_t units = 0;

	if (!gv_gfx_of(x->item->name, &gfx, &rest))
		return;
	gv_add_prop(x, a, "arch", gfx);
	part = gv_before(rest, ".");
	if (!gv_starts(part, "_") && (part.n < 2 || part.n > 3 || !gv_hex_u64(part, &units)))
		units = 0;
	for (gv_str words = part, w; gv_starts(part, "_") && gv_next(&words, '_', &w);)
		if (!gv_to_u64(w, &units))
			units = 0;
	if (units)
		gv_add_prop(x, a, "units", gv_fmt(x->arena, "%llu", (unsigned long long)units));
	for (gv_str words = rest, w; !version.n && gv_next(&words, '.', &w);)
		if (gv_find_c(w, '_') >= 0)
			version = version_of(x->arena, w);
	if (!version.n)
		version = version_of(x->arena, gv_file_name(gv_folder_above(x->item->path, 1)));
	if (version.n)
		gv_add_prop(x, a, "miopen", version);
}

const struct gv_document gv_document_cache_miopen = {
	.type = "kernel database", .claim = claim, .read = read_miopen, .head = true
};
