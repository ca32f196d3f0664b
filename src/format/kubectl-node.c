/* SPDX-License-Identifier: Apache-2.0 */
/* kubectl describe node, whole or cut down (sed, grep -A, a ticket's excerpt).
 *
 * Sources: kubectl's describe.go. An excerpt may begin anywhere, have lost its indent, or hold the resource lines
 * alone: then the first of two equal names is Capacity, the second Allocatable. */
#include "format/common.h"

enum section {
	SEC_NONE,
	SEC_LABELS,
	SEC_TAINTS,
	SEC_CONDITIONS,
	SEC_CAPACITY,
	SEC_ALLOCATABLE,
	SEC_ALLOCATED,
	SEC_OTHER
};

static bool of_node(const struct gv_seg *seg)
{
	return seg && gv_has(seg->cmd, "describe") &&
	       (gv_has(seg->cmd, " node ") || gv_has(seg->cmd, " nodes ") || gv_has(seg->cmd, " no ") ||
		gv_has(seg->cmd, " node/") || gv_ends(seg->cmd, " nodes") || gv_ends(seg->cmd, " node"));
}

/* "kubectl describe node gpu-worker-12 | ..." */
static gv_str node_of_command(gv_str cmd)
{
	gv_str rest = gv_after(cmd, "describe"), word;

	while (rest.p && gv_word(&rest, &word)) {
		if (gv_is(word, "|") || gv_is(word, ";") || gv_is(word, "&&"))
			break;
		if (gv_starts(word, "node/"))
			return gv_from(word, 5);
		if (word.p[0] == '-' || gv_is(word, "node") || gv_is(word, "nodes") || gv_is(word, "no"))
			continue;
		if (word.p[0] == '$' || word.p[0] == '"' || word.p[0] == '<')
			break;
		return gv_before(gv_before(word, "|"), ";");
	}
	return GV_NONE;
}

/* A resource that stands for whole GPUs or for slices that the scheduler counts like them. */
static bool gpu_resource(gv_str s)
{
	return gv_is(s, "nvidia.com/gpu") || gv_is(s, "nvidia.com/gpu.shared") || gv_starts(s, "nvidia.com/mig-") ||
	       gv_is(s, "amd.com/gpu") || gv_is(s, "gpu.intel.com/i915") || gv_is(s, "gpu.intel.com/xe") ||
	       gv_is(s, "habana.ai/gaudi") || gv_is(s, "habana.ai/goya") || gv_is(s, "nvidia.com/pgpu") ||
	       gv_is(s, "nvidia.com/vgpu") || gv_is(s, "aliyun.com/gpu");
}

/* A name as resources have it: cpu, memory, hugepages-2Mi, nvidia.com/gpu. */
static bool resource_name(gv_str s)
{
	if (s.n == 0 || s.n > 128)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
		      c == '-' || c == '_' || c == '/'))
			return false;
	}
	return true;
}

/* "nvidia.com/gpu:  8": 47400m, 503842Mi and a plain number are quantities. */
static bool resource_line(gv_str line, gv_str *ret_name, double *ret)
{
	gv_str s = gv_trim(line), rest;

	return gv_key_value(s, ret_name, &rest) && resource_name(*ret_name) && gv_lead_num(rest, ret, &rest) &&
	       *ret >= 0;
}

static enum section section_of(gv_str key)
{
	static const struct {
		const char *key;
		enum section sec;
	} secs[] = {
		{ "Labels", SEC_LABELS },
		{ "Taints", SEC_TAINTS },
		{ "Conditions", SEC_CONDITIONS },
		{ "Capacity", SEC_CAPACITY },
		{ "Allocatable", SEC_ALLOCATABLE },
		{ "Allocated resources", SEC_ALLOCATED },
		{ "Name", SEC_OTHER },
		{ "Roles", SEC_OTHER },
		{ "Annotations", SEC_OTHER },
		{ "CreationTimestamp", SEC_OTHER },
		{ "Unschedulable", SEC_OTHER },
		{ "Lease", SEC_OTHER },
		{ "Addresses", SEC_OTHER },
		{ "System Info", SEC_OTHER },
		{ "PodCIDR", SEC_OTHER },
		{ "PodCIDRs", SEC_OTHER },
		{ "ProviderID", SEC_OTHER },
		{ "Non-terminated Pods", SEC_OTHER },
		{ "Events", SEC_OTHER },
		{ "Phase", SEC_OTHER },
	};

