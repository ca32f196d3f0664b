/* SPDX-License-Identifier: Apache-2.0 */
/* What PyTorch says of itself: the output of one-liners and of an interactive Python, whose values mean something only
 * below the expressions that were asked for ("12.1" and "True" under print(torch.version.cuda); print(...)), and
 * labelled lines such as those of torch.utils.collect_env.
 *
 * Sources: torch/utils/collect_env.py; Python prints the repr of an expression's value, and nothing for None. */
#include "format/common.h"

#define PRINTS_MAX 16
#define WANTS_MAX 8
#define LOOK_MAX 200 /* lines of a segment in which values are looked for */

enum want_kind { WANT_OTHER, WANT_LITERAL, WANT_FACT, WANT_NAME, WANT_CAPABILITY, WANT_ARCHS };

struct want {
	enum want_kind kind;
	enum gv_fact fact;
	gv_str text; /* LITERAL: the words; NAME and CAPABILITY: the device's number */
};

struct print {
	struct want want[WANTS_MAX];
	size_t n;
	bool repr; /* an expression of an interactive Python */
};

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* Length of the string literal at the start of s, its quotes (perhaps behind backslashes) included; 0 = none. */
static size_t literal_len(gv_str s)
{
	size_t i = s.n && s.p[0] == '\\';
	char q;

	if (i >= s.n || !is_quote(s.p[i]))
		return 0;
	q = s.p[i];
	for (i++; i < s.n; i++)
		if (s.p[i] == q)
			return i + 1;
	return s.n;
}

/* Cuts the next piece off *rest at a comma outside brackets and strings; false at the end. */
static bool next_arg(gv_str *rest, gv_str *ret)
{
	size_t depth = 0, i, len;

	if (rest->n == 0)
		return false;
	for (i = 0; i < rest->n; i++) {
		char c = rest->p[i];

		len = literal_len(gv_from(*rest, i));
		if (len) {
			i += len - 1;
			continue;
		}
		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == ')' || c == ']' || c == '}') && depth)
			depth--;
		else if (c == ',' && depth == 0)
			break;
	}
	*ret = gv_trim(gv_sub(*rest, 0, i));
	*rest = gv_from(*rest, i + 1);
	return true;
}

/* Length up to the bracket that closes the one before s. */
static size_t closing(gv_str s)
{
	size_t depth = 0, i, len;

	for (i = 0; i < s.n; i++) {
		len = literal_len(gv_from(s, i));
		if (len) {
			i += len - 1;
			continue;
		}
		if (s.p[i] == '(')
			depth++;
		else if (s.p[i] == ')' && depth-- == 0)
			break;
	}
	return i;
}

static struct want want_of(gv_str e)
{
	static const struct {
		const char *expr;
		enum gv_fact fact;
	} facts[] = {
		{ "torch.__version__", GV_F_TORCH_VERSION },	 { "torch.version.__version__", GV_F_TORCH_VERSION },
		{ "torch.version.cuda", GV_F_TORCH_CUDA },	 { "torch.version.hip", GV_F_TORCH_HIP },
		{ "torch.cuda.is_available()", GV_F_TORCH_GPU }, { "torch.cuda.device_count()", GV_F_TORCH_DEVICES },
	};
	struct want w = { 0 };

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		if (gv_is(e, facts[i].expr)) {
			w.kind = WANT_FACT;
			w.fact = facts[i].fact;
			return w;
		}
	}
	if (gv_starts(e, "torch.cuda.get_device_name(") && gv_ends(e, ")"))
		w.kind = WANT_NAME;
	else if (gv_starts(e, "torch.cuda.get_device_capability(") && gv_ends(e, ")"))
		w.kind = WANT_CAPABILITY;
	else if (gv_is(e, "torch.cuda.get_arch_list()"))
		w.kind = WANT_ARCHS;
	else if (literal_len(e) == e.n && e.n > 1) {
		w.kind = WANT_LITERAL;
		while (e.n && (e.p[0] == '\\' || is_quote(e.p[0])))
			e = gv_from(e, 1);
		while (e.n && (e.p[e.n - 1] == '\\' || is_quote(e.p[e.n - 1])))
			e.n--;
		w.text = gv_trim(e);
	}
	if (w.kind == WANT_NAME || w.kind == WANT_CAPABILITY) {
		w.text = gv_trim(gv_between(e, "(", ")"));
		if (w.text.n == 0)
			w.text = GV_STR("0");
	}
	return w;
}

