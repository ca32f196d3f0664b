/* SPDX-License-Identifier: Apache-2.0 */
/* What names of files tell of whom they were made for. */
#pragma once

#include "inspect/inventory.h"

/* Whether a folder of the path has that name; "a/b" for two of them. */
bool gv_path_has(gv_str path, const char *folder);
/* The target of AMD that begins at s: "gfx90a", and what follows it in *ret_rest. False where none does. */
bool gv_gfx_of(gv_str s, gv_str *ret_gfx, gv_str *ret_rest);
/* "sm_89" of "..._sm89.engine", behind the last "_sm"; empty where there is none. */
gv_str gv_sm_of(struct gv_arena *a, gv_str name);
/* The file itself, as an artefact of that kind: by its name alone, where nothing in it says so. */
struct gv_artefact *gv_artefact_by_name(struct gv_inspect *x, const char *kind);
