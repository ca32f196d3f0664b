/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/common_site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/yaml.h"
#include "sys/clock.h"
#include "sys/file.h"

/* The file to be read; NULL where there is none. */
static const char *site_file(const struct gv_site_opts *o, bool *ret_default)
{
	const char *file = o->site ? o->site : getenv("GPUVET_SITE");

	*ret_default = false;
	if (o->none)
		return NULL;
	if (!file) {
		*ret_default = true;
		return GV_SITE_FILE;
	}
	return *file ? file : NULL;
}

static int cannot_open(struct gv_call *c, const char *file, int r, bool by_default)
{
	if (r == -EFBIG)
		gv_printf(c->err, "%s: larger than a site file may be (1 MiB)", file);
	else
		gv_printf(c->err, "cannot open the site file \"%s\": %s", file, strerror(-r));
	if (by_default)
		gv_puts(c->err, "; --no-site goes on without it");
	return GV_EXIT_NOINPUT;
}

static int read_site(struct gv_call *c, const struct gv_site_opts *o, int64_t today, struct gv_site *ret,
		     bool *ret_read)
{
	bool by_default;
	const char *file = site_file(o, &by_default);
	gv_str text;
	int r;

	if (!file)
		return 0;
	r = gv_file_read(file, GV_SITE_BYTES, c->arena, &text);
	if (by_default && (r == -ENOENT || r == -ENOTDIR))
		return 0;
	if (r < 0)
		return cannot_open(c, file, r, by_default);
	if (gv_site_read(c->arena, gv_str_of(file), text, today, ret, c->err)) {
		if (by_default && !gv_yaml_there())
			gv_puts(c->err, "; --no-site goes on without it");
		return GV_EXIT_USAGE;
	}
	*ret_read = true;
	return 0;
}

static int moment(struct gv_call *c, const char *option, const char *text, struct gv_moment *ret)
{
	if (!text || gv_moment_parse(gv_str_of(text), ret))
		return 0;
	gv_printf(c->err, "--%s: \"%s\" is no moment; use 2026-01-13, \"2026-01-13 12:10\", 2h, \"3d ago\" or boot",
		  option, text);
	return GV_EXIT_USAGE;
}

static int set_window(struct gv_call *c, struct gv_window *w, const struct gv_site_opts *o)
{
	int status = moment(c, "since", o->since, &w->since);

	status = status ? status : moment(c, "until", o->until, &w->until);
	if (status)
		return status;
	w->on = o->since || o->until;
	if (w->until.how == GV_MOMENT_BOOT) {
		gv_puts(c->err, "--until: boot is a moment for --since only");
		return GV_EXIT_USAGE;
	}
	if ((w->since.how == GV_MOMENT_AT && w->until.how == GV_MOMENT_AT &&
	     gv_time_between(w->until.at, w->since.at) < 0) ||
	    (w->since.how == GV_MOMENT_AGO && w->until.how == GV_MOMENT_AGO && w->until.ago > w->since.ago)) {
		gv_puts(c->err, "--until lies before --since");
		return GV_EXIT_USAGE;
	}
	return 0;
}

int gv_call_site(struct gv_call *c, struct gv_run *run, const struct gv_site_opts *o)
{
	struct gv_site *site = GV_NEW(c->arena, struct gv_site);
	int64_t today = (int64_t)(gv_clock_wall() / 86400);
	bool said = false;
	int status;

	if (o->today && !gv_date_parse(gv_str_of(o->today), &today)) {
		gv_printf(c->err, "--today: \"%s\" is no date as 2026-05-01", o->today);
		return GV_EXIT_USAGE;
	}
	status = set_window(c, &run->window, o);
	status = status ? status : read_site(c, o, today, site, &said);
	if (status)
		return status;
	if (o->need && !gv_site_need(gv_str_of(o->need), &site->need)) {
		gv_printf(c->err, "--need: \"%s\" is no rate; use 2.4GB/s or 20Gbit/s", o->need);
		return GV_EXIT_USAGE;
	}
	if (said || o->need)
		run->site = site;
	return 0;
}
