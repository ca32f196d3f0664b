/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files: those of devices, wherever they lie, and the host file itself: its sections, what it is linked to, what it
 * says that it loads. Only what is for 64 bits, little-endian. */
#include "inspect/elf.h"

#include <string.h>

#include "base/json.h"
#include "inspect/device.h"

#define SECTIONS_MAX 65000
#define PHDR 56
#define PHDRS_MAX 512
#define SHDR 64
#define DYN 16
#define DYNAMIC_MAX ((size_t)256 << 10)
#define STRING_MAX 1024
#define PATHS_MAX 256
#define PATHS_TEXT_MAX ((size_t)16 << 10)
#define NOTE_MAX ((size_t)64 << 10)
#define HEAD_MAX ((size_t)4 << 20)

enum { PT_LOAD = 1, PT_DYNAMIC = 2, PT_INTERP = 3 };
enum { DT_NEEDED = 1, DT_STRTAB = 5, DT_SONAME = 14, DT_RPATH = 15, DT_RUNPATH = 29 };
enum { SHT_PROGBITS = 1, SHT_STRTAB = 3, SHT_NOTE = 7, SHT_NOBITS = 8, SHT_LOOS = 0x60000000 };
enum { SHF_ALLOC = 2, SHF_EXECINSTR = 4 };
#define NEEDED_MAX 1024

struct load {
	uint64_t addr, off, size;
};

struct host {
	uint64_t base; /* of the file within what holds it */
	gv_str sections, head;
	bool awaits_head; /* asked for, and not here yet */
	gv_str dynamic;	  /* that came before it */
	uint64_t strtab; /* offset */
	GV_VEC(struct load) loads;
	size_t needed;
};

static void want(struct gv_scan *s, struct host *h, uint64_t at, uint64_t n, uint64_t mark,
		 void (*got)(struct gv_scan *, struct gv_piece *, gv_str))
{
	struct gv_piece p = { .at = h->base + at, .n = (size_t)n, .got = got, .own = h, .mark = mark };

	if (n && at <= UINT64_MAX - h->base - n)
		gv_scan_want(s, &p);
}

/* ---- Sections ---- */

/* .note.dlopen: the program says itself what it loads, as JSON in the descriptor of a note.
 * https://systemd.io/ELF_DLOPEN_METADATA */
static void note_soname(struct gv_scan *s, gv_str name, bool optional)
{
	struct gv_inspect *x = gv_scan_inspect(s);
	bool driver;
	unsigned vendor = gv_library_vendor(name, &driver);
	struct gv_dep *d;

	if (!vendor)
		return;
	d = gv_add_dep(x, GV_LOADED, name, vendor);
	d->driver = driver;
	d->optional = optional;
}

static void read_dlopen(struct gv_scan *s, gv_str text)
{
	struct gv_json_in in = { .text = text };
	enum gv_json_kind k;
	gv_str key = GV_NONE, names[16];
	size_t n = 0;
	bool required = false;

	while ((k = gv_json_next(&in)) != GV_JSON_END && k != GV_JSON_ERROR) {
		if (k == GV_JSON_KEY)
			key = gv_json_unescape(gv_scan_own_arena(s), in.raw);
		else if (k == GV_JSON_STR && gv_is(key, "soname") && n < 16)
			names[n++] = gv_json_unescape(gv_scan_own_arena(s), in.raw);
		else if (k == GV_JSON_STR && gv_is(key, "priority"))
			required = gv_is(in.raw, "required");
		else if (k == GV_JSON_OBJ_END) {
			for (size_t i = 0; i < n; i++)
				note_soname(s, names[i], !required);
			n = 0;
			required = false;
		}
	}
}

static void got_dlopen(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	while (b.n >= 12) {
		uint64_t name = gv_u32(b, 0), desc = gv_u32(b, 4), at = 12 + ((name + 3) & ~3ull);

		if (at + desc > b.n)
			break;
		read_dlopen(s, gv_z(gv_sub(b, (size_t)at, (size_t)desc), 0));
		b = gv_from(b, (size_t)((at + desc + 3) & ~3ull) > b.n ? b.n : (size_t)((at + desc + 3) & ~3ull));
	}
}

