/* SPDX-License-Identifier: Apache-2.0 */
/* This machine by its names: for those who must not give them away, and what kind of machine it is. */
#pragma once

#include "base/arena.h"

struct gv_host_names {
	GV_VEC(gv_str) hosts; /* as the kernel has it, and each name that /etc/hosts gives for addresses of its own */
	GV_VEC(gv_str) users; /* people's accounts in /etc/passwd, and who called this */
};

void gv_host_names(struct gv_arena *a, struct gv_host_names *ret);

/* The kind of processor, as uname -m names it ("x86_64"); empty where the kernel does not say. */
gv_str gv_host_machine(struct gv_arena *a);
