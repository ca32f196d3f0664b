/* SPDX-License-Identifier: Apache-2.0 */
#include "core/site.h"

#include "core/run.h"

const struct gv_threshold_info gv_threshold_info[GV_THRESHOLDS] = {
#define THRESHOLD(ID, name, value, unit, meaning, source) [GV_T_##ID] = { name, value, unit, meaning, source },
#include "core/threshold.def"
#undef THRESHOLD
};

double gv_threshold(const struct gv_run *run, enum gv_threshold t)
{
	return run->site && run->site->changed[t] ? run->site->value[t] : gv_threshold_info[t].value;
}

double gv_threshold_part(const struct gv_run *run, enum gv_threshold t)
{
	return gv_threshold(run, t) / 100;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* A '*' first stands for nothing; where the rest then does not fit, the last one takes a byte more. */
bool gv_glob(gv_str pattern, gv_str s)
{
	size_t p = 0, i = 0, star = SIZE_MAX, from = 0;

	while (i < s.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			from = i;
		} else if (p < pattern.n && (pattern.p[p] == '?' || lower(pattern.p[p]) == lower(s.p[i]))) {
			p++;
			i++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			i = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

static bool fits(gv_str pattern, gv_str name)
{
	return name.n && gv_glob(pattern, name);
}

static bool is_host(gv_str pattern, const struct gv_entity *node)
{
	return node && (fits(pattern, gv_text(node, GV_F_HOSTNAME)) || fits(pattern, gv_text(node, GV_F_K8S_NAME)) ||
			fits(pattern, node->id));
}

/* "gpu3", however it is written in front of the index. */
static bool is_index(gv_str pattern, const struct gv_entity *e)
{
	if (e->kind != GV_GPU || !gv_starts_nocase(pattern, "gpu"))
		return false;
	return fits(gv_trim(gv_from(pattern, 3)), e->key[GV_KEY_INDEX]);
}

static bool is_entity(const struct gv_accept *a, const struct gv_entity *e)
{
	if (!e)
		return false;
	if (fits(a->on, e->id) || is_index(a->on, e))
		return true;
	for (int k = 0; k < GV_KEYS; k++)
		if (fits(a->on, e->key[k]))
			return true;
	return a->bus.n && gv_eq(a->bus, e->key[GV_KEY_BUS]);
}

static bool concerns(const struct gv_accept *a, const struct gv_entity *on)
{
	if (a->node.n && !is_host(a->node, on->node))
		return false;
	return !a->on.n || is_entity(a, on) || is_entity(a, on->parent) || is_host(a->on, on->node);
}

struct gv_accept *gv_site_accepts(struct gv_site *s, enum gv_kind kind, const struct gv_entity *on)
{
	struct gv_accept *expired = NULL;

	for (size_t i = 0; i < s->accept.n; i++) {
		struct gv_accept *a = &s->accept.v[i];

		if (a->kind != kind || !concerns(a, on))
			continue;
		if (!a->expired)
			return a;
		expired = expired ? expired : a;
	}
	return expired;
}

bool gv_site_ignores(const struct gv_site *s, const struct gv_event *ev)
{
	if (ev->code < 0 || ev->sig->kind == GV_K_NVSWITCH_ERROR || !gv_is(ev->sig->vendor, "nvidia"))
		return false;
	for (size_t i = 0; i < s->xid.n; i++)
		if (s->xid.v[i] == ev->code)
			return true;
	return false;
}

double gv_site_gpus_of(const struct gv_site *s, const struct gv_entity *node)
{
	for (size_t i = 0; i < s->gpus.n; i++)
		if (!s->gpus.v[i].host.n || is_host(s->gpus.v[i].host, node))
			return s->gpus.v[i].n;
	return -1;
}
