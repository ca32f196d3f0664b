/* SPDX-License-Identifier: Apache-2.0 */
/* lspci: plain, -nn, -n, -k, -v to -vvv, -mm and -vmm, with or without domain, whole or cut down to some of its lines.
 *
 * Sources: pciutils, lspci.c, ls-caps.c, ls-ecaps.c. The marks behind a link's speed and width are those of
 * pciutils 3.6 and newer ("(ok)" went in 3.9). A function that answers all ones shows revision ff or header type 7f. */
#include "format/common_pci.h"

#define UNNAMED_MAX 256 /* link and ACS lines without a device line above them */

struct function {
	gv_str addr; /* as printed */
	gv_str class;
	gv_str device;		      /* vendor and device text, or vendor:device in hex */
	uint64_t class_id, vendor_id; /* 0 = not printed */
	bool ff;
};

static size_t hex_run(gv_str s)
{
	size_t n = 0;

	while (
	    n < s.n && n < 9 &&
	    ((s.p[n] >= '0' && s.p[n] <= '9') || (s.p[n] >= 'a' && s.p[n] <= 'f') || (s.p[n] >= 'A' && s.p[n] <= 'F')))
		n++;
	return n;
}

/* Length of "41:00.0" or "0000:41:00.0" at the start of s; 0 where there is none. */
static size_t addr_len(gv_str s)
{
	size_t at = 0, n = hex_run(s);

	if (n >= 4 && n <= 8 && n < s.n && s.p[n] == ':') {
		at = n + 1;
		n = hex_run(gv_from(s, at));
	}
	if (n != 2 || at + 6 >= s.n || s.p[at + 2] != ':')
		return 0;
	if (hex_run(gv_from(s, at + 3)) != 2 || s.p[at + 5] != '.' || s.p[at + 6] < '0' || s.p[at + 6] > '7')
		return 0;
	return at + 7;
}

/* The last "[10de:20b0]" of a device text. */
static bool bracket_ids(gv_str s, uint64_t *ret_vendor)
{
	for (size_t i = s.n; i-- > 0;) {
		gv_str ids;

		if (s.p[i] != '[' || i + 10 >= s.n || s.p[i + 10] != ']' || s.p[i + 5] != ':')
			continue;
		ids = gv_sub(s, i + 1, 4);
		return gv_hex_u64(ids, ret_vendor);
	}
	return false;
}

static gv_str unquote(gv_str *rest)
{
	gv_str cell = gv_between(*rest, "\"", "\"");

	*rest = cell.p ? gv_from(*rest, (size_t)(cell.p + cell.n + 1 - rest->p)) : GV_NONE;
	return cell.p ? cell : GV_STR("");
}

/* 41:00.0 "3D controller" "NVIDIA Corporation" "GA100 [A100 PCIe 80GB]" -ra1 ... */
static void machine_readable(struct gv_arena *a, gv_str rest, struct function *f)
{
	gv_str vendor, device, rev;

	f->class = unquote(&rest);
	vendor = unquote(&rest);
	device = unquote(&rest);
	rev = gv_before(gv_after(rest, "-r"), " ");
	f->device = gv_fmt(a, "%.*s %.*s", GV_ARG(vendor), GV_ARG(device));
	f->ff = gv_is(rev, "ff");
}

