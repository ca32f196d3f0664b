/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi pmon: which process uses which GPU, sampled. A GPU without processes has a row of dashes. */
#include "format/common.h"

#define MAX_COLS 32
#define MAX_PROCS 512
#define MAX_GPUS 256

struct header {
	struct gv_columns col;
	size_t gpu, pid, command;
	bool fb_is_share; /* "%" in the unit row */
};

struct proc {
	uint64_t gpu, pid;
	struct gv_entity *e;
	uint32_t rows;
};

struct state {
	struct gv_read *r;
	struct header h;
	struct proc *proc;
	size_t nproc, last; /* last: the one found before; rows come round in the same order */
	struct {
		uint64_t index;
		struct gv_entity *e;
		const struct gv_line *l;
		bool busy;
	} gpu[MAX_GPUS];
	size_t ngpu;
};

static bool parse_header(gv_str text, struct header *h)
{
	h->fb_is_share = false;
	if (!gv_hash_words(text, h->col.name, MAX_COLS, &h->col.n))
		return false;
	h->gpu = gv_column(&h->col, "gpu");
	h->pid = gv_column(&h->col, "pid");
	h->command = gv_column(&h->col, "command");
	return h->gpu <= 2 && h->pid != SIZE_MAX && h->gpu < h->pid &&
	       (h->command == SIZE_MAX || h->command == h->col.n - 1);
}

static bool parse_units(gv_str text, struct header *h)
{
	gv_str w[MAX_COLS];
	size_t n, fb;

	if (!gv_hash_words(text, w, MAX_COLS, &n) || h->gpu >= n || !gv_is(w[h->gpu], "Idx"))
		return false;
	fb = gv_column(&h->col, "fb");
	h->fb_is_share = fb < n && gv_is(w[fb], "%");
	return true;
}

/* Number of cells, 0 where the line is no row. *ret_idle: the GPU has no process. */
static size_t parse_row(gv_str text, const struct header *h, gv_str *w, uint64_t *gpu, uint64_t *pid, bool *ret_idle)
{
	size_t n = gv_words(text, w, MAX_COLS);

	n = n < MAX_COLS ? n : MAX_COLS;
	for (size_t i = 0; i < n && i < h->command; i++) /* of --format csv */
		w[i].n -= w[i].n > 1 && gv_ends(w[i], ",");
	if (n <= h->pid + 1 || !gv_to_u64(w[h->gpu], gpu))
		return 0;
	*ret_idle = gv_is(w[h->pid], "-");
	return *ret_idle || gv_to_u64(w[h->pid], pid) ? n : 0;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct header h;
	gv_str w[MAX_COLS];
	uint64_t gpu, pid;
	size_t end = 1;
	bool idle;

	(void)seg;
	if (!parse_header(l[0].text, &h))
		return 0;
	for (size_t i = 1; i < n; i++) {
		struct header again;

		if (gv_blank_line(&l[i]))
			continue;
		if (parse_header(l[i].text, &again))
			h = again;
		else if (!parse_units(l[i].text, &h) && !parse_row(l[i].text, &h, w, &gpu, &pid, &idle))
			break;
		end = i + 1;
	}
	return end;
}

static size_t gpu_of(struct state *s, uint64_t index, const struct gv_line *l)
{
	gv_str name;

	for (size_t i = 0; i < s->ngpu; i++)
		if (s->gpu[i].index == index)
			return i;
	if (s->ngpu == MAX_GPUS)
		return SIZE_MAX;
	name = gv_fmt(s->r->arena, "%llu", (unsigned long long)index);
	s->gpu[s->ngpu].index = index;
	s->gpu[s->ngpu].l = l;
	s->gpu[s->ngpu].busy = false;
	s->gpu[s->ngpu].e = gv_see(s->r, GV_GPU, GV_NONE);
	gv_key(s->r, s->gpu[s->ngpu].e, GV_KEY_INDEX, name);
	gv_put_num(s->r, s->gpu[s->ngpu].e, GV_F_GPU_INDEX, (double)index, l);
	gv_put_str(s->r, s->gpu[s->ngpu].e, GV_F_GPU_VENDOR, GV_STR("nvidia"), l);
	return s->ngpu++;
}

