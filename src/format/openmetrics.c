/* SPDX-License-Identifier: Apache-2.0 */
/* The text that Prometheus scrapes, of dcgm-exporter and nvidia_gpu_exporter: "name{label="value",...} number",
 * comments between. Which metric is which fact stands in openmetrics.def. */
#include "format/common_nvidia.h"

#define MAX_GPUS 1024
#define MAX_LABELS 64

enum act { NUM, FLAG, PSTATE, MODE, REASONS, FABRIC, RECOVERY };

static const struct metric {
	gv_str name;
	enum act act;
	enum gv_fact fact;
	double factor;
} metrics[] = {
#define METRIC(name, act, fact, factor) { GV_STR(name), act, GV_F_GPU_##fact, factor },
#include "format/openmetrics.def"
#undef METRIC
};

struct sample {
	gv_str name, labels, value;
};

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

/* The end of the labels, a '}' outside of quotes; n where there is none. */
static size_t labels_end(gv_str s)
{
	bool quoted = false;

	for (size_t i = 0; i < s.n; i++) {
		if (quoted && s.p[i] == '\\')
			i++;
		else if (s.p[i] == '"')
			quoted = !quoted;
		else if (s.p[i] == '}' && !quoted)
			return i;
	}
	return s.n;
}

static bool sample_of(gv_str line, struct sample *ret)
{
	gv_str t = gv_trim(line), rest;
	size_t n = 0, end;
	double v;

	while (n < t.n && name_char(t.p[n]))
		n++;
	if (!n || n == t.n || (t.p[0] >= '0' && t.p[0] <= '9'))
		return false;
	*ret = (struct sample){ .name = gv_sub(t, 0, n) };
	rest = gv_from(t, n);
	if (rest.p[0] == '{') {
		end = labels_end(rest);
		if (end == rest.n)
			return false;
		ret->labels = gv_sub(rest, 1, end - 1);
		rest = gv_from(rest, end + 1);
	} else if (rest.p[0] != ' ' && rest.p[0] != '\t') {
		return false;
	}
	/* a time may follow the value */
	return gv_word(&rest, &ret->value) &&
	       (gv_to_num(ret->value, &v) || gv_eq_nocase(ret->value, GV_STR("nan")) || gv_ends(ret->value, "Inf"));
}

static bool comment(gv_str line)
{
	gv_str t = gv_trim(line);

	return gv_starts(t, "# HELP ") || gv_starts(t, "# TYPE ") || gv_starts(t, "# UNIT ") || gv_is(t, "# EOF");
}

static bool ours(gv_str line)
{
	gv_str t = gv_trim(line);
	struct sample s;

	if (comment(t))
		t = gv_trim(gv_from(t, 7));
	else if (!sample_of(t, &s))
		return false;
	return gv_starts(t, "DCGM_FI_") || gv_starts(t, "DCGM_EXP_") || gv_starts(t, "nvidia_smi_");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct sample s;
	size_t end = 1;

	(void)seg;
	if (!ours(l[0].text))
		return 0;
	for (size_t i = 1; i < n && i - end < 2; i++) {
		if (comment(l[i].text) || sample_of(l[i].text, &s))
			end = i + 1;
		else if (!gv_blank_line(&l[i]))
			break;
	}
	return end;
}

/* The value of a label, as it stands between its quotes; empty where there is none. */
static gv_str label(gv_str labels, const char *name)
{
	for (size_t i = 0; labels.n && i < MAX_LABELS; i++) {
		gv_str key = gv_trim(gv_before(labels, "=")), value;
		ptrdiff_t from = gv_find(labels, "=\"");
		size_t end;

		if (from < 0)
			return GV_NONE;
		labels = gv_from(labels, (size_t)from + 2);
		for (end = 0; end < labels.n && labels.p[end] != '"'; end++)
			end += labels.p[end] == '\\';
		value = gv_sub(labels, 0, end);
		if (gv_is(key, name))
			return value;
		labels = gv_trim(gv_from(labels, end + 1));
		if (gv_starts(labels, ","))
			labels = gv_from(labels, 1);
	}
	return GV_NONE;
}

struct scrape {
	struct gv_read *r;
	struct gv_map gpus;
	size_t ngpus;
	bool several; /* hosts: a number is no key then */
};

static void read_host(struct scrape *x, const struct gv_line *l, size_t n)
{
	gv_str host = GV_NONE, h;
	struct sample s;

	for (size_t i = 0; i < n; i++) {
		if (!gv_has(l[i].text, "Hostname=") || !sample_of(l[i].text, &s))
			continue;
		h = label(s.labels, "Hostname");
		x->several |= host.n && h.n && !gv_eq(h, host);
		host = h.n ? h : host;
	}
	if (!x->several)
		x->r->block->host = host;
}

