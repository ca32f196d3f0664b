/* SPDX-License-Identifier: Apache-2.0 */
/* rocminfo: state of the ROCm kernel module, the HSA runtime, and its agents, of which the GPUs are read.
 *
 * Sources: ROCm/rocminfo, rocminfo.cc. BDFID holds bus, device and function (KFD's location id without its domain; the
 * top bits number the partitions of one GPU). A GPU's Name is its target; the name below "ISA 1" is another. */
#include "format/common.h"

static bool of_rocminfo(const struct gv_seg *seg)
{
	return seg && gv_has(seg->cmd, "rocminfo");
}

static bool first_line(gv_str s)
{
	return gv_starts(s, "ROCk module") || gv_starts(s, "HSA System Attributes") || gv_starts(s, "HSA Agents") ||
	       gv_starts(s, "Unable to open /dev/kfd") || gv_starts(s, "hsa api call failure at");
}

static bool frame(gv_str s)
{
	size_t i;

	for (i = 0; i < s.n && (s.p[i] == '=' || s.p[i] == '*'); i++)
		;
	return i == s.n && i >= 5;
}

/* Lines that a squeezed paste shows without indent. */
static bool agent_line(gv_str s)
{
	static const char *const labels[] = { "Agent ",
					      "Name:",
					      "Uuid:",
					      "Marketing Name:",
					      "Vendor Name:",
					      "Feature:",
					      "Profile:",
					      "Float Round",
					      "Max ",
					      "Queue ",
					      "Node:",
					      "Device Type:",
					      "Cache Info:",
					      "L1:",
					      "L2:",
					      "L3:",
					      "Chip ID:",
					      "ASIC Revision:",
					      "Cacheline Size:",
					      "BDFID:",
					      "Internal Node ID:",
					      "Compute Unit:",
					      "SIMDs per CU:",
					      "Shader ",
					      "WatchPts",
					      "Features:",
					      "Pool ",
					      "Segment:",
					      "Size:",
					      "Allocatable:",
					      "Alloc ",
					      "Accessible",
					      "ISA ",
					      "Machine Models:",
					      "Profiles:",
					      "Default ",
					      "Fast ",
					      "Workgroup ",
					      "Wavefront ",
					      "Grid ",
					      "FBarrier ",
					      "Packet ",
					      "SDMA ",
					      "IOMMU ",
					      "Coherent ",
					      "Runtime ",
					      "System ",
					      "Sig. ",
					      "Signal ",
					      "Machine ",
					      "Mwaitx:",
					      "XNACK ",
					      "DMAbuf ",
					      "VMM ",
					      "HSA ",
					      "user is ",
					      "hsa api ",
					      "Call returned",
					      "Unable to open",
					      "*** Done",
					      "Failed to get user",
					      "Able to open",
					      "Memory Properties:",
					      "x ",
					      "y ",
					      "z " };

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		if (gv_starts(s, labels[i]))
			return true;
	return gv_has(s, "is member of") || gv_has(s, "is not member of");
}

static bool gfx_line(gv_str s)
{
	return gv_starts(s, "Name:") && gv_starts(gv_trim(gv_from(s, 5)), "gfx");
}

static size_t rocminfo_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	bool ours = of_rocminfo(seg);
	gv_str t = gv_trim(l[0].text);
	size_t end = 1;

	if (!first_line(t) && !(ours && (gfx_line(t) || gv_starts(t, "Marketing Name:") || gv_starts(t, "Name:"))))
		return 0;
	for (size_t i = 1; i < n; i++) {
		t = gv_trim(l[i].text);
		if (t.n == 0)
			continue;
		if (gv_indent(l[i].text) == 0 && !frame(t) && !first_line(t) && !agent_line(t))
			break;
		end = i + 1;
		if (gv_starts(t, "*** Done"))
			break;
	}
	return end;
}

struct agent {
	gv_str name, uuid, product, units, isa;
	const struct gv_line *name_at, *uuid_at, *product_at, *bdf_at, *units_at, *isa_at;
	uint64_t bdf;
	int type; /* 0 unknown, 1 GPU, 2 another */
};

struct reading {
	struct gv_read *r;
	struct agent agent;
	size_t gpus;
};

static bool all_zero(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '0')
			return false;
	return true;
}