static bool of_debugging(gv_str name)
{
	static const char *const begins[] = { ".debug", ".zdebug", ".comment", ".gnu", ".eh_frame", ".gcc_except_table",
					      ".note",	".stab",   NULL };

	for (size_t i = 0; begins[i]; i++)
		if (gv_starts(name, begins[i]))
			return true;
	return false;
}

static enum gv_section_use use_of(uint32_t type, uint64_t flags, gv_str name)
{
	if (type == SHT_STRTAB)
		return GV_SECTION_NAMES;
	if (flags & SHF_EXECINSTR || of_debugging(name))
		return GV_SECTION_OTHER;
	return type == SHT_PROGBITS || type >= SHT_LOOS + 0x1000000 || type == 0 ? GV_SECTION_DATA : GV_SECTION_OTHER;
}

static void got_names(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	struct host *h = p->own;
	struct gv_elf *elf = gv_scan_inspect(s)->file->elf;

	for (size_t i = 1; (i + 1) * SHDR <= h->sections.n; i++) {
		gv_str sh = gv_sub(h->sections, i * SHDR, SHDR), name = gv_z(b, gv_u32(sh, 0));
		uint32_t type = gv_u32(sh, 4);
		uint64_t off = gv_u64(sh, 24), size = gv_u64(sh, 32);

		if (type == SHT_NOBITS || !size || off > UINT64_MAX - h->base || size > UINT64_MAX - h->base - off)
			continue;
		gv_scan_section(s, h->base + off, h->base + off + size, use_of(type, gv_u64(sh, 8), name), name);
		if (gv_is(name, ".nvFatBinSegment"))
			elf->wrappers += size / 24;
		else if (gv_is(name, ".hipFatBinSegment"))
			elf->hip_wrappers += size / 24;
		else if (gv_is(name, ".note.dlopen") && size <= NOTE_MAX)
			want(s, h, off, size, 0, got_dlopen);
	}
}

static void got_sections(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	struct host *h = p->own;
	uint64_t names = p->mark;
	gv_str sh;

	if (!b.n) {
		gv_file_note(gv_scan_inspect(s), "ELF file that is cut off, or damaged: its sections are not known");
		return;
	}
	h->sections = gv_dup(gv_scan_own_arena(s), b);
	sh = gv_sub(h->sections, (size_t)names * SHDR, SHDR);
	if (gv_u64(sh, 32) <= GV_PIECE_MAX && sh.n == SHDR && gv_u64(sh, 32))
		want(s, h, gv_u64(sh, 24), gv_u64(sh, 32), 0, got_names);
	else
		got_names(s, p, GV_NONE);
}

/* ---- What it is linked to ---- */

static void add_path(struct gv_scan *s, struct gv_elf *elf, gv_str list)
{
	gv_str one;

	while (gv_next(&list, ':', &one))
		if (one.n && elf->paths.n < PATHS_MAX)
			*gv_push(gv_scan_arena(s), &elf->paths) = gv_dup(gv_scan_arena(s), one);
}

static void tell_string(struct gv_scan *s, uint64_t tag, gv_str z)
{
	struct gv_inspect *x = gv_scan_inspect(s);
	struct gv_elf *elf = x->file->elf;
	bool driver;
	unsigned vendor;
	struct gv_dep *d;

	switch (tag) {
	case DT_NEEDED:
		z = gv_dup(x->arena, z);
		*gv_push(x->arena, &elf->needed) = z;
		vendor = gv_library_vendor(z, &driver);
		if (!vendor)
			return;
		d = gv_add_dep(x, GV_LINKED, z, vendor);
		d->driver = driver;
		return;
	case DT_SONAME:
		elf->soname = gv_dup(x->arena, z);
		return;
	default: /* RUNPATH outranks RPATH */
		if (elf->paths.n && elf->rpath == (tag == DT_RPATH))
			return;
		if (elf->paths.n && tag == DT_RPATH)
			return;
		elf->paths.n = 0;
		elf->rpath = tag == DT_RPATH;
		add_path(s, elf, z);
	}
}

static size_t string_max(uint64_t tag)
{
	return tag == DT_RPATH || tag == DT_RUNPATH ? PATHS_TEXT_MAX : STRING_MAX;
}

