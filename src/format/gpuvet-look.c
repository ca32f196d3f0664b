/* SPDX-License-Identifier: Apache-2.0 */
/* The account that a live look gives of itself (source/live.c), first document of every look and of every bundle: which
 * machine, when, as whom, what was refused, what hung.
 *
 * "KEY: VALUE" lines under "gpuvet live look 1". */
#include "format/common.h"

static size_t look_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t i = 1;

	(void)seg;
	if (!gv_starts(l[0].text, GV_ACCOUNT_HEAD))
		return 0;
	while (i < n && gv_has(l[i].text, ": "))
		i++;
	return i;
}

static void add_remark(struct gv_read *r, gv_str what, gv_str why)
{
	*gv_push(r->arena, &r->run->remarks) = (struct gv_remark){ what, why };
}

static void read_user(struct gv_read *r, gv_str v, const struct gv_line *l)
{
	double uid;

	if (!gv_to_num(v, &uid))
		return;
	gv_put_num(r, gv_see_node(r), GV_F_USER_ID, uid, l);
	if (uid != 0)
		add_remark(r, GV_STR("what only root may read"),
			   gv_fmt(r->arena, "the look was made as an ordinary user (uid %.*s)", GV_ARG(v)));
}

static void read_namespace(struct gv_read *r, gv_str v)
{
	if (gv_is(v, "pid"))
		add_remark(r, GV_STR("processes outside of the container, and GPU processes by name"),
			   GV_STR("the look was made in a PID namespace of its own"));
	else if (gv_is(v, "user"))
		add_remark(r, GV_STR("what only the root of the machine may read"),
			   GV_STR("the look was made in a user namespace"));
}

static void read_container(struct gv_read *r, gv_str v)
{
	add_remark(r, GV_STR("the host's mounts, network interfaces and GPUs that were not passed in"),
		   gv_fmt(r->arena, "the look was made inside a container (%.*s)", GV_ARG(gv_sub(v, 0, 40))));
}

/* "/dev/kmsg: Operation not permitted" */
static void read_refused(struct gv_read *r, gv_str v, const struct gv_line *l)
{
	ptrdiff_t at = gv_rfind(v, ": ");
	gv_str what = at < 0 ? v : gv_sub(v, 0, (size_t)at),
	       why = at < 0 ? GV_STR("refused") : gv_from(v, (size_t)at + 2);
	bool denied = gv_is(why, "Operation not permitted") || gv_is(why, "Permission denied");

	gv_unread(r->run, what, denied ? gv_fmt(r->arena, "%.*s; the root of this machine may read it", GV_ARG(why)) : why);
	if (gv_is(what, "/dev/kmsg") && denied)
		gv_put_flag(r, gv_see_node(r), GV_F_DMESG_DENIED, true, l);
}

/* "nvml: nvmlDeviceGetName(2): no answer within 5 s" */
static void read_broken(struct gv_read *r, gv_str v)
{
	gv_str doc = gv_before(v, ": "), rest = gv_after(v, ": ");
	ptrdiff_t at = gv_rfind(rest, ": ");

	if (at < 0)
		gv_unread(r->run, doc, rest);
	else
		gv_unread(r->run, gv_fmt(r->arena, "%.*s: %.*s", GV_ARG(doc), GV_ARG(gv_sub(rest, 0, (size_t)at))),
			  gv_from(rest, (size_t)at + 2));
}

static void look_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_account look = { 0 };

	if (r->doc->look)
		look = *r->doc->look;
	if (look.wall > 0)
		r->block->when = (struct gv_time){ look.wall, GV_CLOCK_WALL, true, true };
	for (size_t i = 1; i < n; i++) {
		gv_str key = gv_before(l[i].text, ": "), v = gv_trim(gv_after(l[i].text, ": "));

		if (gv_is(key, "hostname"))
			gv_put_str(r, gv_see_node(r), GV_F_HOSTNAME, v, &l[i]);
		else if (gv_is(key, "machine"))
			gv_put_str(r, gv_see_node(r), GV_F_MACHINE, v, &l[i]);
		else if (gv_is(key, "user"))
			read_user(r, v, &l[i]);
		else if (gv_is(key, "own namespace"))
			read_namespace(r, v);
		else if (gv_is(key, "container"))
			read_container(r, v);
		else if (gv_is(key, "refused"))
			read_refused(r, v, &l[i]);
		else if (gv_is(key, "hung") || gv_is(key, "died") || gv_is(key, "stuck") || gv_is(key, "left out"))
			read_broken(r, v);
		else if (gv_is(key, "not asked") || gv_is(key, "loads") || gv_is(key, "slow") || gv_is(key, "untried"))
			add_remark(r, gv_before(v, ": "), gv_after(v, ": "));
		else if (gv_is(key, "recorded tree"))
			add_remark(r, key, v);
	}
}

const struct gv_format gv_format_gpuvet_look = {
	.name = "gpuvet look",
	.heads = { GV_ACCOUNT_HEAD },
	.claim = look_claim,
	.read = look_read,
};
