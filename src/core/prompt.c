/* SPDX-License-Identifier: Apache-2.0 */
/* Shell prompts in pastes, in the forms that people's shells print, and headings that name a command. */
#include "core/evidence.h"

/* Commands whose output readers know, or that often stand between such outputs. A bare line or a '#' line counts as a
 * prompt only when it starts with one of these. */
static const char *const known[] = {
	"amd-smi",   "cat",	    "chronyc",	"clinfo",    "curl",	   "dcgmi",    "df",	     "dkms",
	"dmesg",     "docker",	    "du",	"egrep",     "env",	   "ethtool",  "fio",	     "free",
	"grep",	     "head",	    "hostname", "ibdev2netdev", "ibstat",  "ibstatus", "ibv_devinfo", "id",
	"ip",	     "iperf",	    "iperf3",	"iostat",    "journalctl", "kubectl",  "ldd",	     "ls",
	"lsblk",     "lscpu",	    "lsmod",	"lspci",     "modinfo",	   "mokutil",  "mount",	     "mpstat",
	"nerdctl",   "numactl",	    "nvcc",	"nvidia-smi", "nvidia-bug-report.sh", "nvme", "pip", "pip3",
	"podman",    "printenv",    "ps",	"python",    "python3",	   "rocm-smi", "rocminfo",   "sacct",
	"scontrol",  "sinfo",	    "srun",	"squeue",    "sudo",	   "sysctl",   "systemctl",  "tail",
	"taskset",   "top",	    "ulimit",	"uname",     "uptime",	   "vmstat",   "xpu-smi",
};

/* Of those, the ones that are no word of a sentence or a table. */
static const char *const unmistakable[] = {
	"amd-smi",  "dmesg",  "ethtool", "ibstat", "iostat",	 "iperf3",  "journalctl", "kubectl", "lscpu",
	"lspci",    "mpstat", "nvidia-smi", "rocm-smi", "rocminfo", "vmstat", "xpu-smi",  "taskset",
};

static bool in(gv_str w, const char *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (gv_is(w, v[i]))
			return true;
	return false;
}
#define IN(w, v) in((w), (v), sizeof(v) / sizeof((v)[0]))

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

static size_t name_len(gv_str s)
{
	size_t n = 0;

	while (n < s.n && name_char(s.p[n]))
		n++;
	return n;
}

static gv_str first_word(gv_str s)
{
	gv_str w = GV_NONE;

	gv_word(&s, &w);
	return w;
}

static bool known_command(gv_str s)
{
	gv_str w = first_word(s);
	ptrdiff_t slash = gv_rfind(w, "/");

	return IN(w, known) || (slash >= 0 && IN(gv_from(w, (size_t)slash + 1), known));
}

/* What follows '$', '#' or '%' and a blank; false where it cannot be a command. */
static bool after_mark(gv_str s, bool trusted, gv_str *ret_cmd)
{
	gv_str cmd;

	if (s.n < 2 || (s.p[0] != '$' && s.p[0] != '#' && s.p[0] != '%') || (s.p[1] != ' ' && s.p[1] != '\t'))
		return false;
	cmd = gv_trim(gv_from(s, 1));
	if (!cmd.n || (!trusted && !known_command(cmd) && s.p[0] != '$'))
		return false;
	if (!trusted && s.p[0] == '$' && !name_char(cmd.p[0]) && cmd.p[0] != '/')
		return false;
	*ret_cmd = cmd;
	return true;
}

/* "(venv) " in front, any number of times. */
static gv_str without_env(gv_str s)
{
	while (s.n && s.p[0] == '(') {
		ptrdiff_t end = gv_find(s, ") ");

		if (end < 0 || end > 40)
			break;
		s = gv_trim(gv_from(s, (size_t)end + 2));
	}
	return s;
}

