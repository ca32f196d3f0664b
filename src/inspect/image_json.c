/* SPDX-License-Identifier: Apache-2.0 */
/* The documents of an image: index.json and manifest.json by their names, and blobs, which are called by their digest.
 * Sources: OCI image-spec 1.1 (image-layout, image-index, manifest, config); Docker image specification 1.2 for "docker
 * save". */
#include "base/json.h"
#include "inspect/image.h"

#define REFS_MAX 4096
#define DOCS_MAX 256
#define TEXT_MAX 4096
#define ENV_MAX 64
#define KEYS 8 /* levels whose keys are known */

static bool claim(const struct gv_item *it)
{
	gv_str head = gv_trim(it->head);

	if (!gv_starts(head, "{") && !gv_starts(head, "["))
		return false;
	if (gv_is(it->name, "index.json"))
		return gv_has(it->head, "\"manifests\"");
	if (gv_is(it->name, "manifest.json"))
		return gv_has(it->head, "\"Layers\"") || gv_has(it->head, "\"Config\"") ||
		       gv_has(it->head, "\"schemaVersion\"");
	return gv_image_digest(it->name).n > 0;
}

/* ---- Variables and labels that concern GPUs ---- */

static bool concerns_gpus(gv_str s)
{
	static const char *const begins[] = {
		"NVIDIA_", "CUDA_", "NV_CUDA", "NVARCH=",     "LD_LIBRARY_PATH=",   "LD_PRELOAD=",
		"ROCM_",   "ROCR_", "HIP_",    "HSA_",	      "PYTORCH_ROCM_ARCH=", "TORCH_CUDA_ARCH_LIST=",
		"ONEAPI_", "SYCL_", "ZE_",     "com.nvidia.", "com.amd.",	    "com.intel.",
		NULL
	};

	for (size_t i = 0; begins[i]; i++)
		if (gv_starts(s, begins[i]))
			return true;
	return false;
}

/* NVIDIA_REQUIRE_CUDA="cuda>=12.4 brand=tesla,driver>=470,driver<471 ...": alternatives apart by blanks, each a list of
 * conditions apart by commas that hold together. Told is what each says of CUDA or of the driver for every brand; who
 * starts the container refuses where none holds. */
static void require_driver(struct gv_inspect *x, gv_str env)
{
	gv_str rest = gv_after(env, "="), word;

	while (gv_word(&rest, &word)) {
		struct gv_dep *d;

		if (gv_starts(word, "brand=") || !(gv_starts(word, "cuda") || gv_starts(word, "driver")))
			continue;
		d = gv_add_dep(x, GV_DECLARED, gv_cut(word, 200), GV_NVIDIA);
		d->driver = true;
		d->quote = gv_dup(x->arena, gv_cut(env, TEXT_MAX));
	}
}

static void add_env(struct gv_inspect *x, struct gv_oci *o, gv_str env)
{
	if (!concerns_gpus(env) || o->env.n >= ENV_MAX)
		return;
	*gv_push(x->arena, &o->env) = gv_dup(x->arena, gv_cut(env, TEXT_MAX));
	if (gv_starts(env, "NVIDIA_REQUIRE_"))
		require_driver(x, env);
}

/* ---- JSON ---- */

struct reading {
	struct gv_inspect *x;
	gv_str key[KEYS]; /* of the level, in objects */
	struct gv_oci *o;
	struct gv_oci_ref *ref;
	bool config, index; /* what it is, by its keys */
};

static gv_str key_at(const struct reading *r, unsigned depth)
{
	return depth < KEYS ? r->key[depth] : GV_NONE;
}

static void set(struct reading *r, gv_str *to, gv_str text)
{
	*to = gv_dup(r->x->arena, gv_cut(text, TEXT_MAX));
}

static struct gv_oci *new_oci(struct reading *r, enum gv_oci_kind kind)
{
	struct gv_oci *o = GV_NEW(r->x->arena, struct gv_oci);

	o->kind = kind;
	if (r->x->file->oci.n < DOCS_MAX)
		*gv_push(r->x->arena, &r->x->file->oci) = o;
	return o;
}

static struct gv_oci_ref *new_ref(struct reading *r)
{
	return r->o->refs.n < REFS_MAX ? gv_push(r->x->arena, &r->o->refs) : &r->o->refs.v[REFS_MAX - 1];
}