static void flush_agent(struct reading *d)
{
	struct agent a = d->agent;
	struct gv_read *r = d->r;
	struct gv_entity *gpu;
	gv_str tail;

	d->agent = (struct agent){ 0 };
	/* Cut-down outputs may have no type; the name of a GPU is its target. */
	if (a.type == 2 || (a.type == 0 && !gv_starts(a.name, "gfx")) || !(a.name_at || a.product_at))
		return;
	gpu = gv_see(r, GV_GPU, GV_NONE);
	gv_put_str(r, gpu, GV_F_GPU_VENDOR, GV_STR("amd"), a.name_at ? a.name_at : a.product_at);
	if (a.name_at)
		gv_put_str(r, gpu, GV_F_GPU_ARCH, a.name, a.name_at);
	if (a.product.n)
		gv_put_str(r, gpu, GV_F_GPU_NAME, a.product, a.product_at);
	if (a.units_at)
		gv_put_cell(r, gpu, GV_F_GPU_UNITS, a.units, a.units_at);
	if (a.isa.n)
		gv_put_str(r, gpu, GV_F_GPU_ISA, a.isa, a.isa_at);
	/* "GPU-XX" is what it prints for boards without one; zeros tell nothing apart. */
	tail = gv_starts(a.uuid, "GPU-") ? gv_from(a.uuid, 4) : GV_NONE;
	if (tail.n >= 8 && !all_zero(tail)) {
		gv_key(r, gpu, GV_KEY_UUID, a.uuid);
		gv_put_str(r, gpu, GV_F_GPU_UUID, a.uuid, a.uuid_at);
	}
	if (a.bdf_at && (a.bdf & 0xffff)) {
		gv_str bus = gv_fmt(r->arena, "0000:%02x:%02x.%x", (unsigned)(a.bdf >> 8 & 0xff),
				    (unsigned)(a.bdf >> 3 & 0x1f), (unsigned)(a.bdf & 7));

		gv_key(r, gpu, GV_KEY_BUS, bus);
		gv_put_str(r, gpu, GV_F_GPU_BUS_ID, bus, a.bdf_at);
	} else {
		gv_key(r, gpu, GV_KEY_INDEX, gv_fmt(r->arena, "%zu", d->gpus));
	}
	d->gpus++;
}

static void read_agent(struct reading *d, gv_str key, gv_str value, const struct gv_line *l)
{
	struct agent *a = &d->agent;

	if (gv_is(key, "Name")) {
		/* "amdgcn-amd-amdhsa--gfx90a:xnack-" is the name of an instruction set. The first is the GPU's own; others are
		 * generic ones that it can run, too. */
		if (gv_starts(value, "amdgcn")) {
			if (!a->isa_at) {
				a->isa = gv_after(value, "--");
				a->isa_at = l;
			}
			return;
		}
		if (a->name_at)
			flush_agent(d);
		a->name = value;
		a->name_at = l;
	} else if (gv_is(key, "Compute Unit")) {
		a->units = value;
		a->units_at = l;
	} else if (gv_is(key, "Uuid")) {
		a->uuid = value;
		a->uuid_at = l;
	} else if (gv_is(key, "Marketing Name")) {
		a->product = value;
		a->product_at = l;
	} else if (gv_is(key, "Device Type")) {
		a->type = gv_starts(value, "GPU") ? 1 : 2;
	} else if (gv_is(key, "BDFID")) {
		if (gv_to_u64(value, &a->bdf))
			a->bdf_at = l;
	}
}

/* Errors in place of agents: the one that is nearest to the cause is kept. */
struct error {
	const struct gv_line *at;
	int rank;
};

static void read_error(struct error *e, gv_str s, const struct gv_line *l)
{
	int rank = 0;

	if (gv_starts(s, "ROCk module is NOT"))
		rank = 3;
	else if (gv_starts(s, "Unable to open /dev/kfd"))
		rank = 4;
	else if (gv_starts(s, "Call returned") || gv_has(s, "HSA_STATUS_ERROR"))
		rank = 2;
	else if (gv_starts(s, "hsa api call failure"))
		rank = 1;
	if (rank > e->rank)
		*e = (struct error){ l, rank };
}

static void rocminfo_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading d = { .r = r };
	struct error err = { 0 };
	const struct gv_line *done = NULL;
	gv_str key, value;

	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);

		read_error(&err, t, &l[i]);
		if (gv_starts(t, "ROCk module"))
			gv_put_flag(r, gv_see_node(r), GV_F_ROCM_MODULE, !gv_has(t, "NOT "), &l[i]);
		else if (gv_starts(t, "Agent ") && gv_find_c(t, ':') < 0)
			flush_agent(&d);
		else if (gv_starts(t, "*** Done"))
			done = &l[i];
		else if (gv_key_value(t, &key, &value)) {
			if (gv_is(key, "Runtime Version"))
				gv_put_str(r, gv_see_node(r), GV_F_ROCM_HSA, value, &l[i]);
			else
				read_agent(&d, key, gv_trim(value), &l[i]);
		}
	}
	flush_agent(&d);
	if (err.at)
		gv_put_str(r, gv_see_node(r), GV_F_ROCM_ERROR, gv_trim(err.at->text), err.at);
	/* A complete list without a GPU is an answer; a shorter one than expected may be a mask. */
	if (done && d.gpus == 0)
		gv_put_num(r, gv_see_node(r), r->block->container ? GV_F_GPU_CONTAINER_COUNT : GV_F_GPU_COUNT, 0, done);
}

const struct gv_format gv_format_rocminfo = {
	.name = "rocminfo",
	.heads = { "ROCk module", "HSA System Attributes", "HSA Agents", "/dev/kfd read-write", "hsa api call failure",
		   "gfx", "Marketing Name:", "Name:" },
	.claim = rocminfo_claim,
	.read = rocminfo_read,
};
