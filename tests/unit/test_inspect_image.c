/* SPDX-License-Identifier: Apache-2.0 */
#include "inspected.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "inspect/image.h"
#include "inspect/places.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C64 "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define D64 "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"

static void names(void **state)
{
	assert_true(gv_image_is_layer(GV_STR("x.tar!blobs/sha256/" A64)));
	assert_true(gv_image_is_layer(GV_STR("x.tar!" A64 "/layer.tar")));
	assert_true(gv_image_is_layer(GV_STR("x.tar!" A64 ".tar")));
	assert_true(gv_image_is_layer(GV_STR("x.tar!" A64 ".tar.gz")));
	assert_false(gv_image_is_layer(GV_STR("x.tar!" A64 ".json")));
	assert_false(gv_image_is_layer(GV_STR(A64 "/data")));
	assert_false(gv_image_is_layer(GV_STR("a.whl")));
	assert_true(gv_is(gv_image_digest(GV_STR("sha256:" A64)), A64));
	assert_int_equal(gv_image_digest(GV_STR("aaaaaaaa")).n, 0);
	assert_int_equal(gv_image_digest(GV_STR(A64 "a")).n, 0);
}

/* ---- What a layer does to those below ---- */

struct image {
	struct gv_arena *a;
	struct gv_image g;
	struct gv_layers ls;
};

static void add_layer(struct image *m, const char *members)
{
	struct gv_image_layer *l = gv_image_layer_new(m->a, GV_STR("layer"), 1);
	gv_str rest = gv_str_of(members), one;

	while (gv_next(&rest, ' ', &one))
		if (one.n)
			gv_image_layer_member(l, gv_ends(one, "/") ? gv_sub(one, 0, one.n - 1) : one,
					      gv_ends(one, "/"));
	*gv_push(m->a, &m->g.layers) = (struct gv_image_place){ l->path, l };
	l->place = (uint32_t)m->g.layers.n;
}

static void hidden(struct image *m, const char *path, uint32_t place, uint32_t want)
{
	enum gv_layer_does does;
	gv_str at;

	assert_int_equal(gv_layers_hide(&m->ls, gv_str_of(path), place, &does, &at), want);
}

static void whiteouts(void **state)
{
	struct image m = { .a = gv_arena_new() };

	add_layer(&m, "a a/x a/y a/yy b b/deep c d/e/f");
	add_layer(&m, "a/.wh.x b/.wh..wh..opq b/new c/ d/.wh.e .wh..wh.aufs");
	add_layer(&m, "a/ a/x");
	add_layer(&m, "a");
	gv_layers_make(&m.ls, &m.g);
	hidden(&m, "a/x", 1, 4);  /* what was a folder is a file now */
	hidden(&m, "a/yy", 1, 4); /* so all of it went */
	hidden(&m, "a/x", 4, 0);
	hidden(&m, "b/deep", 1, 2);
	hidden(&m, "b/new", 2, 0); /* emptied is what lies below */
	hidden(&m, "bb", 1, 0);
	hidden(&m, "c", 1, 2); /* a folder where a file was */
	hidden(&m, "d/e/f", 1, 2);
	hidden(&m, "d/e/f!in/archive", 1, 2);
	hidden(&m, "d/other", 1, 0);
	hidden(&m, "", 1, 0);
	gv_layers_free(&m.ls);
	for (size_t i = 0; i < m.g.layers.n; i++)
		gv_image_layer_free(m.g.layers.v[i].layer);
	gv_arena_free(m.a);
}

static void root_is_emptied(void **state)
{
	struct image m = { .a = gv_arena_new() };

	add_layer(&m, "x");
	add_layer(&m, ".wh..wh..opq y");
	gv_layers_make(&m.ls, &m.g);
	hidden(&m, "x", 1, 2);
	hidden(&m, "y", 2, 0);
	gv_layers_free(&m.ls);
	for (size_t i = 0; i < m.g.layers.n; i++)
		gv_image_layer_free(m.g.layers.v[i].layer);
	gv_arena_free(m.a);
}

/* ---- Documents ---- */

static struct gv_file *document(struct gv_inventory *inv, const char *path, const char *text)
{
	struct gv_file *f = inspected(inv->arena, path, gv_str_of(text), 0);

	*gv_push(inv->arena, &inv->files) = f;
	return f;
}

static struct gv_file *in_layer(struct gv_inventory *inv, struct gv_image_layer *l, const char *path)
{
	struct gv_file *f = GV_NEW(inv->arena, struct gv_file);

	f->path = gv_fmt(inv->arena, "%.*s!%s", GV_ARG(l->path), path);
	f->in_layer = l;
	gv_image_layer_member(l, gv_str_of(path), false);
	*gv_push(inv->arena, &inv->files) = f;
	return f;
}

static struct gv_image_layer *layer(struct gv_inventory *inv, const char *path)
{
	struct gv_image_layer *l = gv_image_layer_new(inv->arena, gv_str_of(path), 1);

