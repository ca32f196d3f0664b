/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine an output is from.
 *
 * Names come through channels: what one tool states about its host, log lines, prompts, file names. Two names in one
 * channel are two machines. Two names in different channels are one machine until something says otherwise: people paste
 * a kernel log whose host is called one thing below a prompt that is called another. */
#include "derive/derive.h"

struct name {
	const char *channel;
	gv_str host; /* short, lower case */
	size_t up;   /* union of names of one machine: index of another name, or itself */
	struct gv_entity *node;
};

#define NAMES_MAX 4096

struct names {
	struct gv_run *run;
	GV_VEC(struct name) v;
	struct gv_map by; /* channel and host -> 1 + the name's number */
};

static bool is_host(gv_str s)
{
	return s.n && s.n < 254 && !gv_is(s, "localhost") && !gv_is(s, "(none)");
}

static gv_str short_host(struct gv_arena *a, gv_str s)
{
	bool address = true;

	for (size_t i = 0; i < s.n; i++)
		address &= (s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '.' || s.p[i] == ':';
	return gv_lower(a, address ? s : gv_before(s, "."));
}

static size_t find(struct names *n, const char *channel, gv_str host, bool add)
{
	size_t fresh = n->v.n; /* read here: gv_push() counts up at a moment of its own choice */
	uintptr_t known;
	gv_str key;

	host = short_host(n->run->arena, host);
	if (!is_host(host))
		return SIZE_MAX;
	key = gv_fmt(n->run->arena, "%s/%.*s", channel, GV_ARG(host));
	known = (uintptr_t)gv_map_get(&n->by, key);
	if (known)
		return (size_t)known - 1;
	if (!add || fresh >= NAMES_MAX)
		return SIZE_MAX;
	*gv_map_put(&n->by, key) = (void *)(uintptr_t)(fresh + 1);
	*gv_push(n->run->arena, &n->v) = (struct name){ channel, host, fresh, NULL };
	return fresh;
}

static size_t root(const struct names *n, size_t i)
{
	while (n->v.v[i].up != i)
		i = n->v.v[i].up;
	return i;
}

static void join(struct names *n, size_t a, size_t b)
{
	if (a == SIZE_MAX || b == SIZE_MAX)
		return;
	a = root(n, a);
	b = root(n, b);
	if (a != b)
		n->v.v[a > b ? a : b].up = a > b ? b : a;
}

static bool id_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

static bool bounded(gv_str s, size_t at, size_t n)
{
	return (!at || !id_char(s.p[at - 1])) && (at + n >= s.n || !id_char(s.p[at + n]));
}

gv_str gv_node_in_name(struct gv_arena *a, gv_str name)
{
	static const char *const words[] = { "node", "host", "worker", "server", "machine" };
	static const char *const roles[] = { "master", "slave", "head" };
	gv_str s = gv_lower(a, name);

	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
		ptrdiff_t at = gv_find(s, words[w]);
		gv_str rest = at < 0 ? GV_NONE : gv_from(s, (size_t)at + gv_str_of(words[w]).n);
		size_t dash, i;

		if (at < 0 || (at > 0 && id_char(s.p[at - 1])))
			continue;
		dash = rest.n && (rest.p[0] == '-' || rest.p[0] == '_');
		for (i = dash; i < rest.n && id_char(rest.p[i]); i++)
			;
		/* a number, or one letter behind a dash: "node2", "node-a"; not "hosts", not "node-exporter" */
		if (i > dash && ((rest.p[dash] >= '0' && rest.p[dash] <= '9') || (dash && i == dash + 1)))
			return gv_sub(s, (size_t)at, gv_str_of(words[w]).n + i);
	}
	for (size_t r = 0; r < sizeof(roles) / sizeof(roles[0]); r++) {
		ptrdiff_t at = gv_find(s, roles[r]);

		if (at >= 0 && bounded(s, (size_t)at, gv_str_of(roles[r]).n))
			return gv_str_of(roles[r]);
	}
	return GV_NONE;
}

/* Folders that are moments of one machine: before/, 2/, run1/, 2026-01-13/. */
static bool moment_folder(gv_str dir)
{
	static const char *const words[] = { "run", "epoch", "step", "try", "attempt", "look", "sample", "round", "day" };
	bool digits = true;

	for (size_t i = 0; i < dir.n; i++)
		digits &= (dir.p[i] >= '0' && dir.p[i] <= '9') || dir.p[i] == '-' || dir.p[i] == '_' || dir.p[i] == ':';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_starts_nocase(dir, words[i]))
			return true;
	return digits || gv_moment_in_name(dir);
}

