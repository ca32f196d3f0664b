/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of GPU feature discovery, one a line: "nvidia.com/gpu.count=8", as the tool writes them and as people cut them
 * out of the description of a node. */
#include "format/common.h"

#define PREFIX "nvidia.com/"

static bool label(gv_str text, gv_str *ret_key, gv_str *ret_value)
{
	gv_str t = gv_trim(text);
	ptrdiff_t eq = gv_find_c(t, '=');

	if (!gv_starts(t, PREFIX) || eq < 0)
		return false;
	*ret_key = gv_sub(t, sizeof(PREFIX) - 1, (size_t)eq - (sizeof(PREFIX) - 1));
	*ret_value = gv_trim(gv_from(t, (size_t)eq + 1));
	for (size_t i = 0; i < ret_key->n; i++)
		if (ret_key->p[i] == ' ' || ret_key->p[i] == ':')
			return false;
	return ret_key->n > 0;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str key, value;
	size_t end = 0;

	(void)seg;
	while (end < n && label(l[end].text, &key, &value))
		end++;
	return end;
}

struct labels {
	gv_str major, minor, rev, product;
	const struct gv_line *driver_at, *product_at, *count_at;
	double count;
	bool single; /* strategy: the count is one of MIG devices */
};

static void read_label(struct labels *x, struct gv_read *r, gv_str key, gv_str value, const struct gv_line *l)
{
	if (gv_is(key, "cuda.driver.major") || gv_is(key, "cuda.driver-version.major"))
		x->major = value, x->driver_at = l;
	else if (gv_is(key, "cuda.driver.minor") || gv_is(key, "cuda.driver-version.minor"))
		x->minor = value;
	else if (gv_is(key, "cuda.driver.rev") || gv_is(key, "cuda.driver-version.revision"))
		x->rev = value;
	else if (gv_is(key, "gpu.product"))
		x->product = value, x->product_at = l;
	else if (gv_is(key, "gpu.count") && gv_to_num(value, &x->count))
		x->count_at = l;
	else if (gv_is(key, "mig.strategy"))
		x->single = gv_is(value, "single");
	else if (gv_is(key, "gpu.present"))
		gv_put_str(r, gv_see_node(r), GV_F_K8S_GPU_LABEL, gv_trim(l->text), l);
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct labels x = { 0 };
	gv_str key, value;

	for (size_t i = 0; i < n; i++)
		if (label(l[i].text, &key, &value))
			read_label(&x, r, key, value, &l[i]);
	if (x.product.n)
		gv_put_str(r, gv_see_node(r), GV_F_K8S_GPU_LABEL, gv_trim(x.product_at->text), x.product_at);
	if (x.major.n && x.minor.n)
		gv_put_str(r, gv_see_node(r), GV_F_DRIVER_KERNEL,
			   gv_fmt(r->arena, "%.*s.%.*s%s%.*s", GV_ARG(x.major), GV_ARG(x.minor), x.rev.n ? "." : "",
				  GV_ARG(x.rev)),
			   x.driver_at);
	if (x.count_at && !x.single && !gv_has(x.product, "-MIG-"))
		gv_put_num(r, gv_see_node(r), GV_F_GPU_COUNT, x.count, x.count_at);
}

const struct gv_format gv_format_gfd = {
	.name = "GPU feature discovery",
	.heads = { PREFIX "gpu.", PREFIX "gfd.", PREFIX "cuda.", PREFIX "mig.", PREFIX "mig-" },
	.claim = claim,
	.read = read,
};
