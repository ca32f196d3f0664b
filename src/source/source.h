/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of documents: files, folders, archives, standard input. */
#pragma once

#include "core/run.h"

/* Adds what is under path: a file, an archive, a folder. -errno where path itself cannot be opened at all; what cannot
 * be read below it goes to run->unread. */
int gv_source_path(struct gv_run *run, const char *path);
/* Adds what comes from a descriptor up to its end as one document (or archive) of that name. */
int gv_source_fd(struct gv_run *run, int fd, const char *name);
/* Adds bytes under a name, as if read from a file: for tests and fuzzing too. */
void gv_source_bytes(struct gv_run *run, gv_str name, gv_str bytes);
