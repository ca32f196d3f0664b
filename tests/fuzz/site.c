/* SPDX-License-Identifier: Apache-2.0 */
/* A site file: YAML (libyaml below), then what stands in it. */
#include "core/site.h"

#include <errno.h>
#include <stdlib.h>

#include "core/window.h"
#include "core/yaml.h"
#include "fuzz.h"

/* Every node, without recursion: depth is bounded, and each level has its place. */
static void check_tree(const struct gv_yaml *root, uint32_t lines)
{
	const struct gv_yaml *at[GV_YAML_DEPTH + 2] = { root };
	size_t depth = 0;

	for (;;) {
		const struct gv_yaml *y = at[depth];

		if (!y) {
			if (!depth)
				return;
			depth--;
			at[depth] = at[depth]->next;
			continue;
		}
		gv_fuzz_check(y->line >= 1 && y->line <= lines);
		gv_fuzz_check((y->kind == GV_YAML_TEXT) <= (!y->child && !y->n));
		gv_fuzz_check(depth <= GV_YAML_DEPTH);
		at[++depth] = y->child;
	}
}

static void check_error(int r, const struct gv_buf *err)
{
	gv_fuzz_check(r == 0 || r == -EINVAL || r == -ENOTSUP);
	gv_fuzz_check(!r == !err->n); /* it may quote line ends: main() prints it clean */
}

static void check_site(struct gv_site *s)
{
	for (size_t t = 0; t < GV_THRESHOLDS; t++)
		gv_fuzz_check(!s->changed[t] || s->value[t] - s->value[t] == 0);
	for (size_t i = 0; i < s->gpus.n; i++) {
		gv_glob(s->gpus.v[i].host, GV_STR("gpu-node-17"));
		gv_fuzz_check(s->gpus.v[i].n >= 0 && s->gpus.v[i].n < 1e9);
	}
	for (size_t i = 0; i < s->accept.n; i++)
		gv_fuzz_check(s->accept.v[i].kind < GV_KINDS && s->accept.v[i].reason.n);
	gv_fuzz_check(s->need >= 0 && s->need - s->need == 0);
}

static void check_words(gv_str s)
{
	struct gv_moment m = { 0 };
	int64_t day;
	double need;

	if (gv_moment_parse(s, &m))
		gv_fuzz_check(m.how != GV_MOMENT_NONE && m.at.t - m.at.t == 0 && m.ago - m.ago == 0);
	if (gv_date_parse(s, &day))
		gv_fuzz_check(day > -800000 && day < 4000000);
	if (gv_site_need(s, &need))
		gv_fuzz_check(need > 0 && need - need == 0);
	gv_glob(gv_sub(s, 0, s.n / 2), gv_from(s, s.n / 2));
}

void gv_fuzz_site(const uint8_t *data, size_t n)
{
	gv_str s = gv_fuzz_copy((gv_str){ (const char *)data, n });
	struct gv_arena *a = gv_arena_new();
	struct gv_site site = { 0 };
	struct gv_yaml *root = NULL;
	struct gv_buf err = { 0 };
	uint32_t lines = 1;
	int r = gv_yaml_parse(a, GV_STR("site.yaml"), s, &root, &err);

	for (size_t i = 0; i < n; i++)
		lines += data[i] == '\n' || data[i] == '\r' || data[i] >= 0x80; /* NEL, LS and PS are breaks too */
	check_error(r, &err);
	if (!r)
		check_tree(root, lines);
	err.n = 0;
	r = gv_site_read(a, GV_STR("site.yaml"), s, 20000, &site, &err);
	check_error(r, &err);
	if (!r)
		check_site(&site);
	if (n < 100)
		check_words(s);
	gv_buf_free(&err);
	gv_arena_free(a);
	free((char *)s.p);
}
