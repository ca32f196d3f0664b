/* SPDX-License-Identifier: Apache-2.0 */
/* The site's file: strict, since a key that is misspelt and passed over would be a limit that nobody set. */
#include <errno.h>

#include "base/opt.h"
#include "base/units.h"
#include "core/site.h"
#include "core/window.h"
#include "core/yaml.h"

struct reader {
	struct gv_yaml_file file;
	int64_t today;
	struct gv_site *site;
};

static int number(const struct reader *r, const struct gv_yaml *y, double max, double *ret)
{
	double v;

	if (y->kind != GV_YAML_TEXT || !gv_to_num(y->text, &v) || v < 0 || v > max || v != (double)(int64_t)v)
		return gv_yaml_wrong(&r->file, y, "%.*s%shas to be a whole number from 0 to %.0f", GV_ARG(y->key),
				     y->key.n ? ": " : "", max);
	*ret = v;
	return 0;
}

static bool threshold_value(gv_str text, const char *unit, double *ret)
{
	gv_str rest;
	double v;

	if (!gv_lead_num(text, &v, &rest))
		return false;
	rest = gv_trim(rest);
	if ((rest.n && !gv_is(rest, unit)) || v < 0 || v > (gv_is(gv_str_of(unit), "%") ? 100 : 1e12))
		return false;
	*ret = v;
	return true;
}

static int threshold(struct reader *r, const struct gv_yaml *y)
{
	const char *names[GV_THRESHOLDS];
	size_t t = 0;
	double v;

	for (size_t i = 0; i < GV_THRESHOLDS; i++)
		names[i] = gv_threshold_info[i].name;
	while (t < GV_THRESHOLDS && !gv_is(y->key, names[t]))
		t++;
	if (t == GV_THRESHOLDS)
		return gv_yaml_unknown(&r->file, y, y->key, "threshold", names, GV_THRESHOLDS);
	if (y->kind != GV_YAML_TEXT || !threshold_value(y->text, gv_threshold_info[t].unit, &v)) {
		const char *unit = gv_threshold_info[t].unit;

		return gv_yaml_wrong(&r->file, y, "%s: has to be a number%s in %s", names[t],
				     gv_is(gv_str_of(unit), "%") ? " from 0 to 100" : "", unit);
	}
	r->site->value[t] = v;
	r->site->changed[t] = v != gv_threshold_info[t].value;
	return 0;
}

static int thresholds(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;
	int ret = 0;

	if (y->kind != GV_YAML_MAP)
		return gv_yaml_wrong(&r->file, y, "thresholds: has to be a map of names and numbers");
	for (const struct gv_yaml *c = y->child; c && !ret; c = c->next)
		ret = threshold(r, c);
	return ret;
}

static int kind_of(struct reader *r, const struct gv_yaml *y, enum gv_kind *ret)
{
	const char *names[GV_KINDS];
	int k = gv_kind_by_name(y->text);

	if (k >= 0) {
		*ret = (enum gv_kind)k;
		return 0;
	}
	for (size_t i = 0; i < GV_KINDS; i++)
		names[i] = gv_kind_info[i].name;
	return gv_yaml_unknown(&r->file, y, y->text, "kind of finding", names, GV_KINDS);
}

static int until(struct reader *r, const struct gv_yaml *y, struct gv_accept *a)
{
	int64_t day;

	a->until = y->text;
	if (gv_is(y->text, "never"))
		return 0;
	if (!gv_date_parse(y->text, &day))
		return gv_yaml_wrong(&r->file, y, "until: has to be a date as 2026-05-01, or never");
	a->expired = day < r->today;
	return 0;
}

enum { ON_KIND, ON_ON, ON_NODE, ON_REASON, ON_UNTIL, ON_KEYS };
static const char *const accept_keys[ON_KEYS] = { "kind", "on", "node", "reason", "until" };

static int accept_key(struct reader *r, const struct gv_yaml *y, struct gv_accept *a, unsigned *had)
{
	size_t k = 0;

	while (k < ON_KEYS && !gv_is(y->key, accept_keys[k]))
		k++;
	if (k == ON_KEYS)
		return gv_yaml_unknown(&r->file, y, y->key, "key of an accepted finding", accept_keys, ON_KEYS);
	if (y->kind != GV_YAML_TEXT || gv_yaml_empty(y) || !gv_trim(y->text).n)
		return gv_yaml_wrong(&r->file, y, "%s: has to be a text", accept_keys[k]);
	*had |= 1u << k;
	switch (k) {
	case ON_KIND:
		return kind_of(r, y, &a->kind);
	case ON_UNTIL:
		return until(r, y, a);
	case ON_ON:
		a->on = gv_trim(y->text);
		gv_bus_id(r->file.arena, a->on, &a->bus);
		return 0;
	default:
		*(k == ON_NODE ? &a->node : &a->reason) = gv_trim(y->text);
		return 0;
	}
}

