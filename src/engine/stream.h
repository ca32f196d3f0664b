/* SPDX-License-Identifier: Apache-2.0 */
/* Logs that are not held: from bytes to blocks, by one or several threads. */
#pragma once

#include "core/stream.h"

void gv_read_log(struct gv_run *run, struct gv_doc *doc); /* run->read_log */
struct gv_sigs *gv_run_sigs(struct gv_run *run);	  /* run->sigs, made at the first call */