/* Takes a device line apart. Without an arena it only says whether the line is one. */
static bool device_line(struct gv_arena *a, gv_str line, struct function *ret)
{
	struct function f = { 0 };
	gv_str s = gv_trim(line), rest, head;
	size_t n = addr_len(s), end = 0;
	ptrdiff_t colon;

	if (n == 0 || n >= s.n || s.p[n] != ' ')
		return false;
	f.addr = gv_sub(s, 0, n);
	rest = gv_trim(gv_from(s, n));
	if (rest.n && rest.p[0] == '"') {
		if (a) {
			machine_readable(a, rest, &f);
			*ret = f;
		}
		return true;
	}
	colon = gv_find(rest, ": ");
	if (colon < 2 || colon > 64)
		return false;
	head = gv_sub(rest, 0, (size_t)colon);
	if (gv_starts(head, "Class "))
		head = gv_from(head, 6);
	f.class = gv_trim(gv_before(head, " ["));
	if (gv_between(head, "[", "]").n == 4)
		(void)gv_hex_u64(gv_between(head, "[", "]"), &f.class_id);
	else if (head.n == 4)
		(void)gv_hex_u64(head, &f.class_id);
	f.device = gv_trim(gv_from(rest, (size_t)colon + 2));
	f.ff = gv_has(f.device, "(rev ff)");
	if (!bracket_ids(f.device, &f.vendor_id) && hex_run(f.device) == 4 && f.device.n > 4 && f.device.p[4] == ':')
		(void)gv_hex_u64(gv_sub(f.device, 0, 4), &f.vendor_id);
	/* Cut off "(rev a1)" and "(prog-if 00 [VGA])"; the ids stay, they are part of the text. */
	colon = gv_find(f.device, " (rev ");
	if (colon < 0)
		colon = gv_find(f.device, " (prog-if ");
	end = colon < 0 ? f.device.n : (size_t)colon;
	f.device = gv_trim(gv_sub(f.device, 0, end));
	if (a)
		*ret = f;
	return true;
}

static bool property_line(gv_str s)
{
	static const char *const labels[] = { "LnkCap:",
					      "LnkSta:",
					      "LnkCtl:",
					      "LnkCap2:",
					      "LnkSta2:",
					      "LnkCtl2:",
					      "LnkCtl3:",
					      "ACSCap:",
					      "ACSCtl:",
					      "DevCap:",
					      "DevSta:",
					      "DevCtl:",
					      "DevCap2:",
					      "DevCtl2:",
					      "SltCap:",
					      "SltSta:",
					      "SltCtl:",
					      "RootCap:",
					      "RootCtl:",
					      "RootSta:",
					      "Subsystem:",
					      "Control:",
					      "Status:",
					      "Latency:",
					      "Interrupt:",
					      "NUMA node:",
					      "IOMMU group:",
					      "Region ",
					      "Expansion ROM",
					      "Capabilities:",
					      "Kernel driver in use:",
					      "Kernel modules:",
					      "Bus:",
					      "I/O behind",
					      "Memory behind",
					      "Prefetchable memory",
					      "Secondary status:",
					      "BridgeCtl:",
					      "Flags:",
					      "Physical Slot:",
					      "DeviceName:",
					      "!!! Unknown header",
					      "CESta:",
					      "UESta:",
					      "UEMsk:",
					      "UESvrt:",
					      "CEMsk:",
					      "AERCap:" };

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		if (gv_starts(s, labels[i]))
			return true;
	return false;
}

static bool record_line(gv_str s)
{
	static const char *const labels[] = { "Slot:",	   "Class:",	  "Vendor:",  "Device:", "SVendor:",
					      "SDevice:",  "Rev:",	  "ProgIf:",  "Driver:", "Module:",
					      "NUMANode:", "IOMMUGroup:", "PhySlot:", "DTNode:" };

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		if (gv_starts(s, labels[i]))
			return true;
	return false;
}

static bool starts_output(gv_str s)
{
	gv_str t = gv_trim(s);

	if (device_line(NULL, t, NULL))
		return true;
	if (gv_starts(t, "Slot:"))
		return addr_len(gv_trim(gv_from(t, 5))) > 0;
	/* What grep leaves of -vv. */
	return ((gv_starts(t, "LnkCap:") || gv_starts(t, "LnkSta:")) && gv_has(t, "Speed") && gv_has(t, "Width")) ||
	       (gv_starts(t, "ACSCtl:") && gv_has(t, "SrcValid"));
}

static size_t lspci_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	/* One command alone: what follows is its output, however it was squeezed. */
	bool ours = seg && gv_has(seg->cmd, "lspci") && !gv_has(seg->cmd, ";") && !gv_has(seg->cmd, "&&");
	size_t end = 1, blanks = 0;

	if (!starts_output(l[0].text))
		return 0;
	for (size_t i = 1; i < n; i++) {
		gv_str t = gv_trim(l[i].text);
		bool head = starts_output(t) || record_line(t);

		if (t.n == 0) {
			blanks++;
			continue;
		}
		if (!head && !ours && !property_line(t) && !gv_is(t, "--") && (blanks > 0 || gv_indent(l[i].text) == 0))
			break;
		blanks = 0;
		end = i + 1;
	}
	return end;
}