static int accepted_one(struct reader *r, const struct gv_yaml *y)
{
	static const int required[] = { ON_KIND, ON_REASON, ON_UNTIL };
	struct gv_accept a = { .line = y->line };
	unsigned had = 0;
	int ret = 0;

	if (y->kind != GV_YAML_MAP)
		return gv_yaml_wrong(&r->file, y, "an accepted finding has to be a map: kind, on, node, reason, until");
	for (const struct gv_yaml *c = y->child; c && !ret; c = c->next)
		ret = accept_key(r, c, &a, &had);
	for (size_t i = 0; !ret && i < sizeof(required) / sizeof(required[0]); i++)
		if (!(had >> required[i] & 1))
			ret = gv_yaml_wrong(&r->file, y, "an accepted finding needs \"%s\"", accept_keys[required[i]]);
	if (!ret)
		*gv_push(r->file.arena, &r->site->accept) = a;
	return ret;
}

static int accepted(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;
	int ret = 0;

	if (y->kind != GV_YAML_LIST)
		return gv_yaml_wrong(&r->file, y, "accepted: has to be a list");
	if (y->n > GV_ACCEPTS_MAX)
		return gv_yaml_wrong(&r->file, y, "accepted: more than %d entries", GV_ACCEPTS_MAX);
	for (const struct gv_yaml *c = y->child; c && !ret; c = c->next)
		ret = accepted_one(r, c);
	return ret;
}

static int xids(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;

	if (y->kind != GV_YAML_LIST)
		return gv_yaml_wrong(&r->file, y, "ignore-xids: has to be a list of codes, as [13, 31]");
	if (y->n > GV_XIDS_MAX)
		return gv_yaml_wrong(&r->file, y, "ignore-xids: more than %d codes", GV_XIDS_MAX);
	for (const struct gv_yaml *c = y->child; c; c = c->next) {
		double code;
		int ret = number(r, c, 999999, &code);

		if (ret)
			return ret;
		*gv_push(r->file.arena, &r->site->xid) = (int)code;
	}
	return 0;
}

static int gpus(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;
	struct gv_site_gpus g = { 0 };
	int ret = 0;

	if (y->kind == GV_YAML_LIST)
		return gv_yaml_wrong(&r->file, y, "gpus: has to be a number, or a map of hosts and numbers");
	for (const struct gv_yaml *c = y->kind == GV_YAML_MAP ? y->child : y; c && !ret;
	     c = y->kind == GV_YAML_MAP ? c->next : NULL) {
		ret = number(r, c, 4096, &g.n);
		g.host = y->kind == GV_YAML_MAP ? c->key : GV_NONE;
		if (!ret)
			*gv_push(r->file.arena, &r->site->gpus) = g;
	}
	return ret;
}

bool gv_site_need(gv_str text, double *ret)
{
	double v;

	if (!gv_rate(text, &v) || !(v > 0))
		return false;
	*ret = v;
	return true;
}

static int need(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;

	if (y->kind != GV_YAML_TEXT || !gv_site_need(y->text, &r->site->need))
		return gv_yaml_wrong(&r->file, y, "need: has to be a rate, as 2.4GB/s or 20Gbit/s");
	return 0;
}

static const struct gv_yaml_key sections[] = {
	{ "thresholds", thresholds },
	{ "accepted", accepted },
	{ "ignore-xids", xids },
	{ "gpus", gpus },
	{ "need", need },
};

int gv_site_read(struct gv_arena *a, gv_str name, gv_str bytes, int64_t today, struct gv_site *ret, struct gv_buf *err)
{
	struct gv_site site = { .file = name };
	struct reader r = { { a, name, err }, today, &site };
	struct gv_yaml *root = NULL;
	int status = gv_yaml_parse(a, name, bytes, &root, err);

	if (!status && root)
		status =
		    gv_yaml_map(&r.file, root, "a site file", sections, sizeof(sections) / sizeof(sections[0]), &r);
	if (!status)
		*ret = site;
	return status;
}