static void got_string(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	struct host *h = p->own;
	gv_str z;

	if (!b.n && p->at >= h->base && p->at - h->base < h->head.n)
		b = gv_from(h->head, (size_t)(p->at - h->base));
	z = gv_z(b, 0);
	if (!z.n && p->mark == DT_NEEDED) /* gone by: but what looks like a library's name was met by itself */
		z = gv_scan_name_at(s, p->at);
	if (z.n && z.n <= string_max(p->mark)) {
		tell_string(s, p->mark, z);
	} else if ((p->mark != DT_NEEDED || gv_scan_full(s)) && p->mark != DT_SONAME &&
		   !gv_scan_inspect(s)->file->elf->linking_unknown) {
		gv_scan_inspect(s)->file->elf->linking_unknown = true;
		gv_file_note(gv_scan_inspect(s), p->mark == DT_NEEDED ? "what it is linked to is not all known: the names cannot be read"
								       : "where it looks for its libraries is not known: the folders cannot be read");
	}
}

static void read_dynamic(struct gv_scan *s, struct host *h, gv_str b)
{
	uint64_t addr = 0;
	bool there = false;

	for (size_t i = 0; i + DYN <= b.n && gv_u64(b, i); i += DYN)
		if (gv_u64(b, i) == DT_STRTAB)
			addr = gv_u64(b, i + 8);
	for (size_t i = 0; i < h->loads.n && !there; i++) {
		const struct load *l = &h->loads.v[i];

		there = addr >= l->addr && addr - l->addr < l->size;
		if (there)
			h->strtab = l->off + (addr - l->addr);
	}
	for (size_t i = 0; there && i + DYN <= b.n && gv_u64(b, i); i += DYN) {
		uint64_t tag = gv_u64(b, i), v = gv_u64(b, i + 8);

		if ((tag != DT_NEEDED && tag != DT_SONAME && tag != DT_RPATH && tag != DT_RUNPATH) ||
		    v > UINT64_MAX - h->strtab)
			continue;
		if (h->needed++ < NEEDED_MAX)
			want(s, h, h->strtab + v, string_max(tag), tag, got_string);
	}
}

static void got_dynamic(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	struct host *h = p->own;

	if (h->awaits_head)
		h->dynamic = gv_dup(gv_scan_own_arena(s), b);
	else
		read_dynamic(s, h, b);
}

/* Names of libraries lie in front of what refers to them. Where nothing stays, the beginning of the file is kept. Pieces that are
 * complete at the same time come in any order. */
static void got_head(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	struct host *h = p->own;

	h->head = gv_dup(gv_scan_own_arena(s), b);
	h->awaits_head = false;
	if (h->dynamic.n)
		read_dynamic(s, h, h->dynamic);
}

static void got_interp(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	gv_scan_inspect(s)->file->elf->interp = gv_dup(gv_scan_arena(s), gv_z(b, 0));
}

static void got_segments(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	struct host *h = p->own;

	for (size_t i = 0; i + PHDR <= b.n; i += PHDR) {
		uint32_t type = gv_u32(b, i);
		uint64_t off = gv_u64(b, i + 8), size = gv_u64(b, i + 32);

		if (type == PT_LOAD) {
			*gv_push(gv_scan_own_arena(s), &h->loads) = (struct load){ gv_u64(b, i + 16), off, size };
			if (!off && size && !gv_scan_mapped(s)) {
				h->awaits_head = true;
				want(s, h, 0, size < HEAD_MAX ? size : HEAD_MAX, 0, got_head);
			}
		} else if (type == PT_DYNAMIC) {
			want(s, h, off, size < DYNAMIC_MAX ? size : DYNAMIC_MAX, 0, got_dynamic);
		} else if (type == PT_INTERP && size < STRING_MAX) {
			want(s, h, off, size, 0, got_interp);
		}
	}
}

/* ---- The header ---- */

