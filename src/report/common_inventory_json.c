/* SPDX-License-Identifier: Apache-2.0 */
/* An inventory as gpuvet.inventory.v1, see docs/json.md. */
#include "report/common_inventory.h"

#include <stdio.h>

static void put_version(struct gv_json *j, const char *key, unsigned v)
{
	char text[16];

	gv_json_key(j, key);
	if (!v) {
		gv_json_null(j);
		return;
	}
	snprintf(text, sizeof(text), "%u.%u", v / 100, v % 100);
	gv_json_strz(j, text);
}

static void put_vendor(struct gv_json *j, unsigned vendor)
{
	gv_json_key(j, "vendor");
	gv_json_strz(j, gv_vendor_name(vendor));
}

/* Whose file it is: its package, and, where it is a library of a GPU vendor, where that stands in the stack. */
static void put_owner(struct gv_json *j, const struct gv_file *f)
{
	enum gv_layer layer = f->provides ? gv_library_layer(f->path) : GV_LAYERS;

	gv_json_some(j, "package", f->package ? f->package->name : GV_NONE);
	gv_json_some(j, "of", layer < GV_LAYERS ? gv_str_of(gv_layer_name[layer]) : GV_NONE);
}

static void put_code(struct gv_json *j, const struct gv_inventory *inv)
{
	static const char *const packings[] = { "lz4", "zstd", "zlib", "scrambled" };

	gv_json_key(j, "code");
	gv_json_arr(j);
	for (size_t i = 0; i < inv->files.n; i++)
		for (size_t k = 0; k < inv->files.v[i]->code.n; k++) {
			const struct gv_code *c = &inv->files.v[i]->code.v[k];

			gv_json_obj(j);
			gv_json_key(j, "file");
			gv_json_str(j, inv->files.v[i]->path);
			put_vendor(j, c->vendor);
			gv_json_key(j, "kind");
			gv_json_strz(j, gv_code_kind_name[c->kind]);
			gv_json_some(j, "arch", c->arch);
			gv_json_key(j, "count");
			gv_json_u64(j, c->count);
			gv_json_key(j, "bytes");
			gv_json_u64(j, c->bytes);
			gv_json_some(j, "section", c->section);
			gv_json_key(j, "packed");
			gv_json_arr(j);
			for (unsigned b = 0; b < 4; b++)
				if (c->packed >> b & 1)
					gv_json_strz(j, packings[b]);
			gv_json_end(j);
			put_version(j, "ptx", c->isa);
			put_version(j, "toolkit", c->toolkit);
			gv_json_key(j, "confirmed");
			gv_json_bool(j, !c->unconfirmed);
			put_owner(j, inv->files.v[i]);
			gv_inventory_place_json(j, inv->files.v[i]);
			gv_json_end(j);
		}
	gv_json_end(j);
}

static void put_libraries(struct gv_json *j, const struct gv_inventory *inv)
{
	gv_json_key(j, "libraries");
	gv_json_arr(j);
	for (size_t i = 0; i < inv->files.n; i++)
		for (size_t k = 0; k < inv->files.v[i]->deps.n; k++) {
			const struct gv_dep *d = &inv->files.v[i]->deps.v[k];

			gv_json_obj(j);
			gv_json_key(j, "file");
			gv_json_str(j, inv->files.v[i]->path);
			gv_json_some(j, "package", inv->files.v[i]->package ? inv->files.v[i]->package->name : GV_NONE);
			gv_json_key(j, "name");
			gv_json_str(j, d->name);
			put_vendor(j, d->vendor);
			gv_json_key(j, "grade");
			gv_json_strz(j, gv_grade_name[d->grade]);
			gv_json_some(j, "via", d->via);
			gv_json_some(j, "found", d->found ? d->found->path : GV_NONE);
			gv_json_some(j, "change", d->change);
			gv_json_key(j, "optional");
			gv_json_bool(j, d->optional);
			gv_json_key(j, "by_name");
			gv_json_bool(j, d->by_name);
			gv_json_key(j, "by_default");
			gv_json_bool(j, d->by_default);
			gv_json_key(j, "driver");
			gv_json_bool(j, d->driver);
			gv_json_key(j, "direct");
			gv_json_bool(j, !d->through);
			gv_json_some(j, "quote", d->quote);
			gv_json_key(j, "line");
			if (d->line)
				gv_json_u64(j, d->line);
			else
				gv_json_null(j);
			gv_inventory_place_json(j, inv->files.v[i]);
			gv_json_end(j);
		}
	gv_json_end(j);
}

