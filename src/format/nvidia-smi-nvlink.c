/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi nvlink -s (state and rate of each link), -e (error counters) and -c (what each link can do). */
#include "format/common.h"

#define MAX_LINKS 64
#define MAX_GPUS 512

enum what { W_NOTHING, W_GPU, W_LINK, W_CAN, W_OFF, W_NONE, W_MIG };

struct parsed {
	enum what what;
	uint64_t n;	/* of the GPU or link */
	gv_str text;	/* what follows the colon */
	gv_str trailer; /* the next GPU's line, glued to a message */
};

static const struct {
	const char *name;
	enum gv_fact fact;
	bool sum; /* several counters, one fact */
} counters[] = {
	{ "Buffer overrun Errors", GV_F_LINK_HARD, true },
	{ "CRC Errors", GV_F_LINK_CRC, false },
	{ "Effective Errors", GV_F_LINK_EFFECTIVE, false },
	{ "Link recovery failed events", GV_F_LINK_RECOVERY_FAILED, false },
	{ "Local link integrity Errors", GV_F_LINK_HARD, true },
	{ "Malformed packet Errors", GV_F_LINK_HARD, true },
	{ "Recovery Errors", GV_F_LINK_RECOVERIES, false },
	{ "Replay Errors", GV_F_LINK_REPLAY, false },
	{ "Rx Errors", GV_F_LINK_HARD, true },
	{ "Total link recovery events", GV_F_LINK_RECOVERIES, false },
};

/* "GPU 0: rest", "Link 3: rest", "Link 3, rest" */
static bool numbered(gv_str t, const char *word, const char *end, uint64_t *ret_n, gv_str *ret_rest)
{
	gv_str w, rest = t;

	if (!gv_word(&rest, &w) || !gv_is(w, word) || !gv_word(&rest, &w) || !gv_ends(w, end))
		return false;
	if (!gv_to_u64(gv_sub(w, 0, w.n - 1), ret_n))
		return false;
	*ret_rest = gv_trim(rest);
	return true;
}

static bool is_rate(gv_str t)
{
	double v;
	gv_str rest;

	return gv_lead_num(t, &v, &rest) && gv_starts(gv_trim(rest), "GB/s");
}

static bool is_link_text(gv_str t)
{
	if (gv_starts_nocase(t, "<inactive>") || is_rate(t))
		return true;
	return gv_has(t, "Errors") || gv_has(t, "recovery") || gv_has(t, "BER") || gv_has(t, "discards") ||
	       gv_has(t, "packets") || gv_has(t, "bytes") || gv_has(t, "PLR ");
}

static struct parsed parse(gv_str text)
{
	gv_str t = gv_trim(text);
	struct parsed p = { 0 };
	ptrdiff_t glued;

	if (numbered(t, "GPU", ":", &p.n, &p.text)) {
		p.what = W_GPU;
	} else if (numbered(t, "Link", ":", &p.n, &p.text)) {
		p.what = is_link_text(p.text) ? W_LINK : W_NOTHING;
	} else if (numbered(t, "Link", ",", &p.n, &p.text)) {
		p.what = gv_has(p.text, "upported: ") ? W_CAN : W_NOTHING;
	} else if (gv_has_nocase(t, "retrieve nvlink information as all links are inactive")) {
		p.what = W_OFF;
		glued = gv_find(t, "GPU ");
		p.trailer = glued > 0 ? gv_from(t, (size_t)glued) : GV_NONE;
	} else if (gv_starts_nocase(t, "Device does not have or support nvlink")) {
		p.what = W_NONE;
	} else if (gv_starts_nocase(t, "Nvlink queries are not supported for Devices in MIG mode")) {
		p.what = W_MIG;
	}
	return p;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t end = 0;
	bool pending = false; /* a GPU's line counts only with what follows it */

	(void)seg;
	for (size_t i = 0; i < n && i - end < 4; i++) {
		struct parsed p = { 0 };

		if (i && (l[i].flags & (GV_LINE_PROMPT | GV_LINE_FENCE)))
			break;
		if (gv_blank_line(&l[i])) {
			if (!i)
				return 0;
			continue;
		}
		p = parse(l[i].text);
		if (p.what == W_NOTHING || (p.what == W_GPU && pending && !end))
			break;
		pending = p.what == W_GPU;
		if (!pending)
			end = i + 1;
		/* GPUs without links of their own may stand between others. */
		else if (end && !gv_has(p.text, "UUID"))
			end = i + 1;
	}
	return end;
}

struct state {
	struct gv_read *r;
	struct gv_entity *gpu;
	size_t gpus;
	struct gv_entity *link[MAX_LINKS];
	struct {
		double sum;
		const struct gv_line *l;
	} hard[MAX_LINKS];
};

static void finish_gpu(struct state *s)
{
	for (size_t i = 0; i < MAX_LINKS; i++) {
		if (s->hard[i].l)
			gv_put_num(s->r, s->link[i], GV_F_LINK_HARD, s->hard[i].sum, s->hard[i].l);
		s->link[i] = NULL;
		s->hard[i].l = NULL;
		s->hard[i].sum = 0;
	}
}