static struct proc *proc_of(struct state *s, size_t gpu, uint64_t pid, gv_str pid_text)
{
	struct proc *p;

	for (size_t i = 0; i < s->nproc; i++) {
		size_t at = (s->last + 1 + i) % s->nproc;

		if (s->proc[at].pid == pid && s->proc[at].gpu == s->gpu[gpu].index) {
			s->last = at;
			return &s->proc[at];
		}
	}
	if (s->nproc == MAX_PROCS)
		return NULL;
	s->last = s->nproc;
	p = &s->proc[s->nproc++];
	*p = (struct proc){ s->gpu[gpu].index, pid, gv_see(s->r, GV_PROC, pid_text), 0 };
	gv_key(s->r, p->e, GV_KEY_PID, pid_text);
	p->e->parent = s->gpu[gpu].e;
	return p;
}

static void put_cell(struct state *s, const struct proc *p, enum gv_fact f, gv_str cell, const struct gv_line *l)
{
	const char *why;

	if (!cell.n || (p->rows && gv_no_value(cell, &why) != GV_KNOWN))
		return;
	gv_put_sample(s->r, p->e, f, cell, p->rows, l);
}

static void read_row(struct state *s, const struct gv_line *l)
{
	gv_str w[MAX_COLS], cell;
	const struct header *h = &s->h;
	uint64_t index, pid = 0;
	bool idle;
	size_t n = parse_row(l->text, h, w, &index, &pid, &idle), gpu;
	struct proc *p;

	gpu = n ? gpu_of(s, index, l) : SIZE_MAX;
	if (gpu == SIZE_MAX || idle)
		return;
	if (!s->gpu[gpu].busy)
		s->gpu[gpu].l = l;
	s->gpu[gpu].busy = true;
	p = proc_of(s, gpu, pid, w[h->pid]);
	if (!p)
		return;
	if (!p->rows) {
		cell = gv_cell_of(&h->col, w, n, "type");
		if (cell.n && !gv_is(cell, "-"))
			gv_put_str(s->r, p->e, GV_F_PROC_TYPE, cell, l);
		/* The command is the last column and may hold blanks. */
		if (h->command < n && !gv_is(w[h->command], "-"))
			gv_put_str(s->r, p->e, GV_F_PROC_NAME, gv_from(l->text, (size_t)(w[h->command].p - l->text.p)),
				   l);
	}
	put_cell(s, p, GV_F_PROC_SM_UTIL, gv_cell_of(&h->col, w, n, "sm"), l);
	if (!h->fb_is_share)
		put_cell(s, p, GV_F_PROC_GPU_MEM, gv_cell_of(&h->col, w, n, "fb"), l);
	p->rows++;
}

static void read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct proc procs[MAX_PROCS] = { 0 };
	struct state state = { .r = r, .proc = procs }, *s = &state;

	if (!parse_header(l[0].text, &s->h))
		return;
	for (size_t i = 1; i < n; i++) {
		struct header again;

		if (parse_header(l[i].text, &again))
			s->h = again;
		else if (!parse_units(l[i].text, &s->h))
			read_row(s, &l[i]);
	}
	for (size_t i = 0; i < s->ngpu; i++)
		gv_put_flag(r, s->gpu[i].e, GV_F_GPU_PROCESS_LIST, s->gpu[i].busy, s->gpu[i].l);
}

const struct gv_format gv_format_nvidia_smi_pmon = {
	.name = "nvidia-smi pmon",
	.heads = { "# gpu", "#gpu", "#Date", "#Time", "# Date", "# Time" },
	.claim = claim,
	.read = read,
};
