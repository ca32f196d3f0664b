/* SPDX-License-Identifier: Apache-2.0 */
/* lscpu: "Key: value" lines, whole or as grep leaves them; newer versions indent keys that belong to another. */
#include "format/common.h"

/* Beginnings of the keys that stand at the left margin. */
static const char *const keys[] = {
	"Architecture:",
	"CPU op-mode",
	"Byte Order:",
	"Address sizes:",
	"CPU(s):",
	"On-line CPU(s)",
	"Off-line CPU(s)",
	"Thread(s) per",
	"Core(s) per",
	"Die(s) per",
	"Cluster(s)",
	"Socket(s)",
	"NUMA",
	"Vendor ID:",
	"Model:",
	"Model name:",
	"CPU family:",
	"CPU MHz:",
	"CPU max MHz:",
	"CPU min MHz:",
	"CPU(s) scaling MHz:",
	"CPU dynamic MHz:",
	"CPU static MHz:",
	"Stepping:",
	"BogoMIPS:",
	"Virtualization",
	"Hypervisor",
	"Frequency boost:",
	"Microarchitecture:",
	"BIOS ",
	"Machine type:",
	"Drawer(s)",
	"Book(s)",
	"Dispatching mode:",
	"L1",
	"L2",
	"L3",
	"L4",
	"Caches",
	"Vulnerabilit",
	"Flags:",
};

/* Those by which an excerpt is known to be lscpu's. */
static const char *const telling[] = {
	"Architecture:",       "CPU op-mode", "CPU(s):",   "On-line CPU(s) list:", "Thread(s) per core:",
	"Core(s) per socket:", "Socket(s):",  "NUMA node", "Model name:",	   "Byte Order:",
};

static bool begins(gv_str line, const char *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (gv_starts(line, v[i]))
			return true;
	return false;
}

/* lscpu pads its values, and puts a blank at least behind the colon; a colon with nothing is a group or an empty list.
 */
static bool is_pair(gv_str line)
{
	gv_str key, value;

	return gv_key_value(line, &key, &value) && key.n && key.n < 48;
}

/* A long list of flags goes on in the next line, words only. */
static bool goes_on(gv_str line)
{
	if (!line.n || !(line.p[0] == ' ' || line.p[0] == '\t') || gv_find_c(line, ':') >= 0)
		return false;
	for (size_t i = 0; i < line.n; i++) {
		char c = line.p[i];

		if (!(c == ' ' || c == '\t' || c == '_' || c == '.' || (c >= 'a' && c <= 'z') ||
		      (c >= '0' && c <= '9')))
			return false;
	}
	return true;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 1;

	(void)seg;
	if (!begins(gv_trim(l[0].text), telling, sizeof(telling) / sizeof(telling[0])) || !is_pair(l[0].text))
		return 0;
	for (; i < n; i++) {
		gv_str t = l[i].text;
		bool in = t.n && (t.p[0] == ' ' || t.p[0] == '\t');

		if (is_pair(t) && (in || begins(t, keys, sizeof(keys) / sizeof(keys[0]))))
			continue;
		if (!goes_on(t))
			break;
	}
	return i;
}

static void read_numa(struct gv_read *r, gv_str key, gv_str value, const struct gv_line *l)
{
	gv_str number = gv_trim(gv_between(key, "NUMA node", "CPU(s)"));
	struct gv_entity *e;
	uint64_t v;

	if (!gv_to_u64(number, &v) || v > 4096)
		return;
	e = gv_see(r, GV_NUMA, number);
	if (value.n)
		gv_put_str(r, e, GV_F_NUMA_CPUS, value, l);
	else
		gv_put_none(r, e, GV_F_NUMA_CPUS, GV_NOT_APPLICABLE, "a node of memory only", l);
}

static void read_lscpu(struct gv_read *r, const struct gv_line *l, size_t n)
{
	static const struct {
		const char *key;
		enum gv_fact fact;
	} counts[] = {
		{ "CPU(s)", GV_F_CPUS },
		{ "Thread(s) per core", GV_F_THREADS_PER_CORE },
		{ "NUMA node(s)", GV_F_NUMA_NODES },
	};
	struct gv_entity *node = gv_see_node(r);

	for (size_t i = 0; i < n; i++) {
		gv_str key, value;

		if (!gv_key_value(gv_trim(l[i].text), &key, &value))
			continue;
		for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++)
			if (gv_is(key, counts[k].key))
				gv_put_cell(r, node, counts[k].fact, value, &l[i]);
		if (gv_is(key, "Model name"))
			gv_put_str(r, node, GV_F_CPU_MODEL, value, &l[i]);
		else if (gv_is(key, "Architecture"))
			gv_put_str(r, node, GV_F_MACHINE, value, &l[i]);
		else if (gv_starts(key, "NUMA node") && gv_ends(key, "CPU(s)"))
			read_numa(r, key, value, &l[i]);
	}
}

const struct gv_format gv_format_lscpu = {
	.name = "lscpu",
	.heads = { "Architecture:", "CPU op-mode", "CPU(s):", "CPU(s) list:", "Thread(s) per core:",
		   "Core(s) per socket:", "Socket(s):", "NUMA node", "Model name:", "Byte Order:" },
	.claim = claim,
	.read = read_lscpu,
};
