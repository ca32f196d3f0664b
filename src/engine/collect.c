/* SPDX-License-Identifier: Apache-2.0 */
/* `collect`: a look at this machine, the usual commands, logs; redacted, into one file. */
#include <errno.h>
#include <string.h>

#include "core/redact.h"
#include "engine/engine.h"
#include "source/bundle.h"
#include "source/collect.h"
#include "sys/clock.h"
#include "sys/host.h"
#include "sys/tar.h"

/* Names that only this machine knows to be names. */
static void know_host(struct gv_redactor *r, struct gv_arena *a)
{
	struct gv_host_names names = { 0 };

	gv_host_names(a, &names);
	for (size_t i = 0; i < names.hosts.n; i++)
		gv_redact_know(r, GV_SECRET_HOST, names.hosts.v[i]);
	for (size_t i = 0; i < names.users.n; i++)
		gv_redact_know(r, GV_SECRET_USER, names.users.v[i]);
}

struct bundle {
	struct gv_run *run;
	struct gv_redactor *redactor; /* NULL: names are kept */
	int fd;
	double now;
	struct gv_buf out; /* of one document */
};

static int put(struct bundle *b, gv_str name, gv_str text)
{
	if (!b->redactor)
		return gv_tar_add(b->fd, name, text, b->now);
	b->out.n = 0;
	if (!gv_redact(b->redactor, name, text, &b->out))
		return 0; /* what is packed in binary bytes cannot be seen, so it stays here */
	return gv_tar_add(b->fd, gv_redact_name(b->redactor, name), gv_buf_str(&b->out), b->now);
}

static gv_str member_of(struct gv_arena *a, const struct gv_doc *d)
{
	return d->look ? gv_bundle_live_name(a, d->name) : d->name;
}

static int put_documents(struct bundle *b)
{
	int r = 0;

	for (size_t i = 0; i < b->run->docs.n && !r; i++)
		r = put(b, member_of(b->run->arena, b->run->docs.v[i]), b->run->docs.v[i]->text);
	return r;
}

/* Names that only one document gives away are to be known before the first is written. */
static void learn(struct bundle *b)
{
	for (size_t i = 0; b->redactor && i < b->run->docs.n; i++)
		gv_redact_learn(b->redactor, member_of(b->run->arena, b->run->docs.v[i]), b->run->docs.v[i]->text);
}

/* The first member: what was run, what was left out and why. */
static int put_head(struct bundle *b, const char *version, gv_str account)
{
	struct gv_buf head = { 0 };
	int r;

	gv_puts(&head, GV_BUNDLE_HEAD);
	gv_printf(&head, "version: %s\nnames: %s\n", version, b->redactor ? "redacted" : "kept");
	gv_put(&head, account);
	for (size_t i = 0; i < b->run->unread.n; i++)
		gv_printf(&head, "unread: %.*s\t%.*s\n", GV_ARG(b->run->unread.v[i].file),
			  GV_ARG(b->run->unread.v[i].why));
	r = put(b, GV_STR(GV_BUNDLE_COLLECTED), gv_buf_str(&head));
	gv_buf_free(&head);
	return r;
}

int gv_collect(struct gv_run *run, const struct gv_collect *o, int fd, struct gv_buf *ret_account)
{
	struct bundle b = { .run = run, .fd = fd, .now = gv_clock_wall() };
	int r = gv_add_live(run, &o->look);

	if (r)
		return r;
	gv_collect_commands(run, o->look.timeout > GV_LOOK.timeout ? o->look.timeout / GV_LOOK.timeout : 1, ret_account,
			    o->said);
	for (size_t i = 0; i < o->nlogs; i++) {
		r = gv_collect_log(run, o->logs[i], ret_account);
		if (r) {
			gv_printf(ret_account, "left out: %s: %s\n", o->logs[i], strerror(-r));
			gv_unread(run, gv_str_of(o->logs[i]), gv_fmt(run->arena, "%s", strerror(-r)));
		}
	}
	if (!o->keep_names) {
		b.redactor = gv_redactor_new(run->arena);
		know_host(b.redactor, run->arena);
	}
	learn(&b);
	r = put_head(&b, o->version, gv_buf_str(ret_account));
	if (!r)
		r = put_documents(&b);
	if (!r)
		r = gv_tar_end(fd);
	if (!r && b.redactor)
		gv_printf(ret_account, "redacted: %.*s\n", GV_ARG(gv_redact_summary(b.redactor, run->arena)));
	gv_buf_free(&b.out);
	return r;
}
