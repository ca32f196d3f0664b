/* SPDX-License-Identifier: Apache-2.0 */
/* lspci -t and -tv: which port a function hangs under.
 *
 *     -+-[0000:40]-+-01.1-[41-43]----00.0-[42-43]--+-00.0-[43]----00.0  NVIDIA Corporation GA100 [A100 PCIe 40GB]
 *      |           |                               \-08.0-[44]--
 *      |           \-02.0  Advanced Micro Devices, Inc. ...
 *      \-[0000:00]-+-00.0
 *
 * A function belongs to the bus whose bracket stands before it on its line, or to that of the function above it in the
 * same column. Source: pciutils, ls-tree.c. */
#include "format/common_pci.h"

#define COLUMNS 512
#define LINES_MAX 8192

static bool hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static size_t hex_run(gv_str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.n && n < 9 && hex_digit(s.p[at + n]))
		n++;
	return n;
}

/* "01.1" at s[at] */
static bool function_at(gv_str s, size_t at)
{
	return hex_run(s, at) == 2 && at + 3 < s.n && s.p[at + 2] == '.' && s.p[at + 3] >= '0' && s.p[at + 3] <= '7' &&
	       (at + 4 == s.n || s.p[at + 4] == ' ' || s.p[at + 4] == '-');
}

/* "[0000:40]", "[41]", "[41-43]" at s[at]; the first bus of it. Its length, 0 where there is none. */
static size_t bracket_at(gv_str s, size_t at, gv_str *ret_domain, gv_str *ret_bus)
{
	size_t i = at + 1, n;

	if (at >= s.n || s.p[at] != '[')
		return 0;
	*ret_domain = GV_NONE;
	n = hex_run(s, i);
	if (n >= 4 && n <= 8 && i + n < s.n && s.p[i + n] == ':') {
		*ret_domain = gv_sub(s, i, n);
		i += n + 1;
		n = hex_run(s, i);
	}
	if (n != 2)
		return 0;
	*ret_bus = gv_sub(s, i, 2);
	i += 2;
	if (i < s.n && s.p[i] == '-' && hex_run(s, i + 1) == 2)
		i += 3;
	return i < s.n && s.p[i] == ']' ? i + 1 - at : 0;
}

static bool drawing(char c)
{
	return c == ' ' || c == '|' || c == '+' || c == '\\' || c == '-';
}

/* Lines of a tree: drawing, then a function or the bracket of a root. */
static bool tree_line(gv_str text)
{
	gv_str s = gv_rtrim(text), domain, bus;
	size_t i = 0;

	while (i < s.n && i < COLUMNS && drawing(s.p[i]))
		i++;
	return i && i < s.n && s.p[i - 1] == '-' &&
	       (function_at(s, i) || (bracket_at(s, i, &domain, &bus) && domain.n));
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str first = l[0].text;
	size_t end = 0;

	(void)seg;
	if (!(gv_starts(first, "-[") || gv_starts(first, "-+-[")))
		return 0;
	while (end < n && end < LINES_MAX && tree_line(l[end].text))
		end++;
	return end;
}

struct owner {
	gv_str domain, bus;
};

/* "  NVIDIA Corporation GA100 [A100 PCIe 40GB]" behind a function: a product's name in brackets, which other functions
 * of a GPU (audio, USB) and its switches do not bear. */
static gv_str gpu_name(gv_str name)
{
	static const char *const others[] = { "Audio",	"USB",	  "UCSI",     "NVSwitch",
					      "Bridge", "Switch", "Ethernet", "BlueField" };
	gv_str product = gv_between(name, "[", "]");

	if (!gv_starts(name, "NVIDIA Corporation ") || product.n < 2 || (product.n == 9 && product.p[4] == ':'))
		return GV_NONE;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (gv_has(name, others[i]))
			return GV_NONE;
	return product;
}

/* The function at column `at`; what follows it, up to the next bracket of its own, is its. Where that ends. */
static size_t see_function(struct gv_read *r, gv_str s, size_t at, const struct owner *of, const struct gv_line *l,
			   struct owner *ret_below)
{
	gv_str printed =
	    gv_fmt(r->arena, "%.*s:%.*s:%.*s", GV_ARG(of->domain), GV_ARG(of->bus), GV_ARG(gv_sub(s, at, 4)));
	gv_str bus, domain, below, name, product;
	struct gv_entity *pci;
	uint64_t v;
	size_t n;

	if (!gv_bus_id(r->arena, printed, &bus))
		return s.n;
	pci = gv_see_pci(r, bus);
	at += 4;
	n = at < s.n && s.p[at] == '-' ? bracket_at(s, at + 1, &domain, &below) : 0;
	if (n) {
		if (gv_hex_u64(below, &v) && v)
			gv_put_num(r, pci, GV_F_PCI_SECONDARY, (double)v, l);
		*ret_below = (struct owner){ of->domain, below };
		return at + 1 + n;
	}
	name = gv_trim(gv_from(s, at));
	if (name.n)
		gv_put_str(r, pci, GV_F_PCI_NAME, name, l);
	product = gpu_name(name);
	if (product.n)
		gv_see_pci_gpu(r, bus, printed, "nvidia", product, l);
	return s.n;
}

static void read_tree(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct owner *column = GV_NEWN(r->arena, struct owner, COLUMNS);

	for (size_t i = 0; i < n; i++) {
		gv_str s = gv_rtrim(l[i].text), domain, bus;
		struct owner here = { 0 }; /* the bracket that was opened last on this line */
		size_t at = 0, len;

		while (at < s.n && at < COLUMNS) {
			if (function_at(s, at)) {
				if (!here.bus.n)
					here = column[at];
				column[at] = here;
				if (!here.bus.n)
					break;
				at = see_function(r, s, at, &here, &l[i], &here);
				continue;
			}
			len = bracket_at(s, at, &domain, &bus);
			if (len && domain.n)
				here = (struct owner){ domain, bus };
			at += len ? len : 1;
		}
	}
}

const struct gv_format gv_format_lspci_tree = {
	.name = "lspci -t",
	.heads = { "-[0", "-[1" },
	.claim = claim,
	.read = read_tree,
};
