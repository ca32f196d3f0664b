/* SPDX-License-Identifier: Apache-2.0 */
/* gpuvet completion: the script with which a shell completes command lines, made from the tables that parse them. */
#include "cmd/common.h"
#include "inspect/cachekey.h"

struct opts {
	struct gv_basic basic;
};

static const struct gv_opt options[] = { GV_BASIC_OPTIONS };

static const char *const usage[] = {
	"usage: gpuvet completion [OPTION]... bash",
	"",
	"Prints a script that completes the commands, options and arguments of gpuvet in",
	"bash: source <(gpuvet completion bash), or a file of bash-completion.",
	"",
	"Exit status: 0; 64 wrong usage, 70 internal error.",
	NULL,
};

static const struct {
	const char *name;
	const struct gv_cmd *cmd;
} commands[] = {
#define COMMAND(name, help) { #name, &gv_cmd_##name },
#include "cmd.def"
#undef COMMAND
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* What an argument is, by its placeholder. */
enum sort { OTHER, CACHES, FILES, STAGES, KINDS };

static enum sort sort_of(gv_str placeholder)
{
	static const struct {
		const char *word;
		enum sort sort;
	} words[] = { { "CACHE", CACHES }, { "DIR", FILES }, { "FILE", FILES }, { "KIND", KINDS }, { "PATH", FILES }, { "STAGE", STAGES } };
	size_t n = 0;

	if (gv_starts(placeholder, "["))
		placeholder = gv_from(placeholder, 1);
	while (n < placeholder.n && placeholder.p[n] >= 'A' && placeholder.p[n] <= 'Z')
		n++;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_is(gv_sub(placeholder, 0, n), words[i].word))
			return words[i].sort;
	return OTHER;
}

/* "--json --fail-on= --help": those with an argument end with '='. */
static void put_options(struct gv_buf *b, const char *command, const struct gv_opt *o)
{
	gv_printf(b, "\t%s) _gpuvet_words \"", command);
	for (; o->name; o++)
		gv_printf(b, "--%s%s%s", o->name, o->arg ? "=" : "", o[1].name ? " " : "");
	gv_puts(b, "\" ;;\n");
}

static void put_caches(struct gv_buf *b)
{
	const char *names[GV_CACHES_MAX];
	size_t n = gv_cache_names(names);

	gv_puts(b, "_gpuvet_words \"");
	for (size_t i = 0; i < n; i++)
		gv_printf(b, "%s%s", i ? " " : "", names[i]);
	gv_puts(b, "\"");
}

/* A branch for each option that has an argument; ":" where nobody can know it. */
static void put_arguments(struct gv_buf *b, const char *command, const struct gv_opt *o)
{
	for (; o->name; o++) {
		if (!o->arg)
			continue;
		gv_printf(b, "\t%s:--%s", command, o->name);
		if (o->brief)
			gv_printf(b, " | %s:-%c", command, o->brief);
		gv_puts(b, ") ");
		if (o->choices) {
			gv_puts(b, "_gpuvet_words \"");
			for (size_t i = 0; o->choices[i]; i++)
				gv_printf(b, "%s%s", i ? " " : "", o->choices[i]);
			gv_puts(b, "\"");
		} else {
			switch (sort_of(gv_str_of(o->arg))) {
			case CACHES:
				put_caches(b);
				break;
			case FILES:
				gv_puts(b, "_gpuvet_files");
				break;
			case KINDS:
				gv_puts(b, "_gpuvet_kinds");
				break;
			case STAGES:
				gv_puts(b, "_gpuvet_stages");
				break;
			case OTHER:
				gv_puts(b, ":");
			}
		}
		gv_puts(b, " ;;\n");
	}
}

static bool is_lower(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < 'a' || s.p[i] > 'z')
			return false;
	return s.n;
}

/* What the usage lines of a command say of its arguments: placeholders, and words that stand for themselves. */
static void put_operands(struct gv_buf *b, const char *command, const char *const *lines)
{
	bool files = false, kinds = false;
	struct gv_buf words = { 0 };
	gv_str rest, word, part;

	for (; *lines && **lines; lines++) {
		rest = gv_after(gv_str_of(*lines), "[OPTION]... ");
		while (gv_word(&rest, &word)) {
			if (*word.p == '"')
				break;
			files |= sort_of(word) == FILES;
			kinds |= sort_of(word) == KINDS;
			while (gv_next(&word, '|', &part))
				if (is_lower(part)) {
					gv_puts(&words, words.n ? " " : "");
					gv_put(&words, part);
				}
		}
	}
	if (files || kinds || words.n) {
		gv_printf(b, "\t%s)", command);
		if (words.n)
			gv_printf(b, " _gpuvet_words \"%.*s\";", GV_ARG(gv_buf_str(&words)));
		gv_printf(b, "%s%s ;;\n", kinds ? " _gpuvet_kinds;" : "", files ? " _gpuvet_files;" : "");
	}
	gv_buf_free(&words);
}