static void add_wants(struct print *p, gv_str args)
{
	gv_str arg;

	while (p->n < WANTS_MAX && next_arg(&args, &arg))
		p->want[p->n++] = want_of(arg);
}

/* What the command line asks for, in order. */
static size_t prints_of(gv_str cmd, struct print *ret)
{
	gv_str rest = cmd, last = cmd, one;
	size_t n = 0;

	if (!gv_has(cmd, "torch"))
		return 0;
	while (n < PRINTS_MAX) {
		ptrdiff_t at = gv_find(rest, "print(");
		size_t len;

		if (at < 0)
			break;
		rest = gv_from(rest, (size_t)at + 6);
		len = closing(rest);
		ret[n] = (struct print){ 0 };
		add_wants(&ret[n++], gv_sub(rest, 0, len));
		rest = gv_from(rest, len);
	}
	if (n)
		return n;
	/* ">>> import torch; torch.cuda.is_available()" */
	while (gv_next(&rest, ';', &one))
		if (gv_trim(one).n)
			last = gv_trim(one);
	ret[0] = (struct print){ .repr = true };
	add_wants(&ret[0], last);
	for (size_t i = 0; i < ret[0].n; i++)
		if (ret[0].want[i].kind > WANT_LITERAL)
			return 1;
	return 0;
}

/* "True", "False", with nothing of a longer word behind. */
static bool bool_of(gv_str s, bool *ret)
{
	size_t n = gv_starts(s, "True") ? 4 : gv_starts(s, "False") ? 5 : 0;

	if (n == 0 || (s.n > n && ((s.p[n] >= 'a' && s.p[n] <= 'z') || s.p[n] == '_' || s.p[n] == '=')))
		return false;
	*ret = n == 4;
	return true;
}

static gv_str unquoted(gv_str s)
{
	while (s.n && (is_quote(s.p[0])))
		s = gv_from(s, 1);
	while (s.n && is_quote(s.p[s.n - 1]))
		s.n--;
	return s;
}

static bool version_like(gv_str s)
{
	double v;

	return s.n < 64 && gv_find_c(s, '.') > 0 && gv_lead_num(s, &v, &s) && v >= 0 && gv_find_c(s, ' ') < 0 &&
	       gv_find_c(s, '/') < 0;
}

static bool fits(const struct want *w, gv_str v)
{
	uint64_t count;
	bool flag;

	v = unquoted(v);
	switch (w->kind) {
	case WANT_FACT:
		if (w->fact == GV_F_TORCH_GPU)
			return bool_of(v, &flag);
		if (w->fact == GV_F_TORCH_DEVICES)
			return gv_to_u64(v, &count) && count < 1024;
		return version_like(v) || (gv_is(v, "None") && w->fact != GV_F_TORCH_VERSION);
	case WANT_CAPABILITY:
		return gv_starts(v, "(") && gv_has(v, ")");
	case WANT_ARCHS:
		return gv_starts(v, "[") && gv_has(v, "]");
	case WANT_LITERAL:
		return v.n >= w->text.n && gv_eq(gv_sub(v, 0, w->text.n), w->text);
	case WANT_NAME:
	case WANT_OTHER:
		return v.n > 0;
	}
	return false;
}

/* The piece of *rest that the value takes in print()'s line; bracketed ones hold blanks. */
static gv_str take(const struct want *w, gv_str *rest)
{
	gv_str s = gv_trim(*rest), word = GV_NONE;
	ptrdiff_t end = -1;

	if (w->kind == WANT_LITERAL)
		end = (ptrdiff_t)w->text.n - 1;
	else if (w->kind == WANT_CAPABILITY)
		end = gv_find_c(s, ')');
	else if (w->kind == WANT_ARCHS)
		end = gv_find_c(s, ']');
	if (end >= 0) {
		*rest = gv_from(s, (size_t)end + 1);
		return gv_sub(s, 0, (size_t)end + 1);
	}
	*rest = s;
	(void)gv_word(rest, &word);
	return word;
}