/* A string of an entry of "manifests" or "layers": the keys below it. */
static void ref_string(struct reading *r, unsigned depth, gv_str text)
{
	gv_str key = key_at(r, 3), sub = key_at(r, 4);

	if (!r->ref)
		return;
	if (depth == 3 && gv_is(key, "digest"))
		set(r, &r->ref->target, text);
	else if (depth == 3 && gv_is(key, "mediaType"))
		set(r, &r->ref->type, text);
	else if (depth == 4 && gv_is(key, "platform") && gv_is(sub, "os"))
		set(r, &r->ref->os, text);
	else if (depth == 4 && gv_is(key, "platform") && gv_is(sub, "architecture"))
		set(r, &r->ref->arch, text);
	else if (depth == 4 && gv_is(key, "platform") && gv_is(sub, "variant"))
		set(r, &r->ref->variant, text);
	else if (depth == 4 && gv_is(key, "annotations") &&
		 (gv_is(sub, "io.containerd.image.name") ||
		  (gv_is(sub, "org.opencontainers.image.ref.name") && !r->ref->name.n)))
		set(r, &r->ref->name, text);
}

/* One object: an index, a manifest or a configuration. Depths count from 1, that of the object. */
static void oci_string(struct reading *r, unsigned depth, gv_str text)
{
	gv_str key = key_at(r, 1), sub = key_at(r, 2);

	if (gv_is(key, "manifests") || gv_is(key, "layers")) {
		ref_string(r, depth, text);
	} else if (depth == 2 && gv_is(key, "config") && gv_is(sub, "digest")) {
		set(r, &r->o->config, text);
	} else if (depth == 1 && gv_is(key, "os")) {
		set(r, &r->o->os, text);
	} else if (depth == 1 && gv_is(key, "architecture")) {
		set(r, &r->o->arch, text);
	} else if (depth == 1 && gv_is(key, "variant")) {
		set(r, &r->o->variant, text);
	} else if (depth == 3 && gv_is(key, "config") && gv_is(sub, "Env")) {
		add_env(r->x, r->o, text);
	} else if (depth == 3 && gv_is(key, "config") && gv_is(sub, "Labels")) {
		gv_str label = key_at(r, 3);

		if (concerns_gpus(label) && r->o->labels.n < ENV_MAX)
			*gv_push(r->x->arena, &r->o->labels) =
			    gv_fmt(r->x->arena, "%.*s=%.*s", GV_ARG(label), GV_ARG(gv_cut(text, TEXT_MAX)));
	}
}

/* docker save: [{"Config": path, "RepoTags": [...], "Layers": [...]}]. */
static void docker_string(struct reading *r, unsigned depth, gv_str text)
{
	gv_str key = key_at(r, 2);

	if (depth == 2 && gv_is(key, "Config"))
		set(r, &r->o->config, text);
	else if (depth == 3 && gv_is(key, "RepoTags") && !r->o->name.n)
		set(r, &r->o->name, text);
	else if (depth == 3 && gv_is(key, "Layers"))
		set(r, &new_ref(r)->target, text);
}

static void on_key(struct reading *r, unsigned depth, gv_str key)
{
	if (depth < KEYS)
		r->key[depth] = key;
	if (depth == 1 && gv_is(key, "manifests"))
		r->o->kind = GV_OCI_INDEX;
	else if (depth == 1 && gv_is(key, "layers"))
		r->o->kind = GV_OCI_MANIFEST;
}

static void read_image_json(struct gv_inspect *x, gv_str bytes)
{
	struct gv_json_in in = { .text = bytes };
	struct gv_arena *own = gv_arena_new();
	struct reading r = { .x = x };
	enum gv_json_kind k;
	bool docker = false;

	while ((k = gv_json_next(&in)) != GV_JSON_END && k != GV_JSON_ERROR) {
		if (k == GV_JSON_ARR && in.depth == 1)
			docker = true;
		else if (k == GV_JSON_OBJ && in.depth == (docker ? 2u : 1u))
			r.o = new_oci(&r, docker ? GV_OCI_DOCKER : GV_OCI_CONFIG);
		else if (k == GV_JSON_OBJ && in.depth == 3 && !docker && r.o)
			r.ref = gv_is(r.key[1], "manifests") || gv_is(r.key[1], "layers") ? new_ref(&r) : NULL;
		else if (k == GV_JSON_KEY && r.o)
			on_key(&r, in.depth, gv_json_unescape(own, in.raw));
		else if (k == GV_JSON_STR && r.o)
			(docker ? docker_string : oci_string)(&r, in.depth, gv_json_unescape(own, in.raw));
	}
	if (k == GV_JSON_ERROR)
		gv_file_note(x, "not read as JSON: %s at byte %zu", in.error, in.at);
	gv_arena_free(own);
}

const struct gv_document gv_document_image_json = { .type = "image metadata", .claim = claim, .read = read_image_json };
