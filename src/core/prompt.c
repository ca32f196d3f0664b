/* SPDX-License-Identifier: Apache-2.0 */
/* Shell prompts in pastes, in the forms that people's shells print, and headings that name a command. */
#include "core/evidence.h"

#define PROMPT_BYTES 4096 /* what is longer is no command that somebody typed */

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

	if (!s.n || s.n > PROMPT_BYTES)
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

static bool rule(gv_str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == '_')
		n++;
	return n == s.n && n >= 40;
}

/* "*** /proc/cpuinfo", "*** /proc/pci does not exist" */
static bool file_heading(gv_str s, gv_str *ret_path, bool *ret_there)
{
	gv_str rest = gv_starts(s, "*** /") ? gv_from(s, 4) : GV_NONE, end;

	if (!gv_word(&rest, ret_path) || ret_path->n > 1024)
		return false;
	end = gv_trim(rest);
	*ret_there = !end.n;
	return !end.n || gv_is(end, "does not exist") || gv_is(end, "is not readable");
}

static gv_str without_colon(gv_str s)
{
	return gv_ends(s, ":") ? gv_sub(s, 0, s.n - 1) : s;
}

/* Logs that the report searches stand in one section, each below "  journalctl -b -0:" or "  /var/log/messages:". */
static bool searched_log(gv_str s, gv_str *ret_cmd)
{
	gv_str cmd = without_colon(s);

	if (cmd.n == s.n || gv_find_c(cmd, ':') >= 0)
		return false;
	*ret_cmd = cmd;
	return gv_starts(s, "journalctl -b ") || (gv_starts(s, "/var/log/") && gv_find_c(s, ' ') < 0);
}

/* "/usr/bin/nvidia-smi --query --unit", the second command of a section. */
static bool path_command(gv_str s)
{
	gv_str w[2];

	return s.n && s.p[0] == '/' && gv_words(s, w, 2) >= 2 && w[1].p[0] == '-' && known_command(s);
}

enum gv_section gv_section(struct gv_arena *a, struct gv_sections *s, gv_str line, gv_str *ret_cmd)
{
	bool after_rule = s->rule, after_file = s->file, there;
	gv_str path;

	line = gv_trim(line);
	if (!line.n || line.n > PROMPT_BYTES)
		return GV_SECTION_NONE;
	s->rule = s->file = false;
	*ret_cmd = GV_NONE;
	if (line.p[0] == '_' && rule(line)) {
		s->rule = true;
		return s->inside ? GV_SECTION_BEGINS : GV_SECTION_NONE;
	}
	if (line.p[0] == '*' && file_heading(line, &path, &there)) {
		s->inside = s->file = true;
		if (there) /* "/proc/driver/nvidia/./version" where there is one driver only */
			*ret_cmd = gv_fmt(a, "cat %.*s%s%.*s", GV_ARG(gv_before(path, "/./")), gv_has(path, "/./") ? "/" : "",
					  GV_ARG(gv_after(path, "/./")));
		return GV_SECTION_BEGINS;
	}
	if (after_file && gv_starts(line, "*** ls: "))
		return GV_SECTION_GOES_ON;
	if (!s->inside) {
		s->inside = after_rule && gv_starts(line, "Start of NVIDIA bug report");
		return GV_SECTION_NONE;
	}
	if (searched_log(line, ret_cmd))
		return GV_SECTION_BEGINS;
	if (after_rule ? known_command(without_colon(line)) || line.p[0] == '/' : path_command(line)) {
		*ret_cmd = without_colon(line);
		return GV_SECTION_BEGINS;
	}
	return GV_SECTION_NONE;
}

/* The boot that "-b -1", "--boot=-1" and the like ask for: 0 is this one, -1 the one before; false where none is asked for,
 * or one by its id. */
static bool boot_asked(gv_str cmd, double *ret)
{
	gv_str w, v;

	while (gv_word(&cmd, &w)) {
		bool brief = gv_starts(w, "-b"), full = gv_starts(w, "--boot");
		gv_str rest = cmd, next = GV_NONE;

		if (!brief && !full)
			continue;
		v = gv_from(w, brief ? 2 : 6);
		v = gv_starts(v, "=") ? gv_from(v, 1) : v;
		if (v.n)
			return gv_to_num(v, ret);
		gv_word(&rest, &next);
		if (!gv_to_num(next, ret))
			*ret = 0;
		return true;
	}
	return false;
}

bool gv_cmd_earlier_boot(gv_str cmd)
{
	double boot;

	return gv_has(cmd, "journalctl") && boot_asked(cmd, &boot) && boot < 0;
}

bool gv_cmd_this_boot(gv_str cmd)
{
	double boot;

	if (gv_starts(cmd, "dmesg") || gv_has(cmd, " dmesg") || gv_has(cmd, "/dmesg"))
		return !gv_has(cmd, "dmesg.");
	return gv_has(cmd, "journalctl") && boot_asked(cmd, &boot) && boot == 0;
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