static bool match_repr(const struct print *p, gv_str s, gv_str *ret_value)
{
	gv_str rest = s;

	if (p->n == 1) {
		ret_value[0] = s;
		return fits(&p->want[0], s);
	}
	if (!gv_starts(s, "(") || !gv_ends(s, ")"))
		return false;
	rest = gv_sub(s, 1, s.n - 2);
	for (size_t i = 0; i < p->n; i++)
		if (!next_arg(&rest, &ret_value[i]) || !fits(&p->want[i], ret_value[i]))
			return false;
	return true;
}

/* Values of one printed line. A product name or an unknown value may be many words: it takes what the others leave. */
static bool match_print(const struct print *p, gv_str s, gv_str *ret_value)
{
	gv_str rest = s;
	size_t i;

	for (i = 0; i < p->n; i++) {
		const struct want *w = &p->want[i];

		if (w->kind == WANT_OTHER || w->kind == WANT_NAME) {
			if (i + 1 < p->n)
				break;
			ret_value[i] = gv_trim(rest);
			return ret_value[i].n > 0;
		}
		ret_value[i] = take(w, &rest);
		if (!fits(w, ret_value[i]))
			return false;
	}
	for (size_t k = p->n; k-- > i;) {
		const struct want *w = &p->want[k];
		ptrdiff_t blank;

		rest = gv_trim(rest);
		blank = gv_rfind(rest, " ");
		if (k == i || w->kind != WANT_FACT) {
			ret_value[k] = k == i ? rest : GV_NONE;
			break;
		}
		ret_value[k] = gv_from(rest, (size_t)(blank + 1));
		if (!fits(w, ret_value[k]))
			return false;
		rest = gv_sub(rest, 0, blank < 0 ? 0 : (size_t)blank);
	}
	return true;
}

static bool match(const struct print *p, gv_str line, gv_str *ret_value)
{
	gv_str s = gv_trim(line);

	for (size_t i = 0; i < WANTS_MAX; i++)
		ret_value[i] = GV_NONE;
	if (p->n == 0 || s.n == 0)
		return false;
	/* Warnings come between the values, with the source line that they speak of. */
	if (gv_has(s, "Warning:") || gv_indent(line) > 0)
		return false;
	return p->repr ? match_repr(p, s, ret_value) : match_print(p, s, ret_value);
}

static bool tells(const struct print *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->want[i].kind > WANT_LITERAL)
			return true;
	return false;
}

static const char *vendor_of(gv_str name)
{
	if (gv_starts(name, "NVIDIA") || gv_starts(name, "Tesla") || gv_starts(name, "GeForce") ||
	    gv_starts(name, "Quadro") || gv_starts(name, "A100") || gv_starts(name, "H100"))
		return "nvidia";
	if (gv_starts(name, "AMD") || gv_starts(name, "Radeon"))
		return "amd";
	return gv_starts(name, "Intel") ? "intel" : NULL;
}

static struct gv_entity *see_gpu(struct gv_read *r, gv_str index)
{
	struct gv_entity *gpu;
	uint64_t n;

	for (size_t i = r->run->sights.n; i-- > 0 && r->run->sights.v[i]->block == r->block;)
		if (r->run->sights.v[i]->kind == GV_GPU && gv_eq(r->run->sights.v[i]->key[GV_KEY_INDEX], index))
			return r->run->sights.v[i];
	if (!gv_to_u64(index, &n) || n > 1023)
		return NULL;
	gpu = gv_see(r, GV_GPU, GV_NONE);
	gv_key(r, gpu, GV_KEY_INDEX, index);
	return gpu;
}

static void put_name(struct gv_read *r, gv_str index, gv_str name, const struct gv_line *l)
{
	struct gv_entity *gpu = see_gpu(r, index);
	const char *vendor = vendor_of(name);

	if (!gpu || !name.n)
		return;
	gv_put_str(r, gpu, GV_F_GPU_NAME, name, l);
	if (vendor)
		gv_put_str(r, gpu, GV_F_GPU_VENDOR, gv_str_of(vendor), l);
}