static void read_host(struct gv_scan *s, uint64_t base, gv_str b)
{
	struct gv_inspect *x = gv_scan_inspect(s);
	struct host *h = GV_NEW(gv_scan_own_arena(s), struct host);
	unsigned type = gv_u16(b, 16), phnum = gv_u16(b, 56), shnum = gv_u16(b, 60);

	h->base = base;
	if (!x->file->elf)
		x->file->elf = GV_NEW(x->arena, struct gv_elf);
	x->file->elf->relocatable = type == 1;
	x->file->elf->executable = type == 2;
	if (phnum && phnum <= PHDRS_MAX && gv_u16(b, 54) == PHDR)
		want(s, h, gv_u64(b, 32), (uint64_t)phnum * PHDR, 0, got_segments);
	if (shnum && shnum <= SECTIONS_MAX && gv_u16(b, 58) == SHDR)
		want(s, h, gv_u64(b, 40), (uint64_t)shnum * SHDR, gv_u16(b, 62), got_sections);
}

/* Up to where an ELF file reaches by its own headers, which stand at its end or its beginning. */
static uint64_t end_by_headers(gv_str b)
{
	uint64_t sections = gv_u64(b, 40), segments = gv_u64(b, 32), a, c;

	a = sections > UINT64_MAX / 2 ? 0 : sections + (uint64_t)gv_u16(b, 60) * gv_u16(b, 58);
	c = segments > UINT64_MAX / 2 ? 0 : segments + (uint64_t)gv_u16(b, 56) * gv_u16(b, 54);
	return a > c ? a : c;
}

struct device {
	gv_str header;
	struct gv_code code;
	uint64_t at;
};

static void got_notes(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	struct device *d = p->own;

	gv_device_notes(gv_scan_own_arena(s), d->header, b, &d->code);
	gv_scan_code(s, d->at, d->at, &d->code);
}

static void read_device(struct gv_scan *s, uint64_t at, gv_str b)
{
	uint64_t n = end_by_headers(b), size = gv_scan_size(s), part;
	struct device d = { .at = at }, *stays;
	enum gv_device_note note;

	if (n < GV_ELF_HEADER || n > size || at > size - n || !gv_device_elf(gv_scan_own_arena(s), b, &d.code, &note))
		return;
	d.code.bytes = n;
	gv_scan_whole(s, at, at + n, GV_WHOLE);
	if (note == GV_NOTE_NONE) {
		gv_scan_code(s, at, at, &d.code);
		return;
	}
	stays = GV_NEW(gv_scan_own_arena(s), struct device);
	*stays = d;
	stays->header = gv_dup(gv_scan_own_arena(s), gv_sub(b, 0, GV_ELF_HEADER));
	part = n < GV_DEVICE_NOTES ? n : GV_DEVICE_NOTES;
	gv_scan_want(s, &(struct gv_piece){ .at = note == GV_NOTE_FRONT ? at : at + n - part,
					    .n = (size_t)part,
					    .got = got_notes,
					    .own = stays });
}

static void got_header(struct gv_scan *s, struct gv_piece *p, gv_str b)
{
	struct gv_inspect *x = gv_scan_inspect(s);
	unsigned machine = gv_u16(b, 18);

	if (b.n < GV_ELF_HEADER) {
		if (!p->at)
			gv_file_note(x, "ELF file that is cut off in its header");
	} else if (machine == GV_EM_CUDA || machine == GV_EM_AMDGPU || machine == GV_EM_INTELGT) {
		if (!p->at)
			x->file->type = "device code";
		if (!p->mark) /* a member of an archive is met by its magic, too */
			read_device(s, p->at, b);
	} else if (!p->at || p->mark) {
		if (b.p[4] == 2 && b.p[5] == 1)
			read_host(s, p->at, b);
		else if (!p->at)
			gv_file_note(x, "ELF file of %s: only code of 64 bits, little-endian, is read",
				     b.p[5] == 1 ? "32 bits" : "a big-endian machine");
		if (!p->at)
			x->file->type = "elf";
	}
}

void gv_elf_member(struct gv_scan *s, uint64_t at)
{
	struct gv_piece p = { .at = at, .n = GV_ELF_HEADER, .got = got_header, .mark = 1 };

	gv_scan_want(s, &p);
}

static void found(struct gv_scan *s, uint64_t at)
{
	struct gv_piece p = { .at = at, .n = GV_ELF_HEADER, .got = got_header };

	gv_scan_want(s, &p);
}

const struct gv_pattern gv_pattern_elf = { .bytes = { "\177ELF", 4 }, .found = found };