/* Two folders that hold a document of the same name are two machines: their captures were made alike. */
static bool folders_are_nodes(struct gv_run *run)
{
	struct gv_map first = { .arena = run->arena };
	bool two = false;

	for (size_t i = 0; i < run->docs.n; i++) {
		gv_str name = run->docs.v[i]->name, dir = gv_before(name, "/"), rest = gv_after(name, "/"), *seen;
		void **slot;

		if (!rest.n)
			continue;
		if (moment_folder(dir))
			return false;
		slot = gv_map_put(&first, rest);
		seen = *slot;
		two |= seen && !gv_eq(*seen, dir);
		if (!seen) {
			seen = GV_NEW(run->arena, gv_str);
			*seen = dir;
			*slot = seen;
		}
	}
	return two;
}

static gv_str ssh_host(gv_str cmd)
{
	gv_str w[8];
	size_t n = gv_words(cmd, w, 8);
	ptrdiff_t at;

	if (n < 3 || !gv_is(w[0], "ssh"))
		return GV_NONE;
	for (size_t i = 1; i < n && i < 8; i++) {
		if (w[i].p[0] == '-')
			continue;
		at = gv_find(w[i], "@");
		return at < 0 ? w[i] : gv_from(w[i], (size_t)at + 1);
	}
	return GV_NONE;
}

static size_t prompt_name(struct names *n, const struct gv_seg *seg, bool add)
{
	gv_str host = ssh_host(seg->cmd);

	if (!host.n)
		host = seg->container ? GV_NONE : seg->host;
	return find(n, "prompt", host, add);
}

static size_t block_name(struct names *n, const struct gv_block *b, bool add)
{
	return b->host.n ? find(n, b->tool, b->host, add) : SIZE_MAX;
}

/* The host that an output states: by its reader, or as a fact of the node. */
static void take_hosts(struct gv_run *run)
{
	for (size_t i = 0; i < run->sights.n; i++) {
		struct gv_entity *e = run->sights.v[i];
		struct gv_block *b = e->kind == GV_NODE && e->block ? run->blocks.v[e->block->index] : NULL;

		if (b && !b->host.n)
			b->host = gv_text(e, GV_F_HOSTNAME);
		if (b && !b->host.n)
			b->host = gv_text(e, GV_F_K8S_NAME);
	}
}

static void collect(struct names *n)
{
	struct gv_run *run = n->run;

	bool folders = folders_are_nodes(run);

	for (size_t i = 0; i < run->docs.n; i++) {
		struct gv_doc *doc = run->docs.v[i];

		doc->stem = gv_node_in_name(run->arena, doc->name);
		if (!doc->stem.n && folders && gv_has(doc->name, "/"))
			doc->stem = gv_before(doc->name, "/");
		find(n, "name", run->docs.v[i]->stem, true);
	}
	for (size_t i = 0; i < run->blocks.n; i++) {
		const struct gv_block *b = run->blocks.v[i];
		size_t said = block_name(n, b, true), typed = prompt_name(n, b->seg, true);

		join(n, said, typed);
		join(n, said, find(n, "name", b->doc->stem, false));
	}
	for (size_t i = 0; i < run->events.n; i++) {
		const struct gv_event *ev = run->events.v[i];
		size_t said = ev->host.n && ev->kernel ? find(n, "log", ev->host, true) : SIZE_MAX;

		join(n, said, find(n, "name", ev->doc->stem, false));
	}
	/* the same word in two channels is the same machine */
	for (size_t i = 0; i < n->v.n; i++)
		for (size_t k = 0; k < i; k++)
			if (gv_eq(n->v.v[i].host, n->v.v[k].host))
				join(n, i, k);
}

/* Whether some channel tells two machines apart. */
static bool several(const struct names *n)
{
	for (size_t i = 0; i < n->v.n; i++)
		for (size_t k = 0; k < i; k++)
			if (n->v.v[i].channel == n->v.v[k].channel && root(n, i) != root(n, k))
				return true;
	return false;
}