/* "nvidia", "amd", "intel" where the function belongs to one of the three; NULL otherwise. */
static const char *vendor_of(const struct function *f)
{
	if (f->vendor_id)
		return gv_pci_vendor(f->vendor_id);
	if (gv_starts_nocase(f->device, "NVIDIA"))
		return "nvidia";
	if (gv_starts(f->device, "Advanced Micro Devices") || gv_starts(f->device, "ATI Technologies") ||
	    gv_starts(f->device, "AMD"))
		return "amd";
	if (gv_starts(f->device, "Intel ") || gv_starts(f->device, "Habana"))
		return "intel";
	return NULL;
}

static bool gpu_class(const struct function *f)
{
	static const char *const names[] = { "VGA compatible controller", "3D controller", "Display controller",
					     "Processing accelerators" };

	if (f->class_id)
		return gv_pci_gpu_class(f->class_id);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (gv_is(f->class, names[i]))
			return true;
	return false;
}

/* Graphics inside a CPU, FPGAs and NPUs are not what GPU work runs on; on a machine with real GPUs they would only make
 * it look mixed. Intel's sit on bus 0; AMD's are known by the names of their chips. */
static bool integrated(const struct function *f, const char *vendor)
{
	static const char *const amd[] = { "Mullins",	      "Kabini",	   "Kaveri",	    "Carrizo",	 "Stoney",
					   "Raven",	      "Picasso",   "Renoir",	    "Lucienne",	 "Cezanne",
					   "Barcelo",	      "Rembrandt", "Raphael",	    "Mendocino", "Phoenix",
					   "Hawk Point",      "HawkPoint", "Granite Ridge", "Krackan",	 "Strix Point",
					   "Van Gogh",	      "VanGogh",   "Dali",	    "Wrestler",	 "Beema",
					   "Temash",	      "Richland",  "Trinity",	    "Llano",	 "Ontario",
					   "Radeon Graphics]" };
	gv_str addr = f->addr;

	if (gv_is(gv_str_of(vendor), "intel"))
		return gv_starts(gv_sub(addr, addr.n > 8 ? addr.n - 7 : 0, 7), "00:02.") || gv_has(f->device, "FPGA") ||
		       gv_has(f->device, "NPU");
	if (!gv_is(gv_str_of(vendor), "amd"))
		return false;
	for (size_t i = 0; i < sizeof(amd) / sizeof(*amd); i++)
		if (gv_has(f->device, amd[i]))
			return true;
	return false;
}

/* "10de:20b5", or "20b5" of -vmm; names are not written in small letters only. */
static bool is_ids(gv_str s)
{
	if (!(s.n == 4 || (s.n == 9 && s.p[4] == ':')))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (i != 4 && !(s.p[i] >= '0' && s.p[i] <= '9') && !(s.p[i] >= 'a' && s.p[i] <= 'f'))
			return false;
	return true;
}

/* "NVIDIA Corporation GA100 [A100 PCIe 80GB] [10de:20b5]" -> "A100 PCIe 80GB"; the chip's text where no product is
 * named. */
static gv_str product_of(const struct function *f)
{
	static const char *const makers[] = {
		"NVIDIA Corporation ", "nVidia Corporation ",		"Intel Corporation ",
		"Habana Labs Ltd. ",   "Advanced Micro Devices, Inc. ", "ATI Technologies Inc "
	};
	gv_str s = f->device, rest, found = GV_NONE, one;

	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++)
		if (gv_starts(s, makers[i]))
			s = gv_trim(gv_after(s, makers[i]));
	if (gv_starts(s, "[AMD/ATI] "))
		s = gv_from(s, 10);
	rest = s;
	for (;;) {
		one = gv_between(rest, "[", "]");
		if (!one.p)
			break;
		rest = gv_from(rest, (size_t)(one.p + one.n + 1 - rest.p));
		if (!is_ids(one))
			found = one;
	}
	if (!found.n)
		found = gv_trim(gv_before(s, " ["));
	/* "Device 2235" is a device that the list of names does not know yet; -n prints numbers alone. */
	return gv_is(found, "Device") || gv_starts(found, "Device ") || is_ids(found) ? GV_NONE : found;
}