/* "GPU-..." in dcgm-exporter, without that in the other one. */
static gv_str uuid_of(struct scrape *x, const struct sample *s)
{
	gv_str v = label(s->labels, "UUID");

	if (!v.n)
		v = label(s->labels, "uuid");
	return !v.n || gv_starts(v, "GPU-") || gv_starts(v, "MIG-") ? v : gv_fmt(x->r->arena, "GPU-%.*s", GV_ARG(v));
}

static void put_label(struct scrape *x, struct gv_entity *e, enum gv_fact f, const struct sample *s, const char *name,
		      const struct gv_line *l)
{
	gv_str v = label(s->labels, name);

	if (v.n && !gv_starts(v, "["))
		gv_put_str(x->r, e, f, v, l);
}

static void read_labels(struct scrape *x, struct gv_entity *e, const struct sample *s, gv_str uuid,
			const struct gv_line *l)
{
	gv_str index = label(s->labels, "gpu");
	uint64_t v;

	if (gv_starts(uuid, "GPU-")) {
		gv_key(x->r, e, GV_KEY_UUID, uuid);
		gv_put_str(x->r, e, GV_F_GPU_UUID, uuid, l);
	}
	if (!x->several && index.n < 5 && gv_to_u64(index, &v)) {
		gv_key(x->r, e, GV_KEY_INDEX, index);
		gv_put_num(x->r, e, GV_F_GPU_INDEX, (double)v, l);
	}
	gv_key(x->r, e, GV_KEY_BUS, label(s->labels, "pci_bus_id"));
	put_label(x, e, GV_F_GPU_NAME, s, "modelName", l);
	put_label(x, e, GV_F_GPU_BUS_ID, s, "pci_bus_id", l);
	gv_put_str(x->r, e, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
}

static struct gv_entity *gpu_of(struct scrape *x, const struct sample *s, const struct gv_line *l)
{
	gv_str uuid = uuid_of(x, s), key = uuid.n ? uuid : label(s->labels, "gpu");
	void **slot;

	if (!key.n || gv_starts(key, "MIG-"))
		return NULL;
	slot = gv_map_put(&x->gpus, key);
	if (!*slot && x->ngpus < MAX_GPUS) {
		x->ngpus++;
		*slot = gv_see(x->r, GV_GPU, GV_NONE);
		read_labels(x, *slot, s, uuid, l);
	}
	return *slot;
}

static void put_word(struct scrape *x, struct gv_entity *e, enum gv_fact f, double v, const char *const *words,
		     size_t n, const struct gv_line *l)
{
	if (v >= 0 && v < (double)n && words[(size_t)v])
		gv_put_str(x->r, e, f, gv_str_of(words[(size_t)v]), l);
}

static void put(struct scrape *x, struct gv_entity *e, const struct metric *m, double v, const struct gv_line *l)
{
	static const char *const modes[] = { "Disabled", "Enabled" };
	static const char *const fabric[] = { NULL, "Not Started", "In Progress", "Completed" };
	static const char *const recovery[] = { "None", "Reset", "Reboot", "Drain P2P", "Drain and Reset" };

	/* DCGM's numbers for "no value" are beyond those that an int holds */
	if (gv_starts(m->name, "DCGM_") && m->factor == 1 && v >= 0x7ffffff0)
		return;
	/* the limit in force is listed before the one that was asked for */
	if (m->fact == GV_F_GPU_POWER_LIMIT && gv_slot(e, m->fact)->n)
		return;
	switch (m->act) {
	case NUM:
		gv_put_num(x->r, e, m->fact, v * m->factor, l);
		break;
	case FLAG:
		gv_put_flag(x->r, e, m->fact, v != 0, l);
		break;
	case PSTATE:
		if (v >= 0 && v <= 15)
			gv_put_str(x->r, e, m->fact, gv_fmt(x->r->arena, "P%.0f", v), l);
		break;
	case MODE:
		put_word(x, e, m->fact, v, modes, 2, l);
		break;
	case REASONS:
		if (v >= 0 && v < 0x1p32)
			gv_put_clock_reasons(x->r, e, (uint64_t)v, l);
		break;
	case FABRIC:
		put_word(x, e, m->fact, v, fabric, 4, l);
		break;
	case RECOVERY:
		put_word(x, e, m->fact, v, recovery, 5, l);
		break;
	}
}

/* nvidia_smi_gpu_info is 1; what it tells are its labels. */
static void read_info(struct scrape *x, const struct sample *s, const struct gv_line *l)
{
	struct gv_entity *e = gpu_of(x, s, l), *node = gv_see_node(x->r);
	gv_str index = label(s->labels, "index"), cuda = label(s->labels, "cuda_version");
	uint64_t n;
	double v;

	if (!e)
		return;
	if (index.n < 5 && gv_to_u64(index, &n)) {
		gv_key(x->r, e, GV_KEY_INDEX, index);
		gv_put_num(x->r, e, GV_F_GPU_INDEX, (double)n, l);
	}
	gv_key(x->r, e, GV_KEY_BUS, label(s->labels, "pci_bus_id"));
	put_label(x, e, GV_F_GPU_BUS_ID, s, "pci_bus_id", l);
	put_label(x, e, GV_F_GPU_NAME, s, "name", l);
	put_label(x, e, GV_F_GPU_COMPUTE_CAP, s, "compute_cap", l);
	put_label(x, e, GV_F_GPU_VBIOS, s, "vbios_version", l);
	put_label(x, node, GV_F_DRIVER_KERNEL, s, "driver_version", l);
	if (gv_to_num(cuda, &v))
		gv_put_num(x->r, node, GV_F_DRIVER_CUDA_MAX, v, l);
}

/* nvidia_smi_compute_app_used_memory_bytes{pid="...",process_name="...",uuid="..."} */
static void read_process(struct scrape *x, const struct sample *s, double bytes, const struct gv_line *l)
{
	gv_str pid = label(s->labels, "pid"), name = label(s->labels, "process_name");
	struct gv_entity *gpu = gpu_of(x, s, l), *e;
	uint64_t n;

	if (!gpu || !gv_to_u64(pid, &n))
		return;
	e = gv_see(x->r, GV_PROC, pid);
	gv_key(x->r, e, GV_KEY_PID, pid);
	e->parent = gpu;
	gv_put_str(x->r, e, GV_F_PROC_TYPE, GV_STR("C"), l);
	gv_put_num(x->r, e, GV_F_PROC_GPU_MEM, bytes * 0x1p-20, l);
	if (name.n)
		gv_put_str(x->r, e, GV_F_PROC_NAME, name, l);
}

static const struct metric *metric_of(gv_str name)
{
	size_t lo = 0, hi = sizeof(metrics) / sizeof(metrics[0]);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = gv_cmp(metrics[mid].name, name);

		if (!c)
			return &metrics[mid];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static void read_sample(struct scrape *x, const struct sample *s, const struct gv_line *l)
{
	const struct metric *m = metric_of(s->name);
	struct gv_entity *e;
	double v, xid;

	if (!gv_to_num(s->value, &v))
		return;
	if (gv_is(s->name, "nvidia_smi_gpu_info")) {
		read_info(x, s, l);
	} else if (gv_is(s->name, "nvidia_smi_compute_app_used_memory_bytes")) {
		read_process(x, s, v, l);
	} else if (gv_is(s->name, "DCGM_EXP_XID_ERRORS_COUNT")) {
		e = v > 0 && gv_to_num(label(s->labels, "xid"), &xid) ? gpu_of(x, s, l) : NULL;
		if (e)
			gv_put_num(x->r, e, GV_F_GPU_LAST_XID, xid, l);
	} else if (m && !label(s->labels, "GPU_I_ID").n) { /* values of MIG instances are none of the GPU */
		e = gpu_of(x, s, l);
		if (e)
			put(x, e, m, v, l);
	}
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct scrape x = { .r = r, .gpus = { .arena = r->arena } };
	struct sample s;
	gv_str driver = GV_NONE;

	read_host(&x, l, n);
	for (size_t i = 0; i < n; i++) {
		if (comment(l[i].text) || !sample_of(l[i].text, &s))
			continue;
		if (!driver.n && gv_starts(s.name, "DCGM_")) {
			driver = label(s.labels, "DCGM_FI_DRIVER_VERSION");
			if (driver.n)
				gv_put_str(r, gv_see_node(r), GV_F_DRIVER_KERNEL, driver, &l[i]);
		}
		read_sample(&x, &s, &l[i]);
	}
}

const struct gv_format gv_format_openmetrics = {
	.name = "metrics",
	.heads = { "DCGM_FI_", "DCGM_EXP_", "nvidia_smi_" },
	.claim = claim,
	.read = read,
};