static void put_value(struct gv_read *r, const struct want *w, gv_str v, const struct gv_line *l)
{
	struct gv_entity *gpu;
	gv_str rest, one, list = GV_NONE;
	double major, minor;
	bool flag;

	v = unquoted(gv_trim(v));
	if (!v.n || !fits(w, v))
		return;
	switch (w->kind) {
	case WANT_FACT:
		if (w->fact == GV_F_TORCH_GPU && bool_of(v, &flag))
			gv_put_flag(r, gv_see_node(r), w->fact, flag, l);
		else if (w->fact == GV_F_TORCH_DEVICES && gv_lead_num(v, &major, &rest))
			gv_put_num(r, gv_see_node(r), w->fact, major, l);
		else
			gv_put_str(r, gv_see_node(r), w->fact, v, l);
		return;
	case WANT_NAME:
		put_name(r, w->text, v, l);
		return;
	case WANT_CAPABILITY:
		rest = gv_between(v, "(", ")");
		gpu = see_gpu(r, w->text);
		if (gpu && gv_next(&rest, ',', &one) && gv_to_num(one, &major) && gv_to_num(rest, &minor) &&
		    major < 100 && minor < 100)
			gv_put_str(r, gpu, GV_F_GPU_COMPUTE_CAP, gv_fmt(r->arena, "%.0f.%.0f", major, minor), l);
		return;
	case WANT_ARCHS:
		rest = gv_between(v, "[", "]");
		while (next_arg(&rest, &one))
			list = gv_fmt(r->arena, "%.*s%s%.*s", GV_ARG(list), list.n ? " " : "", GV_ARG(unquoted(one)));
		gv_put_str(r, gv_see_node(r), GV_F_TORCH_ARCHS, list.n ? list : GV_STR("None"), l);
		return;
	case WANT_LITERAL:
	case WANT_OTHER:
		return;
	}
}

/* Walks the values below a command line. Without a reading it only finds where they begin and end. */
static bool walk(struct gv_read *r, const struct gv_line *l, size_t n, gv_str cmd, size_t *ret_first, size_t *ret_end)
{
	struct print prints[PRINTS_MAX];
	size_t np = prints_of(cmd, prints), at = 0, i;
	gv_str value[WANTS_MAX];
	bool any = false;

	if (n > LOOK_MAX)
		n = LOOK_MAX;
	for (size_t k = 0; k < np; k++) {
		for (i = at; i < n && !match(&prints[k], l[i].text, value); i++)
			;
		if (i >= n)
			break;
		at = i + 1;
		if (!tells(&prints[k]))
			continue;
		if (!any)
			*ret_first = i;
		any = true;
		*ret_end = at;
		for (size_t w = 0; r && w < prints[k].n; w++)
			put_value(r, &prints[k].want[w], value[w], &l[i]);
	}
	return any;
}

/* Labelled lines. */

static const struct {
	const char *label;
	enum gv_fact fact;
} labels[] = {
	{ "PyTorch version", GV_F_TORCH_VERSION },
	{ "torch version", GV_F_TORCH_VERSION },
	{ "torch.__version__", GV_F_TORCH_VERSION },
	{ "CUDA used to build PyTorch", GV_F_TORCH_CUDA },
	{ "PyTorch CUDA version", GV_F_TORCH_CUDA },
	{ "torch.version.cuda", GV_F_TORCH_CUDA },
	{ "ROCM used to build PyTorch", GV_F_TORCH_HIP },
	{ "torch.version.hip", GV_F_TORCH_HIP },
	{ "Is CUDA available", GV_F_TORCH_GPU },
	{ "CUDA available", GV_F_TORCH_GPU },
	{ "CUDA is available", GV_F_TORCH_GPU },
	{ "torch.cuda.is_available()", GV_F_TORCH_GPU },
	{ "torch.cuda.is_available", GV_F_TORCH_GPU },
	{ "GPU available", GV_F_TORCH_GPU },
	{ "torch.cuda.device_count()", GV_F_TORCH_DEVICES },
	{ "CUDA device count", GV_F_TORCH_DEVICES },
	{ "torch.cuda.get_arch_list()", GV_F_TORCH_ARCHS },
};

