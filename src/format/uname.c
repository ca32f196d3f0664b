/* SPDX-License-Identifier: Apache-2.0 */
/* uname -a, -r and the like, and /proc/version.
 *
 * Sources: coreutils, uname.c: "Linux HOST RELEASE VERSION MACHINE [PROCESSOR] [PLATFORM] GNU/Linux". A bare release is
 * believed only below its command or as all that a document holds. */
#include "format/common.h"

static bool of_uname(const struct gv_seg *seg)
{
	return seg && gv_has(seg->cmd, "uname");
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 5.15.0-91-generic, 4.18.0-553.el8.x86_64, 6.8.12 */
static bool release_like(gv_str s)
{
	unsigned dots = 0;
	size_t i;

	if (s.n < 3 || s.n > 96 || !digit(s.p[0]))
		return false;
	for (i = 0; i < s.n && (digit(s.p[i]) || s.p[i] == '.'); i++)
		dots += s.p[i] == '.';
	if (dots == 0 || (i < s.n && s.p[i] != '-' && s.p[i] != '+' && s.p[i] != '_'))
		return false;
	for (; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == ',' || s.p[i] == '/' || s.p[i] == ':')
			return false;
	return true;
}

/* Words that distributions put into the names of their kernels; versions of other things have none. */
static bool kernel_words(gv_str s)
{
	static const char *const words[] = { "generic",	   "amd64",  "x86_64",	 "aarch64",    "arm64",	  ".el",
					     "-aws",	   "-azure", "-gcp",	 "-gke",       "-oracle", "amzn",
					     "lowlatency", "-pve",   "-default", "-cloud",     "-server", "-kvm",
					     "-nvidia",	   "tegra",  "WSL2",	 "flatcar",    "talos",	  "-arch",
					     "MANJARO",	   "-lts",   "-zen",	 "-hwe",       "-rt",	  "-linuxkit",
					     ".fc",	   "-cos",   "-bpo",	 "-microsoft", "-xanmod" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (gv_has(s, words[i]))
			return true;
	return false;
}

struct answer {
	gv_str host, release, machine;
};

/* The kind of processor, a word behind the version: "#101-Ubuntu SMP Tue Nov 14 13:30:08 UTC 2023 x86_64 x86_64 GNU/Linux" */
static gv_str machine_in(gv_str tail)
{
	static const char *const machines[] = { "x86_64", "aarch64", "ppc64le", "riscv64" };
	gv_str word;

	while (gv_word(&tail, &word))
		for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
			if (gv_is(word, machines[i]))
				return word;
	return GV_NONE;
}

static bool full_line(gv_str s, struct answer *ret)
{
	gv_str w[4], tail;

	if (!gv_starts(s, "Linux ") || gv_words(s, w, 4) < 4 || !release_like(w[2]) || gv_starts(w[1], "("))
		return false;
	if (gv_is(w[1], "version"))
		return false;
	tail = gv_from(s, (size_t)(w[3].p - s.p));
	if (tail.p[0] != '#' && !gv_has(tail, "x86_64") && !gv_has(tail, "aarch64") && !gv_has(tail, "GNU/Linux"))
		return false;
	*ret = (struct answer){ w[1], w[2], machine_in(tail) };
	return true;
}

/* "Linux version 5.15.0-91-generic (buildd@lcy02) (gcc ...) #101-Ubuntu SMP ..." as /proc/version has it. */
static bool proc_version(gv_str s, struct answer *ret)
{
	gv_str w[4];

	if (!gv_starts(s, "Linux version ") || gv_words(s, w, 4) < 4 || !release_like(w[2]) || w[3].p[0] != '(')
		return false;
	*ret = (struct answer){ .release = w[2] };
	return true;
}

/* What uname prints with other options than -a: at most three words that can be told apart. */
static bool short_line(gv_str s, struct answer *ret)
{
	gv_str w[3];
	size_t n = gv_words(s, w, 3);

	if (n > 3)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!release_like(w[i]))
			continue;
		*ret = (struct answer){ .release = w[i] };
		if (i > 0 && !gv_is(w[i - 1], "Linux"))
			ret->host = w[i - 1];
		return true;
	}
	return false;
}

static bool alone(const struct gv_line *l, size_t n)
{
	if (l[0].no != 1 || n > 3)
		return false;
	for (size_t i = 1; i < n; i++)
		if (!gv_blank_line(&l[i]))
			return false;
	return true;
}

/* The line; nvidia-bug-report.sh writes a label in front of it. */
static gv_str line_of(const struct gv_line *l)
{
	gv_str s = gv_trim(l->text);

	return gv_starts(s, "uname: Linux ") ? gv_from(s, 7) : s;
}

static bool answer_of(const struct gv_line *l, size_t n, const struct gv_seg *seg, struct answer *ret)
{
	gv_str s = line_of(l);

	if (full_line(s, ret))
		return true;
	/* A kernel log begins with the same words, perhaps of an earlier boot. */
	if (alone(l, n) && proc_version(s, ret))
		return true;
	if (seg && gv_has(seg->cmd, "/proc/version") && proc_version(s, ret))
		return true;
	if (!short_line(s, ret))
		return false;
	/* Behind other outputs of one command line only what cannot be the version of something else. */
	if (of_uname(seg))
		return seg->n == n || kernel_words(ret->release);
	return alone(l, n) && kernel_words(ret->release) && (s.n == ret->release.n || gv_starts(s, "Linux "));
}

static size_t uname_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct answer a;

	return answer_of(l, n, seg, &a) ? 1 : 0;
}

static void uname_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct answer a = { 0 };
	struct gv_entity *node;
	gv_str s = line_of(l);

	(void)n;
	if (!full_line(s, &a) && !proc_version(s, &a) && !short_line(s, &a))
		return;
	if (a.host.n)
		r->block->host = a.host;
	node = gv_see_node(r);
	gv_put_str(r, node, GV_F_KERNEL, a.release, l);
	if (a.machine.n)
		gv_put_str(r, node, GV_F_MACHINE, a.machine, l);
	if (a.host.n)
		gv_put_str(r, node, GV_F_HOSTNAME, a.host, l);
}

const struct gv_format gv_format_uname = {
	.name = "uname",
	.heads = { "Linux ", "-generic", "-amd64", "-azure", "-aws", "-gke", "-gcp", "-default", ".el", ".amzn", ".fc" },
	.cmds = { "uname", "hostnamectl" },
	.claim = uname_claim,
	.read = uname_read,
};