/* An engine or entry of a cache, and for what it was made: members of an object that is open. */
void gv_artefact_json(struct gv_json *j, const struct gv_file *f, const struct gv_artefact *a)
{
	gv_json_key(j, "file");
	gv_json_str(j, f->path);
	gv_json_key(j, "cache");
	gv_json_strz(j, a->kind);
	gv_json_key(j, "made_for");
	gv_json_arr(j);
	for (size_t p = 0; p < a->props.n; p++) {
		gv_json_obj(j);
		gv_json_key(j, "name");
		gv_json_strz(j, a->props.v[p].key);
		gv_json_key(j, "value");
		gv_json_str(j, a->props.v[p].value);
		gv_json_end(j);
	}
	gv_json_end(j);
	gv_json_key(j, "confirmed");
	gv_json_bool(j, !a->unconfirmed);
}

static void put_artefacts(struct gv_json *j, const struct gv_inventory *inv)
{
	gv_json_key(j, "artefacts");
	gv_json_arr(j);
	for (size_t i = 0; i < inv->files.n; i++)
		for (size_t k = 0; k < inv->files.v[i]->artefacts.n; k++) {
			gv_json_obj(j);
			gv_artefact_json(j, inv->files.v[i], &inv->files.v[i]->artefacts.v[k]);
			gv_json_end(j);
		}
	gv_json_end(j);
}

static void put_packages(struct gv_json *j, const struct gv_inventory *inv)
{
	static const char *const hows[] = { "installed", "locked", "asked" };

	gv_json_key(j, "packages");
	gv_json_arr(j);
	for (size_t i = 0; i < inv->packages.n; i++) {
		const struct gv_package *p = inv->packages.v[i];

		if (!p->name.n)
			continue;
		gv_json_obj(j);
		gv_json_key(j, "ecosystem");
		gv_json_strz(j, p->eco);
		gv_json_key(j, "name");
		gv_json_str(j, p->name);
		gv_json_some(j, "version", p->version);
		gv_json_some(j, "build", p->local);
		gv_json_key(j, "how");
		gv_json_strz(j, hows[p->how]);
		gv_json_key(j, "top");
		gv_json_bool(j, p->top);
		gv_json_some(j, "vendor", p->vendor ? gv_str_of(gv_vendor_name(p->vendor)) : GV_NONE);
		gv_json_some(j, "file", p->from ? p->from->path : GV_NONE);
		gv_json_end(j);
	}
	gv_json_end(j);
}

/* Libraries of GPU vendors that are in here. */
static void put_ships(struct gv_json *j, const struct gv_inventory *inv)
{
	gv_json_key(j, "ships");
	gv_json_arr(j);
	for (size_t i = 0; i < inv->files.n; i++) {
		const struct gv_file *f = inv->files.v[i];

		if (!f->provides)
			continue;
		gv_json_obj(j);
		gv_json_key(j, "file");
		gv_json_str(j, f->path);
		put_vendor(j, f->provides);
		put_owner(j, f);
		gv_json_key(j, "driver");
		gv_json_bool(j, f->driver);
		gv_json_key(j, "bytes");
		gv_json_u64(j, f->size);
		gv_inventory_place_json(j, f);
		gv_json_end(j);
	}
	gv_json_end(j);
}

static void put_unread(struct gv_json *j, gv_str file, gv_str why)
{
	gv_json_obj(j);
	gv_json_key(j, "file");
	gv_json_str(j, file);
	gv_json_key(j, "why");
	gv_json_str(j, why);
	gv_json_end(j);
}

void gv_inventory_json(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts)
{
	struct gv_json j = { .out = out, .pretty = true };

	gv_json_obj(&j);
	gv_json_key(&j, "schema");
	gv_json_strz(&j, "gpuvet.inventory.v1");
	gv_json_key(&j, "version");
	gv_json_strz(&j, opts->version);
	gv_json_key(&j, "files");
	gv_json_u64(&j, inv->seen);
	gv_json_key(&j, "bytes");
	gv_json_u64(&j, inv->bytes);
	gv_json_key(&j, "skipped");
	gv_json_u64(&j, inv->skipped);
	gv_inventory_images_json(&j, inv);
	put_code(&j, inv);
	put_libraries(&j, inv);
	put_ships(&j, inv);
	put_packages(&j, inv);
	gv_inventory_hidden_json(&j, inv);
	gv_inventory_targets_json(&j, inv);
	put_artefacts(&j, inv);
	gv_json_key(&j, "policy");
	if (inv->policy)
		gv_inventory_policy_json(&j, inv->policy);
	else
		gv_json_null(&j);
	gv_json_key(&j, "unread");
	gv_json_arr(&j);
	for (size_t i = 0; i < inv->unread.n; i++)
		put_unread(&j, inv->unread.v[i].path, inv->unread.v[i].why);
	for (size_t i = 0; i < inv->files.n; i++)
		for (size_t k = 0; k < inv->files.v[i]->notes.n; k++)
			put_unread(&j, inv->files.v[i]->path, inv->files.v[i]->notes.v[k]);
	gv_json_end(&j);
	gv_json_end(&j);
	gv_putc(out, '\n');
}