static const char head[] =
    "# Completes command lines of gpuvet in bash. Made by \"gpuvet completion bash\".\n"
    "\n"
    "# Adds those of the words in $1 that begin with $cur.\n"
    "_gpuvet_words()\n"
    "{\n"
    "\tlocal word\n"
    "\tfor word in $1; do\n"
    "\t\t[[ $word == \"$cur\"* ]] && COMPREPLY+=(\"$word\")\n"
    "\tdone\n"
    "}\n"
    "\n"
    "_gpuvet_files()\n"
    "{\n"
    "\tlocal name\n"
    "\twhile IFS= read -r name; do\n"
    "\t\tCOMPREPLY+=(\"$name\")\n"
    "\tdone < <(compgen -f -- \"$cur\")\n"
    "\tcompopt -o filenames 2>/dev/null\n"
    "}\n"
    "\n"
    "# A list with commas: its last member; what is in it already is not offered again.\n"
    "_gpuvet_stages()\n"
    "{\n"
    "\tlocal word front= last=$cur\n"
    "\t[[ $cur == *,* ]] && front=${cur%,*}, last=${cur##*,}\n"
    "\tfor word in $(_gpuvet_stage_names); do\n"
    "\t\t[[ $word == \"$last\"* && \",$front\" != *\",$word,\"* ]] && COMPREPLY+=(\"$front$word\")\n"
    "\tdone\n"
    "\tcompopt -o nospace 2>/dev/null\n"
    "}\n"
    "\n";

static const char body[] =
    "_gpuvet()\n"
    "{\n"
    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} front i\n"
    "\tCOMPREPLY=()\n"
    "\tif ((COMP_CWORD == 1)); then\n"
    "\t\t_gpuvet_commands\n"
    "\t\t_gpuvet_words \"help --help --version\"\n"
    "\t\treturn\n"
    "\tfi\n"
    "\tif [[ $command == help ]]; then\n"
    "\t\t((COMP_CWORD == 2)) && _gpuvet_commands\n"
    "\t\treturn\n"
    "\tfi\n"
    "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
    "\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then\n"
    "\t\t\t_gpuvet_operand\n"
    "\t\t\treturn\n"
    "\t\tfi\n"
    "\tdone\n"
    "\t# \"--option=value\" is three words where the sign parts words, as it does by default\n"
    "\tif [[ $cur == = ]]; then\n"
    "\t\tcur=\n"
    "\t\t_gpuvet_argument \"$command:$prev\"\n"
    "\t\treturn\n"
    "\telif [[ $prev == = ]]; then\n"
    "\t\t_gpuvet_argument \"$command:${COMP_WORDS[COMP_CWORD - 2]}\"\n"
    "\t\treturn\n"
    "\telif [[ $cur == --*=* ]]; then\n"
    "\t\tfront=${cur%%=*} cur=${cur#*=}\n"
    "\t\t_gpuvet_argument \"$command:$front\"\n"
    "\t\tCOMPREPLY=(\"${COMPREPLY[@]/#/$front=}\")\n"
    "\t\treturn\n"
    "\telif [[ $prev == -* ]] && _gpuvet_argument \"$command:$prev\"; then\n"
    "\t\treturn\n"
    "\tfi\n"
    "\tif [[ $cur == -* ]]; then\n"
    "\t\t_gpuvet_options\n"
    "\t\t[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
    "\t\treturn\n"
    "\tfi\n"
    "\t_gpuvet_operand\n"
    "}\n"
    "\n"
    "complete -F _gpuvet gpuvet\n";

static void put_names(struct gv_buf *b)
{
	gv_puts(b, "_gpuvet_commands()\n{\n\t_gpuvet_words \"");
	for (size_t i = 0; i < COMMANDS; i++)
		gv_printf(b, "%s%s", i ? " " : "", commands[i].name);
	gv_puts(b, "\"\n}\n\n_gpuvet_stage_names()\n{\n\techo \"");
	for (size_t i = 0; i < GV_STAGES; i++)
		gv_printf(b, "%s%s", i ? " " : "", gv_stage_name[i]);
	gv_puts(b, "\"\n}\n\n_gpuvet_kinds()\n{\n\t_gpuvet_words \"");
	for (size_t k = 0; k < GV_KINDS; k++)
		if (gv_page_of((enum gv_kind)k))
			gv_printf(b, "%s%s", k ? " " : "", gv_kind_info[k].name);
	gv_puts(b, "\"\n}\n\n");
}

static void put_script(struct gv_buf *b)
{
	gv_puts(b, head);
	put_names(b);
	gv_puts(b, "_gpuvet_options()\n{\n\tcase $command in\n");
	for (size_t i = 0; i < COMMANDS; i++)
		put_options(b, commands[i].name, commands[i].cmd->options);
	gv_puts(b, "\tesac\n}\n\n# False where the option has no argument.\n_gpuvet_argument()\n{\n\tcase $1 in\n");
	for (size_t i = 0; i < COMMANDS; i++)
		put_arguments(b, commands[i].name, commands[i].cmd->options);
	gv_puts(b, "\t*) return 1 ;;\n\tesac\n\treturn 0\n}\n\n_gpuvet_operand()\n{\n\tcase $command in\n");
	for (size_t i = 0; i < COMMANDS; i++)
		put_operands(b, commands[i].name, commands[i].cmd->usage);
	gv_puts(b, "\tesac\n}\n\n");
	gv_puts(b, body);
}

static int run_completion(struct gv_call *c)
{
	struct opts o = { 0 };
	gv_str *args;
	size_t n;
	int status = gv_call_parse(c, &gv_cmd_completion, &o, &args, &n);

	if (status >= 0)
		return status;
	if (n != 1 || !gv_is(args[0], "bash")) {
		gv_puts(c->err,
			n ? "only bash is known: gpuvet completion bash" : "which shell? gpuvet completion bash");
		return GV_EXIT_USAGE;
	}
	put_script(c->out);
	return GV_EXIT_OK;
}

const struct gv_cmd gv_cmd_completion = { usage, options, run_completion };