/* "Label: value", "Label = value" or "label? value". */
static bool labelled(gv_str line, struct want *ret_want, gv_str *ret_value)
{
	gv_str s = gv_trim(line), key, value;
	bool flag;

	if (s.n > 400 || !gv_key_value(s, &key, &value)) {
		ptrdiff_t at = gv_find(s, " = ");

		if (s.n > 400 || at <= 0)
			return false;
		key = gv_sub(s, 0, (size_t)at);
		value = gv_trim(gv_from(s, (size_t)at + 3));
	}
	key = gv_trim(key);
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		if (!gv_eq_nocase(key, gv_str_of(labels[i].label)))
			continue;
		ret_want->fact = labels[i].fact;
		ret_want->kind = labels[i].fact == GV_F_TORCH_ARCHS ? WANT_ARCHS : WANT_FACT;
		/* A build without the one or the other. */
		if ((labels[i].fact == GV_F_TORCH_CUDA || labels[i].fact == GV_F_TORCH_HIP) &&
		    (gv_is(value, "Could not collect") || gv_is(value, "N/A")))
			value = GV_STR("None");
		else if (labels[i].fact == GV_F_TORCH_GPU && (gv_is(value, "Yes") || gv_is(value, "No")))
			value = gv_is(value, "Yes") ? GV_STR("True") : GV_STR("False");
		else if (labels[i].fact == GV_F_TORCH_GPU && bool_of(value, &flag))
			value = flag ? GV_STR("True") : GV_STR("False");
		*ret_value = value;
		return fits(ret_want, value);
	}
	return false;
}

/* "GPU 1: NVIDIA A100-SXM4-40GB" behind or below "GPU models and configuration:" */
static bool model_line(gv_str line, gv_str *ret_index, gv_str *ret_name)
{
	gv_str s = gv_trim(line), key, value;

	if (gv_starts(s, "GPU models and configuration:"))
		s = gv_trim(gv_after(s, "configuration:"));
	if (!gv_starts(s, "GPU ") || !gv_key_value(s, &key, &value) || !value.n)
		return false;
	*ret_index = gv_trim(gv_from(key, 4));
	*ret_name = value;
	return true;
}

static size_t claim_labelled(const struct gv_line *l, size_t n)
{
	bool collect = gv_starts(gv_trim(l[0].text), "PyTorch version:");
	gv_str value, key;
	struct want w;
	size_t end = 1;

	if (!labelled(l[0].text, &w, &value))
		return 0;
	for (size_t i = 1; i < n && i < LOOK_MAX; i++) {
		gv_str s = gv_trim(l[i].text);

		if (s.n == 0)
			continue;
		if (gv_is(s, "CPU:") || gv_starts(s, "Versions of relevant libraries"))
			break;
		if (!labelled(s, &w, &value) && !(collect && gv_key_value(s, &key, &value)))
			break;
		end = i + 1;
	}
	return end;
}

static void read_labelled(struct gv_read *r, const struct gv_line *l, size_t n)
{
	gv_str value, index, name;
	struct want w;

	for (size_t i = 0; i < n; i++) {
		gv_str s = gv_trim(l[i].text);

		w = (struct want){ 0 };
		if (labelled(s, &w, &value)) {
			put_value(r, &w, value, &l[i]);
		} else if (model_line(s, &index, &name)) {
			put_name(r, index, gv_before(name, " (UUID"), &l[i]);
		} else if (gv_starts(s, "Nvidia driver version:")) {
			value = gv_trim(gv_after(s, ":"));
			if (version_like(value))
				gv_put_str(r, gv_see_node(r), GV_F_DRIVER_KERNEL, value, &l[i]);
		}
	}
}

static bool of_torch(const struct gv_seg *seg)
{
	return seg && gv_has(seg->cmd, "torch.");
}

static size_t torch_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t first, end, offset;

	if (of_torch(seg) && (size_t)l[0].no > seg->first) {
		offset = (size_t)l[0].no - 1 - seg->first;
		if (offset < LOOK_MAX && walk(NULL, l - offset, n + offset, seg->cmd, &first, &end))
			return first >= offset && end > offset ? end - offset : 0;
	}
	return claim_labelled(l, n);
}

static void torch_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	const struct gv_seg *seg = r->block->seg;
	size_t first, end, offset;

	if (of_torch(seg) && (size_t)l[0].no > seg->first) {
		offset = (size_t)l[0].no - 1 - seg->first;
		if (walk(r, l - offset, n + offset, seg->cmd, &first, &end))
			return;
	}
	read_labelled(r, l, n);
}

const struct gv_format gv_format_torch = {
	.name = "torch",
	.heads = { "torch", "Torch", "GPU available:", "CUDA available" },
	.cmds = { "torch" },
	.claim = torch_claim,
	.read = torch_read,
};