	for (size_t i = 0; i < sizeof(secs) / sizeof(*secs); i++)
		if (gv_is(key, secs[i].key))
			return secs[i].sec;
	return SEC_NONE;
}

/* "Name: gpu-01" of a node: a pod has its namespace next. */
static bool begins_node(const struct gv_line *l, size_t n)
{
	gv_str key, value;

	if (!gv_key_value(gv_trim(l[0].text), &key, &value) || !gv_is(key, "Name") || !value.n ||
	    gv_find_c(value, ' ') >= 0)
		return false;
	for (size_t i = 1; i < n && i < 4; i++) {
		enum section sec;

		if (!gv_key_value(gv_trim(l[i].text), &key, &value))
			continue;
		if (gv_is(key, "Namespace"))
			return false;
		sec = section_of(key);
		if (gv_is(key, "Roles") || gv_is(key, "Taints") || sec == SEC_CAPACITY || sec == SEC_ALLOCATABLE)
			return true;
		if (gv_is(key, "Labels"))
			return gv_has(value, "/os=") || gv_has(value, "gpu") || gv_has(value, "kubernetes.io/arch");
	}
	return false;
}

static bool begins_list(const struct gv_line *l, size_t n)
{
	gv_str key, value, name;
	double v;

	if (!gv_key_value(gv_trim(l[0].text), &key, &value) || value.n)
		return false;
	switch (section_of(key)) {
	case SEC_CAPACITY:
	case SEC_ALLOCATABLE:
		return n > 1 && resource_line(l[1].text, &name, &v);
	case SEC_ALLOCATED:
		return true;
	case SEC_CONDITIONS:
		return n > 1 && gv_has(l[1].text, "LastHeartbeatTime");
	default:
		return false;
	}
}

static bool label_line(gv_str s)
{
	gv_str t = gv_trim(s), key = gv_before(t, "=");

	return key.n < t.n && resource_name(key) && gv_find_c(key, '/') > 0;
}

static bool allocated_line(gv_str s, gv_str *ret_name, double *ret)
{
	gv_str w[3], rest;

	if (gv_words(s, w, 3) < 2 || !resource_name(w[0]) || !gv_lead_num(w[1], ret, &rest))
		return false;
	*ret_name = w[0];
	return true;
}

/* Does a line that has lost its indent still belong to the section? */
static bool squeezed(gv_str t, enum section sec)
{
	static const char *const condition[] = {
		"Type ",     "---", "Ready ", "MemoryPressure ", "DiskPressure ", "PIDPressure ", "NetworkUnavailable ",
		"OutOfDisk "
	};
	gv_str name;
	double v;

	switch (sec) {
	case SEC_CAPACITY:
	case SEC_ALLOCATABLE:
		return resource_line(t, &name, &v);
	case SEC_LABELS:
	case SEC_TAINTS:
		return label_line(t);
	case SEC_ALLOCATED:
		return gv_starts(t, "(Total limits") || gv_starts(t, "Resource ") || gv_starts(t, "---") ||
		       allocated_line(t, &name, &v);
	case SEC_CONDITIONS:
		for (size_t i = 0; i < sizeof(condition) / sizeof(*condition); i++)
			if (gv_starts(t, condition[i]))
				return true;
		return false;
	default:
		return false;
	}
}

static size_t kubectl_node_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	enum section sec = SEC_NONE;
	gv_str key, value, name;
	bool ours = of_node(seg);
	bool gap = false;
	size_t end = 0;
	double v;

	if (!begins_node(l, n) && !begins_list(l, n)) {
		gv_str t = gv_trim(l[0].text);

		/* What grep leaves. */
		if (!ours || !(section_of(gv_before(t, ":")) != SEC_NONE || label_line(t) ||
			       (resource_line(t, &name, &v) && gpu_resource(name)) ||
			       (allocated_line(t, &name, &v) && gpu_resource(name))))
			return 0;
	}
	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);
		enum section next;

		if (t.n == 0) {
			gap = true;
			continue;
		}
		next = gv_indent(l[i].text) == 0 && gv_key_value(t, &key, &value) ? section_of(key) : SEC_NONE;
		/* The next node is a block of its own. */
		if (i > 0 && next == SEC_OTHER && gv_is(key, "Name"))
			break;
		if (next != SEC_NONE)
			sec = next;
		else if (!ours && (gap || gv_indent(l[i].text) == 0) && !squeezed(t, sec) && !gv_starts(t, "..."))
			break;
		gap = false;
		end = i + 1;
	}
	return end;
}

