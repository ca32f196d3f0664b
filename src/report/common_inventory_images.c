/* SPDX-License-Identifier: Apache-2.0 */
/* The images of an inventory. */
#include "report/common_inventory.h"

#define VARIABLES_MAX 6

void gv_inventory_place_json(struct gv_json *j, const struct gv_file *f)
{
	gv_json_key(j, "layer");
	if (f->layer)
		gv_json_i64(j, f->layer);
	else
		gv_json_null(j);
	gv_json_key(j, "visible");
	gv_json_bool(j, !f->hidden);
	gv_json_some(j, "hidden_by", f->hidden_by);
	gv_json_some(j, "stored", f->stored);
}

static void strings(struct gv_json *j, const char *key, const gv_str *v, size_t n)
{
	gv_json_key(j, key);
	gv_json_arr(j);
	for (size_t i = 0; i < n; i++)
		gv_json_str(j, v[i]);
	gv_json_end(j);
}

void gv_inventory_images_json(struct gv_json *j, const struct gv_inventory *inv)
{
	gv_json_key(j, "images");
	gv_json_arr(j);
	for (size_t i = 0; i < inv->images.n; i++) {
		const struct gv_image *g = inv->images.v[i];

		gv_json_obj(j);
		gv_json_some(j, "name", g->name);
		gv_json_some(j, "platform", g->platform);
		gv_json_key(j, "root");
		gv_json_str(j, g->root);
		gv_json_key(j, "layers");
		gv_json_arr(j);
		for (size_t k = 0; k < g->layers.n; k++) {
			gv_json_obj(j);
			gv_json_key(j, "file");
			gv_json_str(j, g->layers.v[k].path);
			gv_json_key(j, "found");
			gv_json_bool(j, g->layers.v[k].layer != NULL);
			gv_json_end(j);
		}
		gv_json_end(j);
		strings(j, "env", g->says ? g->says->env.v : NULL, g->says ? g->says->env.n : 0);
		strings(j, "labels", g->says ? g->says->labels.v : NULL, g->says ? g->says->labels.n : 0);
		gv_json_end(j);
	}
	gv_json_end(j);
}

/* What is shipped and cannot be seen: of GPU code and GPU libraries. */
void gv_inventory_hidden_json(struct gv_json *j, const struct gv_inventory *inv)
{
	gv_json_key(j, "hidden");
	gv_json_arr(j);
	for (size_t i = 0; i < inv->files.n; i++) {
		const struct gv_file *f = inv->files.v[i];

		if (!f->hidden || !(f->code.n || f->provides || f->deps.n))
			continue;
		gv_json_obj(j);
		gv_json_key(j, "file");
		gv_json_str(j, f->path);
		gv_json_key(j, "bytes");
		if (f->size == UINT64_MAX)
			gv_json_null(j);
		else
			gv_json_u64(j, f->size);
		gv_inventory_place_json(j, f);
		gv_json_end(j);
	}
	gv_json_end(j);
}

static void put_image(struct gv_buf *out, const struct gv_image *g, bool only, const struct gv_report_opts *opts)
{
	struct gv_buf b = { 0 };

	gv_puts(&b, "Image ");
	gv_put_clean(&b, g->name.n   ? g->name
			 : g->base.n ? gv_sub(g->base, 0, g->base.n - 1)
				     : GV_STR("without a name"));
	if (g->platform.n) {
		gv_puts(&b, " for ");
		gv_put_clean(&b, g->platform);
	}
	gv_printf(&b, ", %zu layer%s", g->layers.n, g->layers.n == 1 ? "" : "s");
	if (g->root.n && !only) { /* which files are its own */
		gv_puts(&b, "; its files begin with ");
		gv_put_clean(&b, g->root);
	}
	gv_put_wrapped(out, &opts->form, 0, 2, gv_buf_str(&b));
	b.n = 0;
	for (size_t i = 0; g->says && i < g->says->env.n; i++) {
		if (!opts->all && i == VARIABLES_MAX) {
			gv_printf(&b, " and %zu more", g->says->env.n - i);
			break;
		}
		gv_puts(&b, i ? " " : "sets ");
		gv_put_clean(&b, g->says->env.v[i]);
	}
	if (b.n) {
		gv_pad(out, ' ', 2);
		gv_put_wrapped(out, &opts->form, 2, 4, gv_buf_str(&b));
	}
	gv_buf_free(&b);
}

void gv_inventory_images_text(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts)
{
	if (inv->images.n && (inv->targets.n || inv->policy))
		gv_putc(out, '\n');
	for (size_t i = 0; i < inv->images.n; i++) {
		if (!opts->all && i == 4) {
			gv_printf(out, "and %zu more images (--all)\n", inv->images.n - i);
			break;
		}
		put_image(out, inv->images.v[i], inv->images.n == 1, opts);
	}
}
