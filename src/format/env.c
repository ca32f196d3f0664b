/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables: env, printenv, export -p, `export X=Y` lines of job scripts, and "A=B" runs of their own. Only
 * names that matter to GPU work become facts.
 *
 * NAME=VALUE stands in many texts that are no environment, so it counts below a command that prints one, with `export`
 * before it, or where such lines follow each other. */
#include "format/common.h"

static bool name_char(char c, bool first)
{
	return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (!first && c >= '0' && c <= '9');
}

struct assign {
	gv_str name, value;
	bool exported;
};

static gv_str unquote(gv_str v)
{
	if (v.n >= 2 && (v.p[0] == '"' || v.p[0] == '\'') && v.p[v.n - 1] == v.p[0])
		return gv_sub(v, 1, v.n - 2);
	return v;
}

static bool parse_assign(gv_str line, struct assign *ret)
{
	static const char *const before[] = { "export ", "declare -x ", "typeset -x " };
	struct assign a = { 0 };
	gv_str s = gv_trim(line);
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(*before); i++) {
		if (gv_starts(s, before[i])) {
			s = gv_trim(gv_after(s, before[i]));
			a.exported = true;
			break;
		}
	}
	for (i = 0; i < s.n && i < 128 && name_char(s.p[i], i == 0); i++)
		;
	if (i == 0 || i >= s.n || s.p[i] != '=')
		return false;
	a.name = gv_sub(s, 0, i);
	a.value = gv_from(s, i + 1);
	if (a.exported) {
		/* In a script a comment or a second command may follow. */
		if (a.value.n && a.value.p[0] != '"' && a.value.p[0] != '\'')
			a.value = gv_before(gv_before(a.value, " #"), ";");
	}
	a.value = gv_trim(a.value);
	if (gv_ends(a.value, " \\"))
		a.value = gv_trim(gv_sub(a.value, 0, a.value.n - 2));
	a.value = unquote(a.value);
	*ret = a;
	return true;
}