struct reading {
	struct gv_read *r;
	struct gv_entity *node;
	double capacity, allocatable, allocated;
	const struct gv_line *capacity_at, *allocatable_at, *allocated_at;
	size_t capacity_lines, allocatable_lines; /* resources of any kind */
	const struct gv_line *list_at;		  /* the line of the last list that was printed */
	gv_str resource;
	const struct gv_line *resource_at;
	bool labelled;
	unsigned bare; /* resource lines outside any section */
	gv_str taints;
	const struct gv_line *taints_at;
};

/* The plain name wins over slices of it. */
static void keep_resource(struct reading *d, gv_str name, const struct gv_line *l)
{
	if (d->resource.n && (gv_ends(d->resource, "/gpu") || !gv_ends(name, "/gpu")))
		return;
	d->resource = name;
	d->resource_at = l;
}

static void read_resource(struct reading *d, enum section sec, gv_str s, const struct gv_line *l)
{
	gv_str name;
	double v;

	if (!resource_line(s, &name, &v))
		return;
	if (sec == SEC_CAPACITY)
		d->capacity_lines++;
	if (sec == SEC_ALLOCATABLE)
		d->allocatable_lines++;
	if (!gpu_resource(name))
		return;
	keep_resource(d, name, l);
	if (sec == SEC_NONE || sec == SEC_OTHER)
		sec = d->bare++ == 0 ? SEC_CAPACITY : SEC_ALLOCATABLE;
	/* Kinds of one node are added up: whole GPUs and slices beside each other. */
	if (sec == SEC_CAPACITY) {
		d->capacity += v;
		d->capacity_at = l;
	} else if (sec == SEC_ALLOCATABLE) {
		d->allocatable += v;
		d->allocatable_at = l;
	}
}

static void read_allocated(struct reading *d, gv_str s, const struct gv_line *l)
{
	gv_str name;
	double v;

	if (!allocated_line(s, &name, &v) || !gpu_resource(name))
		return;
	keep_resource(d, name, l);
	d->allocated += v;
	d->allocated_at = l;
}

/* Labels that the vendors' discovery, a cloud or an administrator puts on nodes that have GPUs. */
static void read_label(struct reading *d, gv_str s, const struct gv_line *l)
{
	gv_str t = gv_trim(s), key, value;
	ptrdiff_t eq = gv_find_c(t, '=');

	if (d->labelled || eq <= 0)
		return;
	key = gv_sub(t, 0, (size_t)eq);
	value = gv_trim(gv_from(t, (size_t)eq + 1));
	if (!gv_has(key, "gpu") && !gv_has(key, "accelerator") && !gv_has(key, "pci-10de") && !gv_has(key, "_10de"))
		return;
	/* Set by an operator for its own pods, or an absence. */
	if (gv_has(key, "gpu.deploy") || gv_is(value, "false") || gv_is(value, "0") || gv_is(value, "none") ||
	    gv_is(value, "no"))
		return;
	gv_put_str(d->r, d->node, GV_F_K8S_GPU_LABEL, t, l);
	d->labelled = true;
}

#define TAINTS_MAX 2000 /* bytes */

static void read_taint(struct reading *d, gv_str s, const struct gv_line *l)
{
	s = gv_trim(s);
	if (!s.n || d->taints.n + s.n > TAINTS_MAX)
		return;
	if (gv_is(s, "<none>")) {
		gv_put_none(d->r, d->node, GV_F_K8S_TAINTS, GV_NOT_APPLICABLE, "the node has no taints", l);
		return;
	}
	if (!d->taints_at)
		d->taints_at = l;
	d->taints = d->taints.n ? gv_fmt(d->r->arena, "%.*s %.*s", GV_ARG(d->taints), GV_ARG(s)) : s;
}