/* user@host:path$ cmd, [user@host dir]$ cmd, host:~ # cmd, user@host % cmd */
static bool user_at_host(gv_str s, gv_str *ret_cmd, gv_str *ret_host)
{
	bool bracket = s.n && s.p[0] == '[';
	gv_str rest = bracket ? gv_from(s, 1) : s, host;
	size_t n = name_len(rest);

	if (!n)
		return false;
	if (n < rest.n && rest.p[n] == '@') {
		rest = gv_from(rest, n + 1);
		n = name_len(rest);
		if (!n)
			return false;
	} else if (bracket || n >= rest.n || rest.p[n] != ':' || n + 1 >= rest.n ||
		   (rest.p[n + 1] != '~' && rest.p[n + 1] != '/')) {
		return false;
	}
	host = gv_sub(rest, 0, n);
	rest = gv_from(rest, n);
	for (size_t i = 0; i < rest.n && i < 120; i++) {
		bool percent = rest.p[i] == '%' && !(i && rest.p[i - 1] >= '0' && rest.p[i - 1] <= '9'); /* not "95%" */
		bool mark = rest.p[i] == '$' || rest.p[i] == '#' || percent;

		if (mark && after_mark(gv_from(rest, i), true, ret_cmd)) {
			*ret_host = host;
			return true;
		}
		if (mark && i + 1 == rest.n) { /* a prompt with nothing typed */
			*ret_cmd = GV_NONE;
			*ret_host = host;
			return true;
		}
		/* between host and mark stands a path, a bracket, blanks: never a second colon or a quote */
		if (rest.p[i] == '"' || (i && rest.p[i] == ':' && !bracket))
			return false;
	}
	return false;
}

/* The second word of a bare command line: an option, a known subcommand, or nothing. */
static bool command_like(gv_str s)
{
	static const char *const sub[] = { "topo",   "nvlink", "dmon", "pmon", "describe", "get",    "logs",
					   "exec",   "run",    "mig",  "-",    "top",	   "status", "|" };
	gv_str w[12];
	size_t n = gv_words(s, w, 12);

	if (n == 0 || n > 12 || !IN(w[0], unmistakable))
		return false;
	return n == 1 || w[1].p[0] == '-' || w[1].p[0] == '|' || IN(w[1], sub) || (n <= 4 && w[1].p[0] >= '0' && w[1].p[0] <= '9');
}

/* "=== nvidia-smi -q ===", "### lscpu", "**dmesg**", "--- cat /proc/meminfo ---", "Output of `nvidia-smi`:" */
static bool heading(gv_str s, gv_str *ret_cmd)
{
	gv_str in = s, ticked;
	size_t marks = 0;

	while (in.n && (in.p[0] == '=' || in.p[0] == '#' || in.p[0] == '*' || in.p[0] == '-' || in.p[0] == '+' ||
			in.p[0] == ' ')) {
		marks += in.p[0] != ' ';
		in = gv_from(in, 1);
	}
	while (marks && in.n && (in.p[in.n - 1] == '=' || in.p[in.n - 1] == '#' || in.p[in.n - 1] == '*' ||
				 in.p[in.n - 1] == ':' || in.p[in.n - 1] == '-' || in.p[in.n - 1] == ' '))
		in.n--;
	if (in.n > 2 && in.p[0] == '`' && in.p[in.n - 1] == '`')
		in = gv_sub(in, 1, in.n - 2);
	/* '+' and '-' alone also begin lines of diffs and tables: two marks, or a whole known command behind one */
	if (marks && in.n && known_command(in) && (marks > 1 || s.p[0] == '#' || s.p[0] == '+')) {
		*ret_cmd = in;
		return true;
	}
	ticked = gv_between(s, "`", "`");
	if (ticked.n && s.n < 120 && gv_ends(s, ":") && known_command(ticked)) {
		*ret_cmd = ticked;
		return true;
	}
	return false;
}

bool gv_prompt(gv_str line, gv_str *ret_cmd, gv_str *ret_host)
{
	gv_str s = gv_trim(line), rest;

	if (!s.n || s.n > 4096)
		return false;
	if (gv_starts(s, ">>> ")) {
		*ret_cmd = gv_trim(gv_from(s, 4));
		return true;
	}
	rest = without_env(s);
	if (user_at_host(rest, ret_cmd, ret_host) || after_mark(rest, false, ret_cmd))
		return true;
	if (command_like(s)) {
		*ret_cmd = s;
		return true;
	}
	return heading(s, ret_cmd);
}

bool gv_cmd_in_container(gv_str cmd)
{
	static const char *const runs[] = { "docker run",     "docker exec",	"docker compose run", "podman run",
					    "podman exec",    "nerdctl run",	"nerdctl exec",	      "crictl exec",
					    "singularity exec", "apptainer exec", "ctr run",	      "enroot start" };

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		if (gv_has(cmd, runs[i]))
			return true;
	return gv_has(cmd, "kubectl") && gv_has(cmd, " exec ");
}
