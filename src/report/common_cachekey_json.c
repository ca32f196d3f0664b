/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of caches as gpuvet.cachekey.v1, see docs/json.md. */
#include "report/common_cachekey.h"
#include "report/common_inventory.h"

static void put_properties(struct gv_json *j, const struct gv_cache_key *k)
{
	gv_json_key(j, "made_of");
	gv_json_arr(j);
	for (size_t i = 0; k && i < k->props.n; i++) {
		const struct gv_cache_prop *p = &k->props.v[i];

		gv_json_obj(j);
		gv_json_some(j, "name", p->name);
		gv_json_some(j, "value", p->value);
		gv_json_some(j, "from", p->from);
		gv_json_some(j, "unknown", p->value.n ? GV_NONE : p->why);
		gv_json_some(j, "how", p->how);
		gv_json_some(j, "source", p->source);
		gv_json_some(j, "basis", p->basis);
		gv_json_end(j);
	}
	gv_json_end(j);
}

static void put_fit(struct gv_json *j, const struct gv_cache_fit *f)
{
	gv_json_obj(j);
	gv_artefact_json(j, f->file, f->artefact);
	gv_json_key(j, "fits");
	if (f->fits < 0)
		gv_json_null(j);
	else
		gv_json_bool(j, f->fits);
	gv_json_key(j, "kind");
	gv_json_strz(j, f->fits == 0 && !f->beside ? gv_kind_info[GV_K_ENGINE_CACHE_MISMATCH].name : NULL);
	gv_json_some(j, "why", f->why);
	gv_json_end(j);
}

static void put_unread(struct gv_json *j, const struct gv_inventory *inv)
{
	gv_json_key(j, "unread");
	gv_json_arr(j);
	for (size_t i = 0; inv && i < inv->unread.n; i++) {
		gv_json_obj(j);
		gv_json_some(j, "file", inv->unread.v[i].path);
		gv_json_some(j, "why", inv->unread.v[i].why);
		gv_json_end(j);
	}
	gv_json_end(j);
}

void gv_cachekey_json(struct gv_buf *out, const struct gv_cachekey_report *r)
{
	struct gv_json j = { .out = out, .pretty = true };

	gv_json_obj(&j);
	gv_json_key(&j, "schema");
	gv_json_strz(&j, "gpuvet.cachekey.v1");
	gv_json_key(&j, "version");
	gv_json_strz(&j, r->version);
	gv_json_key(&j, "scheme");
	gv_json_u64(&j, GV_CACHE_SCHEME);
	gv_json_some(&j, "cache", r->key ? r->key->cache : GV_NONE);
	gv_json_some(&j, "key", r->key ? r->key->key : GV_NONE);
	put_properties(&j, r->key);
	gv_json_key(&j, "artefacts");
	if (r->fits) {
		gv_json_arr(&j);
		for (size_t i = 0; i < r->fits->n; i++)
			put_fit(&j, &r->fits->v[i]);
		gv_json_end(&j);
	} else {
		gv_json_null(&j);
	}
	put_unread(&j, r->inv);
	gv_json_end(&j);
	gv_putc(out, '\n');
}