static bool matters(gv_str name)
{
	static const char *const starts[] = {
		"CUDA_",   "NVIDIA_",	"NCCL_",     "HIP_",	 "ROCR_",    "ROCM_",  "HSA_",	"RCCL_",
		"UCX_",	   "FI_",	"GLOO_",     "TORCH_",	 "PYTORCH_", "OMP_",   "MKL_",	"MASTER_",
		"SLURM_",  "ONEAPI_",	"ZE_",	     "TF_",	 "XLA_",     "VLLM_",  "CCL_",	"SYCL_",
		"MIOPEN_", "HABANA_",	"TRITON_",   "NVSHMEM_", "KMP_",     "GPU_",   "AMD_",	"TORCHINDUCTOR_",
		"JAX_",	   "TENSORRT_", "OPENBLAS_", "GOMP_",	 "OMPI_",    "SHARP_", "NVTE_", "DEEPSPEED_"
	};
	static const char *const exact[] = { "LD_LIBRARY_PATH",
					     "LD_PRELOAD",
					     "WORLD_SIZE",
					     "RANK",
					     "LOCAL_RANK",
					     "LOCAL_WORLD_SIZE",
					     "NODE_RANK",
					     "GROUP_RANK",
					     "RDMAV_FORK_SAFE",
					     "RDMAV_HUGEPAGES_SAFE",
					     "TOKENIZERS_PARALLELISM",
					     "MALLOC_ARENA_MAX" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (gv_starts(name, starts[i]))
			return true;
	for (size_t i = 0; i < sizeof(exact) / sizeof(*exact); i++)
		if (gv_is(name, exact[i]))
			return true;
	return false;
}

/* env, printenv, export, declare -x, set, or the environ of a process; the word must begin a command. */
static bool prints_env(const struct gv_seg *seg)
{
	gv_str rest, word;

	if (!seg || seg->cmd.n == 0)
		return false;
	if (gv_has(seg->cmd, "/environ"))
		return true;
	rest = seg->cmd;
	while (gv_word(&rest, &word))
		if (gv_is(word, "env") || gv_is(word, "printenv") || gv_is(word, "export") || gv_is(word, "declare") ||
		    gv_is(word, "set") || gv_is(word, "'env") || gv_is(word, "\"env"))
			return true;
	return false;
}

/* "CUDA_VISIBLE_DEVICES=0 python train.py": a command of a script, with its value and more behind the name. Some listed
 * values hold blanks too. */
static bool command_line(const struct assign *a)
{
	return !a->exported && matters(a->name) && gv_find_c(a->value, ' ') >= 0 &&
	       !gv_starts(a->name, "NVIDIA_REQUIRE_");
}

/* How many of the two lines above are assignments too. */
static size_t lines_before(const struct gv_line *l, const struct gv_seg *seg)
{
	size_t at = (size_t)l[0].no - 1, have = seg && at >= seg->first ? at - seg->first : 0, k = 0;
	struct assign a;

	while (k < 2 && k < have && parse_assign(l[-1 - (ptrdiff_t)k].text, &a) && !command_line(&a))
		k++;
	return k;
}

/* The one variable whose value was asked for: printenv NAME, echo $NAME, echo "${NAME}". */
static gv_str asked_for(const struct gv_seg *seg)
{
	gv_str w[2], name, c = seg ? seg->cmd : GV_NONE;
	size_t n = 0;

	if (c.n > 160 || gv_words(c, w, 2) != 2 || !(gv_is(w[0], "printenv") || gv_is(w[0], "echo")))
		return GV_NONE;
	name = w[1];
	if (gv_is(w[0], "echo")) {
		if (gv_find_c(name, '$') < 0)
			return GV_NONE;
		while (name.n && !name_char(name.p[0], true))
			name = gv_from(name, 1);
	}
	while (n < name.n && name_char(name.p[n], n == 0))
		n++;
	return matters(gv_sub(name, 0, n)) ? gv_sub(name, 0, n) : GV_NONE;
}

static bool is_answer(const struct gv_line *l, const struct gv_seg *seg)
{
	return seg && (size_t)l[0].no - 1 == seg->first && asked_for(seg).n > 0 && gv_trim(l[0].text).n < 4096;
}

static size_t env_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	bool listed = prints_env(seg), exported = false;
	size_t end, named = 0;
	struct assign a;

	if (is_answer(l, seg))
		return 1;
	/* Only at a name that matters, so that a long text of other assignments is walked once. */
	if (!parse_assign(l[0].text, &a) || !matters(a.name))
		return 0;
	for (end = 0; end < n && parse_assign(l[end].text, &a); end++) {
		if (!listed && command_line(&a))
			break;
		named += matters(a.name);
		exported |= a.exported && matters(a.name);
	}
	if (end == 0 || listed || exported || named >= 2 || end + lines_before(l, seg) >= 3)
		return end;
	/* One alone must be all that there is. */
	if (!seg || seg->n != n)
		return 0;
	for (size_t i = end; i < n; i++)
		if (!gv_blank_line(&l[i]))
			return 0;
	return end;
}

/* A value that only a shell can tell is none. */
static bool literal(gv_str v)
{
	return gv_find_c(v, '`') < 0 && !gv_has(v, "$(") && !gv_has(v, "${") && !(v.n > 1 && v.p[0] == '$');
}

static void env_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct assign a;

	if (is_answer(l, r->block->seg)) {
		gv_put_str(r, gv_see(r, GV_VAR, asked_for(r->block->seg)), GV_F_VAR_VALUE, l[0].text, l);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct gv_entity *var;

		if (!parse_assign(l[i].text, &a) || !matters(a.name))
			continue;
		var = gv_see(r, GV_VAR, a.name);
		if (!literal(a.value)) {
			gv_put_none(r, var, GV_F_VAR_VALUE, GV_UNKNOWN, "only the shell knows the value", &l[i]);
			continue;
		}
		/* Set to nothing is a value: it hides every GPU. */
		if (a.value.n == 0)
			a.value = GV_STR("\"\"");
		gv_put_str(r, var, GV_F_VAR_VALUE, a.value, &l[i]);
	}
}

const struct gv_format gv_format_env = {
	.name = "env",
	/* Values that are all of a line: lists of devices, interfaces, paths. */
	.heads = { "CUDA_", "NCCL_", "NVIDIA_", "HIP_", "ROCR_", "HSA_", "RCCL_", "UCX_", "GLOO_", "TORCH_", "PYTORCH_",
		   "OMP_", "LD_LIBRARY_PATH", "MASTER_ADDR", "WORLD_SIZE", "SLURM_", "VLLM_", "ONEAPI_", "ZE_", "TF_", "XLA_",
		   "FI_", "MKL_" },
	.cmds = { "env", "export", "echo", "declare" },
	.claim = env_claim,
	.read = env_read,
};