	l->opened = true;
	*gv_push(inv->arena, &inv->layers) = l;
	return l;
}

static void put_together(void **state)
{
	struct gv_inventory inv = { .arena = gv_arena_new() };
	struct gv_image_layer *low = layer(&inv, "lay/blobs/sha256/" B64), *high = layer(&inv, "lay/blobs/sha256/" C64);
	struct gv_file *x = in_layer(&inv, low, "opt/x.so"), *y = in_layer(&inv, low, "opt/y.so"),
		       *z = in_layer(&inv, high, "opt/z.so"), *conf;

	gv_image_layer_member(high, GV_STR("opt/.wh.x.so"), false);
	document(&inv, "lay/index.json",
		 "{\"manifests\":[{\"digest\":\"sha256:" A64
		 "\",\"annotations\":{\"org.opencontainers.image.ref.name\":\"v1\"}}]}");
	document(&inv, "lay/blobs/sha256/" A64,
		 "{\"config\":{\"digest\":\"sha256:" D64 "\"},\"layers\":[{\"digest\":\"sha256:" B64
		 "\"},{\"digest\":\"sha256:" C64 "\"}]}");
	conf = document(&inv, "lay/blobs/sha256/" D64,
			"{\"architecture\":\"arm64\",\"os\":\"linux\",\"config\":{\"Env\":[\"NVIDIA_REQUIRE_CUDA=cuda>="
			"11.8 brand=x,driver>1 driver>=520\",\"A=b\"]}}");
	assert_int_equal(conf->deps.n, 2);
	assert_string_equal(conf->deps.v[0].name.p, "cuda>=11.8");
	assert_string_equal(conf->deps.v[1].name.p, "driver>=520");
	gv_inventory_images(&inv);
	assert_int_equal(inv.images.n, 1);
	assert_string_equal(inv.images.v[0]->root.p, "lay!");
	assert_string_equal(inv.images.v[0]->name.p, "v1");
	assert_string_equal(x->path.p, "lay!opt/x.so");
	assert_true(x->hidden && !y->hidden && !z->hidden);
	assert_string_equal(x->hidden_by.p, "layer 2 removes it");
	assert_int_equal(y->layer, 1);
	assert_int_equal(z->layer, 2);
	assert_int_equal(z->images, 1);
	gv_arena_free(inv.arena);
}

/* A digest is text of somebody: it leads nowhere but to files that are there. */
static void hostile_documents(void **state)
{
	static const char *const texts[] = {
		"{\"manifests\":[",
		"{\"manifests\":[[[{}]]]}",
		"{\"manifests\":{\"digest\":\"x\"}}",
		"{\"manifests\":[{\"digest\":\"\"},{\"digest\":\":\"}]}",
		"{\"manifests\":[{\"digest\":\"sha256:../../" A64 "\"}]}",
		"{\"manifests\":1,\"layers\":[{\"digest\":\"sha256:" A64 "\"}]}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct gv_inventory inv = { .arena = gv_arena_new() };

		document(&inv, "index.json", texts[i]);
		document(&inv, "blobs/sha256/" A64, texts[i]);
		gv_inventory_images(&inv);
		assert_true(inv.images.n <= 1);
		gv_arena_free(inv.arena);
	}
}

/* ---- Links ---- */

static void add_link(struct gv_inventory *inv, const char *path, const char *target)
{
	*gv_push(inv->arena, &inv->links) = (struct gv_link){ .path = gv_str_of(path), .target = gv_str_of(target) };
}

static void place(struct gv_places *p, const char *path, const char *want)
{
	gv_str got = gv_place(p, gv_str_of(path));

	assert_string_equal(gv_dupz(p->inv->arena, got), want);
}

static void places(void **state)
{
	struct gv_inventory inv = { .arena = gv_arena_new() };
	struct gv_places p;

	add_link(&inv, "lib", "usr/lib");
	add_link(&inv, "usr/local/cuda", "/etc/alternatives/cuda");
	add_link(&inv, "etc/alternatives/cuda", "/usr/local/cuda-12.4");
	add_link(&inv, "loop", "loop");
	add_link(&inv, "up", "../../../../usr");
	add_link(&inv, "i.tar!lib", "/usr/lib");
	gv_places_make(&p, &inv);
	place(&p, "lib/x.so", "usr/lib/x.so");
	place(&p, "usr/local/cuda/lib64/x.so", "usr/local/cuda-12.4/lib64/x.so");
	place(&p, "up/x", "usr/x");
	place(&p, "lib/../../x", "x");
	place(&p, "loop/x", "loop/x");
	place(&p, "i.tar!lib/x", "i.tar!usr/lib/x");
	place(&p, "i.tar!usr/x", "i.tar!usr/x");
	gv_arena_free(inv.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),	cmocka_unit_test(whiteouts),	     cmocka_unit_test(root_is_emptied),
		cmocka_unit_test(put_together), cmocka_unit_test(hostile_documents), cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