/* State of a reading: the function whose lines are being read. */
struct reading {
	struct gv_read *r;
	struct gv_entity *pci, *gpu;
	unsigned unnamed;
	bool anonymous;		/* pci stands for a function whose device line is missing */
	bool had_sta, had_acs;	/* of an anonymous one: the same line again means the next function */
	double bar;		/* size of the largest window so far */
	const struct gv_line *bar_at;
	struct function record; /* -vmm: collected until the blank line */
	const struct gv_line *record_at;
};

static void mark_gone(struct reading *d, const char *words, const struct gv_line *l)
{
	if (d->pci)
		gv_put_flag(d->r, d->pci, GV_F_PCI_REV_FF, true, l);
	if (d->gpu)
		gv_put_str(d->r, d->gpu, GV_F_GPU_BROKEN, gv_str_of(words), l);
}

static void put_bar(struct reading *d)
{
	if (d->pci && d->bar > 0)
		gv_put_num(d->r, d->pci, GV_F_PCI_BAR_SIZE, d->bar, d->bar_at);
	d->bar = 0;
}

static void see_function(struct reading *d, const struct function *f, const struct gv_line *l)
{
	const char *vendor = vendor_of(f);
	gv_str bus;

	put_bar(d);
	d->gpu = NULL;
	d->anonymous = false;
	if (!gv_bus_id(d->r->arena, f->addr, &bus)) {
		d->pci = NULL;
		return;
	}
	d->pci = gv_see_pci(d->r, bus);
	if (f->class.n)
		gv_put_str(d->r, d->pci, GV_F_PCI_CLASS, f->class, l);
	if (f->device.n)
		gv_put_str(d->r, d->pci, GV_F_PCI_NAME, f->device, l);
	if (vendor && gpu_class(f) && !integrated(f, vendor))
		d->gpu = gv_see_pci_gpu(d->r, bus, f->addr, vendor, product_of(f), l);
	if (f->ff)
		mark_gone(d, "rev ff", l);
}

/* The function that a link or ACS line without a device line above it belongs to. */
static void see_unnamed(struct reading *d, bool next)
{
	gv_str after, word;

	if (d->pci && !(d->anonymous && next))
		return;
	if (d->unnamed >= UNNAMED_MAX)
		return;
	d->had_sta = d->had_acs = false;
	d->gpu = NULL;
	d->anonymous = true;
	/* With -s 41:00.0 there is one function, and the command line names it. */
	after = d->r->block->seg ? gv_after(d->r->block->seg->cmd, "-s ") : GV_NONE;
	if (after.p && d->unnamed == 0 && gv_word(&after, &word)) {
		struct function f = { .addr = word };

		while (f.addr.n && (f.addr.p[0] == '"' || f.addr.p[0] == '\''))
			f.addr = gv_from(f.addr, 1);
		f.addr = gv_sub(f.addr, 0, addr_len(f.addr));
		if (f.addr.n) {
			see_function(d, &f, NULL);
			d->anonymous = true;
			d->unnamed++;
			return;
		}
	}
	d->unnamed++;
	d->pci = gv_see(d->r, GV_PCI, gv_fmt(d->r->arena, "?%u", d->unnamed));
}

