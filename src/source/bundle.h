/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles of gpuvet's own making: tar files, written by `collect` and by `diagnose --save`. The first member says which
 * of the two it is; documents of the live look follow below "live", the account of the look first, outputs of commands
 * and logs below other folders. Of a saved run everything is named as it was in the run, so that both give the same
 * report. */
#pragma once

#include "core/run.h"

#define GV_BUNDLE_COLLECTED "gpuvet-bundle"
#define GV_BUNDLE_SAVED "gpuvet-saved-run"
#define GV_BUNDLE_HEAD "gpuvet bundle 1\n" /* how it begins */
#define GV_BUNDLE_LIVE "live/"
#define GV_BUNDLE_PATH "path/" /* in a saved run: what was named as a PATH */

/* What is known of an archive that is being read; zeroed at first. */
struct gv_bundle {
	bool saved, collected;
	struct gv_account *look; /* of all its documents */
	size_t members;
};

/* To be called with each member. True: it is not a document. */
bool gv_bundle_member(struct gv_bundle *b, struct gv_run *run, gv_str name, gv_str bytes);
/* The name of a member's document; `usual` is what it is in any archive. */
gv_str gv_bundle_name(const struct gv_bundle *b, gv_str name, gv_str usual);
/* Marks a document that the member became: whether it is of the machine that was looked at. */
void gv_bundle_mark(const struct gv_bundle *b, gv_str name, struct gv_doc *doc);
/* Marks a document of the live look itself, in difference to outputs and logs that were collected with it. */
void gv_bundle_mark_live(struct gv_account *look, struct gv_doc *doc);
/* The member of a live document of that name. */
gv_str gv_bundle_live_name(struct gv_arena *a, gv_str name);

/* Writes the run's documents as a saved run. What could not be saved whole (logs larger than a document: only their
 * heads are held) is told in one line. 0 or -errno. */
int gv_bundle_save(const struct gv_run *run, int fd, double now, struct gv_buf *ret_left_out);
