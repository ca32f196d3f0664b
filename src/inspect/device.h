/* SPDX-License-Identifier: Apache-2.0 */
/* Code for devices: ELF files of their machines, and what the containers of LLVM and HIP say of their contents. */
#pragma once

#include "inspect/scan.h"

enum { GV_EM_CUDA = 190, GV_EM_INTELGT = 205, GV_EM_AMDGPU = 224 };
#define GV_ELF_HEADER 64

/* What the header leaves open stands in a note: at the beginning of the object, or near its end. */
enum gv_device_note { GV_NOTE_NONE, GV_NOTE_FRONT, GV_NOTE_END };
#define GV_DEVICE_NOTES GV_SCAN_KEEP /* so far from there at most */

/* What the header says of the code, in the file's own words; false where it is no machine of a device. */
bool gv_device_elf(struct gv_arena *a, gv_str header, struct gv_code *ret, enum gv_device_note *ret_note);
/* Completes it from the bytes of the object where the notes are; they need not be there. */
void gv_device_notes(struct gv_arena *a, gv_str header, gv_str bytes, struct gv_code *code);

/* The same for one machine each; vendor and kind are set, header has GV_ELF_HEADER bytes. */
bool gv_cubin(struct gv_arena *a, gv_str header, struct gv_code *ret, enum gv_device_note *ret_note);
void gv_cubin_notes(struct gv_arena *a, gv_str bytes, struct gv_code *code);
/* Of a cubin, of which at least the beginning is there: by which toolkit it was made, 1204 for 12.4; 0: not known. */
unsigned gv_cubin_toolkit(struct gv_arena *a, gv_str bytes);
bool gv_amdgpu(struct gv_arena *a, gv_str header, struct gv_code *ret, enum gv_device_note *ret_note);
void gv_amdgpu_notes(struct gv_arena *a, gv_str header, gv_str bytes, struct gv_code *code);
bool gv_zebin(struct gv_arena *a, gv_str header, struct gv_code *ret, enum gv_device_note *ret_note);
void gv_zebin_notes(struct gv_arena *a, gv_str bytes, struct gv_code *code);

/* The descriptor of a note of that owner and type, wherever in the bytes; empty where there is none. */
gv_str gv_elf_note(gv_str bytes, const char *owner, uint32_t type);

/* Of an LLVM triple ("amdgcn-amd-amdhsa") and a target ("gfx90a:xnack+", "sm_80", "generic"): whose code it is, and for
 * what. Sets vendor and arch; kind must be set. False where no GPU runs it. */
bool gv_device_target(struct gv_arena *a, gv_str triple, gv_str target, struct gv_code *code);
/* By its first 16 bytes; false where that is no code, or a container. */
bool gv_device_kind(gv_str bytes, enum gv_code_kind *ret);