static struct gv_entity *new_node(struct gv_run *run, gv_str host)
{
	struct gv_entity *e = gv_entity_new(run->arena, GV_NODE, GV_NONE);
	size_t no = gv_count(run, GV_NODE, NULL);

	e->id = gv_fmt(run->arena, "n%zu", no);
	gv_add_entity(run, e);
	if (host.n) {
		struct gv_obs *o = gv_observe(run->arena, e, GV_F_HOSTNAME, (struct gv_place){ 0 });

		o->state = GV_KNOWN;
		o->str = host;
	}
	return e;
}

static struct gv_entity *node_of(struct names *n, size_t name)
{
	struct name *r;

	if (name == SIZE_MAX)
		return NULL;
	r = &n->v.v[root(n, name)];
	if (!r->node)
		r->node = new_node(n->run, r->host);
	return r->node;
}

static struct gv_entity *place(struct names *n, size_t said, size_t typed, const struct gv_doc *doc)
{
	struct gv_entity *e = node_of(n, said);

	if (!e)
		e = node_of(n, typed);
	if (!e && doc->look) /* all of a look is of one machine */
		e = node_of(n, find(n, "gpuvet look", doc->look->host, false));
	if (!e)
		e = node_of(n, find(n, "name", doc->stem, false));
	return e;
}

/* What says nothing itself goes to the machine of its document where there is exactly one, else to the first. */
static void assign_rest(struct gv_run *run)
{
	struct gv_entity **of_doc = GV_NEWN(run->arena, struct gv_entity *, run->docs.n + 1), *first;
	bool *mixed = GV_NEWN(run->arena, bool, run->docs.n + 1);

	if (!run->entities.n)
		new_node(run, GV_NONE);
	first = run->entities.v[0];
	for (size_t i = 0; i < run->blocks.n + run->events.n; i++) {
		bool is_block = i < run->blocks.n;
		const struct gv_doc *doc = is_block ? run->blocks.v[i]->doc : run->events.v[i - run->blocks.n]->doc;
		struct gv_entity *e = is_block ? run->blocks.v[i]->node : run->events.v[i - run->blocks.n]->node;

		if (!e)
			continue;
		mixed[doc->index] |= of_doc[doc->index] && of_doc[doc->index] != e;
		of_doc[doc->index] = e;
	}
	for (size_t i = 0; i < run->blocks.n + run->events.n; i++) {
		bool is_block = i < run->blocks.n;
		size_t d = is_block ? run->blocks.v[i]->doc->index : run->events.v[i - run->blocks.n]->doc->index;
		struct gv_entity **e = is_block ? &run->blocks.v[i]->node : &run->events.v[i - run->blocks.n]->node;

		if (!*e)
			*e = of_doc[d] && !mixed[d] ? of_doc[d] : first;
	}
}

/* One machine: its name is what says most. */
static void single(struct names *n)
{
	static const char *const order[] = { "gpuvet look", "uname", "prompt", "log", "name" };
	gv_str host = GV_NONE;

	for (size_t o = 0; o < sizeof(order) / sizeof(order[0]) && !host.n; o++)
		for (size_t i = 0; i < n->v.n && !host.n; i++)
			if (gv_is(gv_str_of(n->v.v[i].channel), order[o]))
				host = n->v.v[i].host;
	if (!host.n && n->v.n)
		host = n->v.v[0].host;
	new_node(n->run, host);
}

void gv_derive_nodes(struct gv_run *run)
{
	struct names n = { .run = run, .by = { .arena = run->arena } };

	take_hosts(run);
	collect(&n);
	if (!several(&n)) {
		single(&n);
		assign_rest(run);
		gv_tell_nodes(run);
		return;
	}
	for (size_t i = 0; i < run->blocks.n; i++) {
		struct gv_block *b = run->blocks.v[i];

		b->node = place(&n, block_name(&n, b, false), prompt_name(&n, b->seg, false), b->doc);
	}
	for (size_t i = 0; i < run->events.n; i++) {
		struct gv_event *ev = run->events.v[i];
		size_t said = ev->host.n && ev->kernel ? find(&n, "log", ev->host, false) : SIZE_MAX;

		ev->node = place(&n, said, prompt_name(&n, ev->seg, false), ev->doc);
	}
	assign_rest(run);
	gv_tell_nodes(run);
}
