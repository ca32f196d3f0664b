/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are larger than a document may be: read as logs, see core/stream.h. */
#pragma once

#include <sys/types.h>

#include "core/run.h"

/* A regular file of that size; the descriptor belongs to it from now on. It is read with the documents. */
void gv_log_file(struct gv_run *run, gv_str name, int fd, uint64_t size);
/* A pipe of which this much was read already (memory of malloc(), freed here). It is read now, to its end. */
void gv_log_pipe(struct gv_run *run, gv_str name, int fd, char *had, size_t n);
/* A member of an archive: what was read of it already, and where the rest comes from. It is read now. */
void gv_log_member(struct gv_run *run, gv_str name, gv_str had, ssize_t (*more)(void *ctx, char *p, size_t n),
		   void *ctx);

/* Not to be read: too large, and no text. */
bool gv_log_refused(struct gv_run *run, gv_str name, gv_str head);