/* "Port #0, Speed 16GT/s (downgraded), Width x8 (ok), ..." */
static void read_link(struct reading *d, gv_str s, bool sta, const struct gv_line *l)
{
	gv_str speed, width, rest;
	double v;

	see_unnamed(d, d->had_sta);
	if (!d->pci)
		return;
	d->had_sta = sta;
	speed = gv_before(gv_trim(gv_after(s, "Speed ")), ",");
	width = gv_before(gv_trim(gv_after(s, "Width x")), ",");
	if (gv_lead_num(speed, &v, &rest) && v > 0) {
		gv_put_num(d->r, d->pci, sta ? GV_F_PCI_SPEED : GV_F_PCI_CAP_SPEED, v, l);
		if (sta && gv_has(rest, "("))
			gv_put_flag(d->r, d->pci, GV_F_PCI_SPEED_DOWN, gv_has(rest, "(downgraded)"), l);
	} else if (speed.n) {
		gv_put_none(d->r, d->pci, sta ? GV_F_PCI_SPEED : GV_F_PCI_CAP_SPEED, GV_UNKNOWN,
			    "lspci does not know the speed", l);
	}
	if (!gv_lead_num(width, &v, &rest))
		return;
	/* A virtual function has no link of its own and reads as x0 at an unknown speed. */
	if (v == 0 && sta && !gv_lead_num(speed, &v, &rest)) {
		gv_put_none(d->r, d->pci, GV_F_PCI_WIDTH, GV_NOT_APPLICABLE, "the function has no link of its own", l);
		return;
	}
	(void)gv_lead_num(width, &v, &rest);
	gv_put_num(d->r, d->pci, sta ? GV_F_PCI_WIDTH : GV_F_PCI_CAP_WIDTH, v, l);
	/* x0 is a port with nothing behind it: no lane was lost. */
	if (sta && v > 0 && gv_has(rest, "("))
		gv_put_flag(d->r, d->pci, GV_F_PCI_WIDTH_DOWN, gv_has(rest, "(downgraded)"), l);
}

/* "256M", "16GB", in MiB */
static bool size_of(gv_str s, double *ret)
{
	gv_str rest;
	double v;

	if (!gv_lead_num(s, &v, &rest) || !rest.n)
		return false;
	*ret = rest.p[0] == 'K' ? v / 1024 : rest.p[0] == 'M' ? v : rest.p[0] == 'G' ? v * 1024 : rest.p[0] == 'T' ? v * 1048576 : -1;
	return *ret >= 0;
}

/* "Region 1: Memory at 38000000000 (64-bit, prefetchable) [size=32G]", "Region 0: Memory at <unassigned> (32-bit, ...)":
 * a window of memory without an address is of no use; one of I/O ports is not missed, and a disabled one has its
 * address. */
static void read_region(struct reading *d, gv_str s, const struct gv_line *l)
{
	gv_str rest;
	double number, size;

	if (!gv_has(s, ": Memory at ") || !gv_lead_num(gv_from(s, 7), &number, &rest) || number > 5)
		return;
	if (gv_has(s, "<unassigned>") || gv_has(s, "<ignored>")) {
		gv_put_num(d->r, d->pci, GV_F_PCI_BAR_NONE, number, l);
	} else if (size_of(gv_after(s, "[size="), &size) && size > d->bar) {
		d->bar = size;
		d->bar_at = l;
	}
}

/* "BAR 1: current size: 256MB, supported: 64MB 128MB 256MB ... 32GB" below "Physical Resizable BAR" */
static void read_resizable(struct reading *d, gv_str s, const struct gv_line *l)
{
	gv_str list = gv_after(s, "supported:"), w;
	double size, most = 0;

	while (gv_word(&list, &w))
		if (size_of(w, &size) && size > most)
			most = size;
	if (most > 0)
		gv_put_num(d->r, d->pci, GV_F_PCI_BAR_RESIZE, most, l);
}