static void read_gpu(struct state *s, const struct parsed *p, const struct gv_line *l)
{
	gv_str uuid = gv_trim(gv_between(p->text, "(UUID:", ")")), name = gv_trim(gv_before(p->text, "(UUID:"));

	finish_gpu(s);
	s->gpus++;
	s->gpu = gv_see(s->r, GV_GPU, GV_NONE);
	gv_key(s->r, s->gpu, GV_KEY_INDEX, gv_fmt(s->r->arena, "%llu", (unsigned long long)p->n));
	gv_put_num(s->r, s->gpu, GV_F_GPU_INDEX, (double)p->n, l);
	gv_put_str(s->r, s->gpu, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	if (!uuid.n)
		return;
	if (name.n)
		gv_put_str(s->r, s->gpu, GV_F_GPU_NAME, name, l);
	gv_put_str(s->r, s->gpu, GV_F_GPU_UUID, uuid, l);
	if (gv_starts(uuid, "GPU-") && !gv_has(uuid, "..."))
		gv_key(s->r, s->gpu, GV_KEY_UUID, uuid);
}

/* The GPU's own line may be cut off above its links. */
static struct gv_entity *gpu(struct state *s, const struct gv_line *l)
{
	if (!s->gpu) {
		s->gpu = gv_see(s->r, GV_GPU, GV_NONE);
		gv_put_str(s->r, s->gpu, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	}
	return s->gpu;
}

static struct gv_entity *link_of(struct state *s, uint64_t n, const struct gv_line *l)
{
	struct gv_entity *g = gpu(s, l), *e;

	if (n >= MAX_LINKS)
		return NULL;
	if (!s->link[n]) {
		e = gv_see(s->r, GV_LINK, gv_fmt(s->r->arena, "%llu", (unsigned long long)n));
		e->parent = g;
		e->key[GV_KEY_INDEX] = g->key[GV_KEY_INDEX];
		e->key[GV_KEY_UUID] = g->key[GV_KEY_UUID];
		s->link[n] = e;
	}
	return s->link[n];
}

static void read_counter(struct state *s, uint64_t n, gv_str name, gv_str value, const struct gv_line *l)
{
	double v;
	gv_str rest;

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (!gv_is(name, counters[i].name))
			continue;
		if (!counters[i].sum) {
			if (!gv_slot(s->link[n], counters[i].fact)->n)
				gv_put_cell(s->r, s->link[n], counters[i].fact, value, l);
		} else if (gv_lead_num(value, &v, &rest) && v >= 0) {
			if (!s->hard[n].l || (v > 0 && s->hard[n].sum == 0))
				s->hard[n].l = l;
			s->hard[n].sum += v;
		}
	}
}

static void read_link(struct state *s, const struct parsed *p, const struct gv_line *l)
{
	struct gv_entity *e = link_of(s, p->n, l);
	gv_str rest = p->text, piece, key, value;

	if (!e)
		return;
	if (gv_starts_nocase(p->text, "<inactive>")) {
		gv_put_flag(s->r, e, GV_F_LINK_ACTIVE, false, l);
		return;
	}
	if (is_rate(p->text)) {
		gv_put_flag(s->r, e, GV_F_LINK_ACTIVE, true, l);
		gv_put_cell(s->r, e, GV_F_LINK_RATE, p->text, l);
		return;
	}
	/* One counter a line, or several parted by commas. */
	while (gv_next(&rest, ',', &piece))
		if (gv_key_value(piece, &key, &value))
			read_counter(s, p->n, key, value, l);
}

/* "P2P is supported: true" */
static void read_can(struct state *s, const struct parsed *p, const struct gv_line *l)
{
	struct gv_entity *e = link_of(s, p->n, l);
	gv_str key, value;

	if (e && gv_key_value(p->text, &key, &value) && gv_is(key, "P2P is supported"))
		gv_put_flag(s->r, e, GV_F_LINK_P2P, gv_is(value, "true"), l);
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct state s = { .r = r };

	for (size_t i = 0; i < n && s.gpus <= MAX_GPUS; i++) {
		struct parsed p = parse(l[i].text), next;

		switch (p.what) {
		case W_NOTHING:
			break;
		case W_GPU:
			read_gpu(&s, &p, &l[i]);
			break;
		case W_LINK:
			read_link(&s, &p, &l[i]);
			break;
		case W_CAN:
			read_can(&s, &p, &l[i]);
			break;
		case W_OFF:
			gv_put_flag(r, gpu(&s, &l[i]), GV_F_GPU_NVLINK_ALL_OFF, true, &l[i]);
			next = parse(p.trailer);
			if (next.what == W_GPU)
				read_gpu(&s, &next, &l[i]);
			break;
		case W_NONE:
			gv_put_none(r, gpu(&s, &l[i]), GV_F_GPU_NVLINK_ALL_OFF, GV_NOT_APPLICABLE,
				    "the GPU has no NVLink", &l[i]);
			break;
		case W_MIG:
			gv_put_none(r, gpu(&s, &l[i]), GV_F_GPU_NVLINK_ALL_OFF, GV_UNKNOWN,
				    "NVLink cannot be asked in MIG mode", &l[i]);
			break;
		}
	}
	finish_gpu(&s);
}

const struct gv_format gv_format_nvidia_smi_nvlink = {
	.name = "nvidia-smi nvlink",
	.heads = { "GPU ", "Link ", "NVML: Unable", "Device does not", "queries are not supported" },
	.claim = claim,
	.read = read,
};
