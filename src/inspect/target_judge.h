/* SPDX-License-Identifier: Apache-2.0 */
/* One target and one PATH while they are judged, for the files of target_*.c. */
#pragma once

#include "inspect/target.h"

/* What the files of a part that are alike say: its own, or the vendor's libraries that it brings along. */
struct gv_tally_fit {
	size_t files;	    /* with code for the target's vendor */
	size_t of[GV_FITS]; /* of these, by how they fit */
	const struct gv_file *first[GV_FITS];
	const struct gv_code *with[GV_FITS]; /* code of it that shows it */
	gv_str driver;			     /* the oldest that compiles the PTX of a file that has nothing else */
	gv_str lack;			     /* the driver that is missing where it is too old for all of its PTX */
	unsigned major;			     /* CUDA that the least demanding file is linked to, 1200; 0 none */
	unsigned foreign;		     /* vendors that other code is for, as bits */
	unsigned built;			     /* of these, those that it is built for: more than material for a compiler */
	unsigned compiled;		     /* vendors for which it has bitcode: a compiler's, which makes the code at run time */
	const struct gv_file *stranger;
};

#define GV_WORK_FILES 256
struct gv_work {
	struct gv_part part;
	struct gv_tally_fit own, theirs; /* its own files, and libraries of GPU vendors */
	const struct gv_file *linked;	 /* linked to libraries of the target's vendor */
	unsigned linked_major;
	GV_VEC(const struct gv_file *) files; /* with code, the first ones */
	bool loose;			      /* files that belong to no package */
	bool needed; /* another file of the tree is linked to it, or it is a program or an extension */
};

/* Of what is built several times, the file that is used: for which all is here that it is linked to, and which fits best. */
struct gv_build {
	const struct gv_file *file;
	size_t lacks;
	enum gv_fit fit;
};

struct gv_judging {
	struct gv_inventory *inv;
	const struct gv_target *t;
	struct gv_judged *j;
	GV_VEC(struct gv_work *) works;
	struct gv_map by_key, by_file; /* -> struct gv_work */
	struct gv_map by_build;	    /* what is built several times, in one folder -> struct gv_build */
	struct gv_map needed;	    /* names that files of the tree are linked to */
	bool whole;		    /* an image: what is not in here is nowhere */
	bool declared;		    /* what a package asks of the driver was told */
	const struct gv_work *asks; /* for the newest driver */
	gv_str compat;		    /* a driver's libraries for forward compatibility are in here: their version */
};

/* The files of this PATH that can be seen: start with *at = 0. NULL at the end. */
const struct gv_file *gv_judged_file(const struct gv_judging *w, size_t *at);
/* The part that a file belongs to; NULL where it is none's. */
struct gv_work *gv_work_of(const struct gv_judging *w, const struct gv_file *f);
/* The part that a package is; NULL where it holds nothing. */
struct gv_work *gv_work_of_package(const struct gv_judging *w, const struct gv_package *p);
/* Another build of the same thing stands for it. */
bool gv_is_spare(const struct gv_judging *w, const struct gv_file *f);
/* "NVIDIA and AMD" */
gv_str gv_vendors_text(struct gv_arena *a, unsigned vendors);
/* A program, or a module that its interpreter loads: runs, or fails, in any case. */
bool gv_is_entry(const struct gv_file *f);
/* Found in this PATH, and visible. */
bool gv_is_here(const struct gv_judging *w, const struct gv_dep *d);
/* Each architecture once: "sm_80, sm_90a, PTX for compute_90". */
gv_str gv_archs_of(const struct gv_judging *w, const struct gv_work *p);

/* A library that uses a GPU where it finds one, as its usual build for all: it runs on the CPU, too. */
bool gv_goes_without(const struct gv_package *p);

/* Parts, how they fit, and the whole. */
void gv_judge_parts(struct gv_judging *w);
/* A finding, with the texts of the kind's page; the summary in words of its own, since the page speaks of a node. */
struct gv_judgement *gv_judge_found(struct gv_judging *w, enum gv_kind kind, enum gv_severity severity,
				    enum gv_confidence confidence, gv_str part, gv_str summary);
void gv_judge_quote(struct gv_judging *w, struct gv_judgement *f, const struct gv_file *file, gv_str text,
		    uint32_t line);
void gv_judge_worse(struct gv_judging *w, enum gv_fit fit, gv_str why);

/* What is declared that the driver must offer. */
void gv_judge_declared(struct gv_judging *w);
/* Engines and caches that were made for another device, as findings. */
void gv_judge_caches(struct gv_judging *w);
/* What is wrong, as findings; may make the whole worse. */
void gv_judge_findings(struct gv_judging *w);