static void read_property(struct reading *d, gv_str s, const struct gv_line *l)
{
	gv_str rest;
	uint64_t bus;
	double v;

	if (gv_starts(s, "LnkCap:") || gv_starts(s, "LnkSta:")) {
		read_link(d, s, gv_starts(s, "LnkSta:"), l);
	} else if (gv_starts(s, "ACSCtl:")) {
		see_unnamed(d, d->had_acs);
		d->had_acs = true;
		if (d->pci)
			gv_put_flag(d->r, d->pci, GV_F_PCI_ACS_REDIR,
				    gv_has(s, "ReqRedir+") || gv_has(s, "CmpltRedir+"), l);
	} else if (!d->pci) {
		return;
	} else if (gv_starts(s, "Region ")) {
		read_region(d, s, l);
	} else if (gv_starts(s, "BAR ") && gv_has(s, ": current size:")) {
		read_resizable(d, s, l);
	} else if (gv_starts(s, "IOMMU group:")) {
		gv_put_str(d->r, d->pci, GV_F_PCI_IOMMU, gv_trim(gv_from(s, 12)), l);
	} else if (gv_starts(s, "Capabilities: <access denied>")) {
		gv_put_none(d->r, d->pci, GV_F_PCI_WIDTH, GV_UNKNOWN, "lspci ran without root", l);
		gv_put_none(d->r, d->pci, GV_F_PCI_SPEED, GV_UNKNOWN, "lspci ran without root", l);
	} else if (gv_starts(s, "Kernel driver in use:")) {
		gv_put_str(d->r, d->pci, GV_F_PCI_DRIVER, gv_from(s, 21), l);
	} else if (gv_starts(s, "Kernel modules:")) {
		gv_put_str(d->r, d->pci, GV_F_PCI_MODULES, gv_trim(gv_from(s, 15)), l);
	} else if (gv_starts(s, "NUMA node:") && gv_lead_num(gv_from(s, 10), &v, &rest)) {
		gv_put_num(d->r, d->pci, GV_F_PCI_NUMA, v, l);
		if (d->gpu && v >= 0)
			gv_put_num(d->r, d->gpu, GV_F_GPU_NUMA, v, l);
	} else if (gv_starts(s, "Bus: primary=") && gv_hex_u64(gv_sub(gv_after(s, "secondary="), 0, 2), &bus)) {
		gv_put_num(d->r, d->pci, GV_F_PCI_SECONDARY, (double)bus, l);
	} else if (gv_starts(s, "!!! Unknown header type 7f")) {
		mark_gone(d, "unknown header type 7f", l);
	}
}

/* -vmm: a record of "Key:\tvalue" lines, ended by a blank line. The class and vendor come before Rev, Driver and the
 * rest, so the function is made at the first line behind Device. */
static void read_record(struct reading *d, gv_str s, const struct gv_line *l)
{
	gv_str key, value;

	if (!gv_key_value(s, &key, &value))
		return;
	if (gv_is(key, "Slot")) {
		d->record = (struct function){ .addr = value };
		d->record_at = l;
		d->pci = d->gpu = NULL;
	} else if (!d->record_at) {
		return;
	} else if (gv_is(key, "Class")) {
		d->record.class = gv_trim(gv_before(value, " ["));
		if (gv_between(value, "[", "]").n == 4)
			(void)gv_hex_u64(gv_between(value, "[", "]"), &d->record.class_id);
	} else if (gv_is(key, "Vendor")) {
		d->record.device = value;
	} else if (gv_is(key, "Device")) {
		d->record.device =
		    gv_fmt(d->r->arena, "%.*s %.*s", GV_ARG(gv_before(d->record.device, " [")), GV_ARG(value));
		see_function(d, &d->record, d->record_at);
	} else if (gv_is(key, "Rev") && gv_is(value, "ff")) {
		mark_gone(d, "rev ff", l);
	} else if (gv_is(key, "Driver") && d->pci) {
		gv_put_str(d->r, d->pci, GV_F_PCI_DRIVER, value, l);
	}
}

static void lspci_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading d = { .r = r };
	struct function f;

	for (size_t i = 0; i < n; i++) {
		gv_str s = gv_trim(l[i].text);

		if (s.n == 0)
			continue;
		if (device_line(r->arena, s, &f))
			see_function(&d, &f, &l[i]);
		else if (record_line(s))
			read_record(&d, s, &l[i]);
		else
			read_property(&d, s, &l[i]);
	}
	put_bar(&d);
}

const struct gv_format gv_format_lspci = {
	.name = "lspci",
	.heads = { "controller", "bridge", "accelerator", "Slot:", "LnkCap:", "LnkSta:", "ACSCtl:", ":00." },
	.claim = lspci_claim,
	.read = lspci_read,
};
