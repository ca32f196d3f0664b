/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/host.h"

#include <pwd.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sys/file.h"

#define FILE_MAX ((size_t)1 << 20)
#define PEOPLE 1000 /* first user id of an account that is no service: login.defs(5) */
#define NOBODY 65534

static void read_users(struct gv_arena *a, struct gv_host_names *ret)
{
	static const char *const who[] = { "SUDO_USER", "USER", "LOGNAME" };
	gv_str passwd = GV_NONE, line, f[4];

	gv_file_read("/etc/passwd", FILE_MAX, a, &passwd);
	while (gv_next(&passwd, '\n', &line)) {
		uint64_t uid = 0;
		size_t n = 0;

		while (n < 4 && gv_next(&line, ':', &f[n]))
			n++;
		if (n == 4 && gv_to_u64(f[2], &uid) && uid >= PEOPLE && uid != NOBODY)
			*gv_push(a, &ret->users) = f[0];
	}
	for (size_t i = 0; i < sizeof(who) / sizeof(who[0]); i++) {
		gv_str name = gv_str_of(getenv(who[i]));

		if (name.n && !gv_is(name, "root"))
			*gv_push(a, &ret->users) = gv_dup(a, name);
	}
}

/* "127.0.1.1 node17.example.com node17" */
static void read_hosts(struct gv_arena *a, gv_str self, struct gv_host_names *ret)
{
	gv_str hosts = GV_NONE, line;

	gv_file_read("/etc/hosts", FILE_MAX, a, &hosts);
	while (gv_next(&hosts, '\n', &line)) {
		gv_str rest = gv_before(line, "#"), word;

		gv_word(&rest, &word);
		while (gv_word(&rest, &word))
			if (!gv_has_nocase(word, "localhost") && !gv_starts(word, "ip6-") && !gv_eq(word, self))
				*gv_push(a, &ret->hosts) = word;
	}
}

void gv_host_names(struct gv_arena *a, struct gv_host_names *ret)
{
	struct utsname u;

	if (!uname(&u)) {
		gv_str self = gv_dup(a, gv_str_of(u.nodename)), domain = gv_dup(a, gv_str_of(u.domainname));

		*gv_push(a, &ret->hosts) = self;
		if (domain.n && !gv_is(domain, "(none)"))
			*gv_push(a, &ret->hosts) = gv_fmt(a, "%.*s.%.*s", GV_ARG(self), GV_ARG(domain));
		read_hosts(a, self, ret);
	}
	read_users(a, ret);
}

gv_str gv_host_machine(struct gv_arena *a)
{
	struct utsname u;

	return uname(&u) ? GV_NONE : gv_dup(a, gv_str_of(u.machine));
}