static void read_key(struct reading *d, gv_str key, gv_str value, const struct gv_line *l)
{
	if (gv_is(key, "Name") && value.n) {
		gv_put_str(d->r, d->node, GV_F_K8S_NAME, value, l);
	} else if (gv_is(key, "Unschedulable")) {
		gv_put_flag(d->r, d->node, GV_F_K8S_UNSCHEDULABLE, gv_is(value, "true"), l);
	} else if (gv_is(key, "Kernel Version") && value.n) {
		gv_put_str(d->r, d->node, GV_F_KERNEL, value, l);
	}
}

static void read_line(struct reading *d, enum section *sec, const struct gv_line *l)
{
	gv_str t = gv_trim(l->text), key, value, w[2];
	enum section next = SEC_NONE;

	if (gv_key_value(t, &key, &value)) {
		next = gv_indent(l->text) == 0 ? section_of(key) : SEC_NONE;
		read_key(d, key, value, l);
	}
	if (next != SEC_NONE) {
		*sec = next;
		if (*sec == SEC_CAPACITY || *sec == SEC_ALLOCATABLE)
			d->list_at = l;
		t = gv_trim(value);
	}
	switch (*sec) {
	case SEC_LABELS:
		read_label(d, t, l);
		break;
	case SEC_TAINTS:
		read_taint(d, t, l);
		break;
	case SEC_CONDITIONS:
		if (gv_words(t, w, 2) >= 2 && gv_is(w[0], "Ready"))
			gv_put_str(d->r, d->node, GV_F_K8S_READY, w[1], l);
		break;
	case SEC_ALLOCATED:
		read_allocated(d, t, l);
		break;
	default:
		if (next != SEC_NONE)
			break;
		read_resource(d, *sec, t, l);
		if (*sec == SEC_NONE) {
			read_allocated(d, t, l);
			if (label_line(t))
				read_label(d, t, l);
		}
	}
}

static void conclude(struct reading *d)
{
	struct gv_read *r = d->r;

	if (d->resource.n)
		gv_put_str(r, d->node, GV_F_K8S_RESOURCE, d->resource, d->resource_at);
	if (d->capacity_at)
		gv_put_num(r, d->node, GV_F_K8S_CAPACITY, d->capacity, d->capacity_at);
	if (d->allocatable_at)
		gv_put_num(r, d->node, GV_F_K8S_ALLOCATABLE, d->allocatable, d->allocatable_at);
	if (d->allocated_at)
		gv_put_num(r, d->node, GV_F_K8S_ALLOCATED, d->allocated, d->allocated_at);
	if (d->taints_at)
		gv_put_str(r, d->node, GV_F_K8S_TAINTS, d->taints, d->taints_at);
	/* One line may be what grep left; a list with CPUs, memory and pods is whole. */
	if (d->list_at && (d->allocatable_lines >= 3 || (d->allocatable_lines == 0 && d->capacity_lines >= 3)))
		gv_put_flag(r, d->node, GV_F_K8S_NO_GPU_LINE,
			    d->allocatable_lines ? !d->allocatable_at : !d->capacity_at, d->list_at);
}

static void kubectl_node_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading d = { .r = r };
	enum section sec = SEC_NONE;
	gv_str name = GV_NONE, key, value;

	if (gv_key_value(gv_trim(l[0].text), &key, &value) && gv_is(key, "Name"))
		name = gv_trim(value);
	else if (of_node(r->block->seg))
		name = node_of_command(r->block->seg->cmd);
	/* The machine described, not the one that the command ran on. */
	if (name.n && gv_find_c(name, ' ') < 0)
		r->block->host = name;
	d.node = gv_see_node(r);
	for (size_t i = 0; i < n; i++)
		if (!gv_blank_line(&l[i]))
			read_line(&d, &sec, &l[i]);
	conclude(&d);
}

const struct gv_format gv_format_kubectl_node = {
	.name = "kubectl describe node",
	.heads = { "Name:", "Roles:", "Labels:", "Taints:", "Conditions:", "Capacity:", "Allocatable:",
		   "Allocated resources:", ".com/", "habana.ai/", "System Info:" },
	.claim = kubectl_node_claim,
	.read = kubectl_node_read,
};
