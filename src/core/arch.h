/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine code runs on which device, and which PTX is compiled for it, as far as their names say.
 *
 * NVIDIA: machine code of sm_XY runs on the same major X with a minor of at least Y; that of a Tegra on that one only;
 * that of one chip ("a") on devices of exactly its number, that of a family ("f") on its later members too. PTX
 * (compute_XY) is compiled for whatever is newer, under the same rules of "a" and "f". So an RTX 4090 (8.9) runs sm_86.
 * AMD: code runs on the one target that it was made for, or by way of a generic target (data/gfx-generic.tsv). */
#pragma once

#include "base/str.h"

enum gv_runs { GV_RUNS_NOT, GV_RUNS_UNKNOWN, GV_RUNS };

/* Number and suffix ('a', 'f' or 0) of "sm_90a", "compute_90a"; false where it is neither. */
bool gv_sm_parse(gv_str arch, unsigned *ret_sm, char *ret_suffix);
/* The number of a compute capability, 90 for "9.0"; 0 where it is none. */
unsigned gv_sm_of_cc(gv_str cc);
/* Devices of Tegra, which have drivers of their own. */
bool gv_sm_is_tegra(unsigned sm);
/* Code of that name ("sm_86", "compute_80") on a device of that number. */
enum gv_runs gv_sm_runs(unsigned sm, gv_str arch);

/* Code of that name ("gfx90a:xnack+", "gfx9-4-generic") on a device ("gfx90a", perhaps with ":sramecc+:xnack-"). */
enum gv_runs gv_gfx_runs(gv_str device, gv_str arch);
/* The same by the name of the device: "sm_90", "gfx90a". */
enum gv_runs gv_arch_runs(gv_str device, gv_str arch);
