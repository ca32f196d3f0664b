/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities as tools print them. All return false and leave the results untouched where the text is not one.
 * Without `lead` the whole (trimmed) text must be the quantity; the `lead` forms take it from the start and return what
 * follows, and always need the unit. Blanks between number and unit are allowed. Signs are refused but for percent. */
#pragma once

#include "base/str.h"

/* Sizes, in bytes. A bare number counts as bytes. Units:
 *   B byte bytes                                 1
 *   Ki KiB (Mi, MiB, ... Ei, EiB)                powers of 1024 (free, Kubernetes, lspci)
 *   K M G T P E                                  powers of 1024 (df, lsblk, Slurm)
 *   KBytes MBytes GBytes TBytes, kbytes          powers of 1024 (iperf3, ulimit)
 *   kB KB MB GB TB PB EB, k                      powers of 1000
 * The _1024 forms read kB, MB, ... and k as powers of 1024 too: /proc/meminfo and smaps ("kB" there is 1024 bytes).
 * Bits (Gb, Gbit) are no size. */
bool gv_bytes(gv_str s, double *ret);
bool gv_bytes_1024(gv_str s, double *ret);
bool gv_lead_bytes(gv_str s, double *ret, gv_str *ret_rest);
bool gv_lead_bytes_1024(gv_str s, double *ret, gv_str *ret_rest);

/* Rates, in bytes per second: a size unit as above or a bit unit (b bit bits after k K M G T powers of 1000, or Ki Mi
 * Gi Ti), then /s /sec /second or ps: "2850MiB/s", "32.2 Gbits/sec", "100000Mb/s", "100Gbps", "12 GBps". No unit is
 * false. */
bool gv_rate(gv_str s, double *ret);
bool gv_lead_rate(gv_str s, double *ret, gv_str *ret_rest);

/* "92%", "92.5 %", "-3%": 92, 92.5, -3. The sign % must be there. */
bool gv_percent(gv_str s, double *ret);
bool gv_lead_percent(gv_str s, double *ret, gv_str *ret_rest);

/* Durations, in seconds: "10ms", "250 usec", "2m", "5d3h", "1h 30min 2.5s" (units must descend), or with colons as ps
 * and Slurm print them: [D-]HH:MM:SS[.f] and MM:SS[.f]. A bare number is false: its unit is the caller's matter.
 * Units: ns us usec ms msec s sec m min h hr d w and their words; m is minutes. */
bool gv_duration(gv_str s, double *ret);
bool gv_lead_duration(gv_str s, double *ret, gv_str *ret_rest);

/* For people, three digits: "503 GiB", "61.2 MiB", "512 B" (powers of 1024) and "2.99 GB/s" (powers of 1000, from bytes
 * per second). Not-a-number and infinity read "unknown". Both return buf. */
#define GV_HUMAN 32 /* bytes that always suffice */
const char *gv_human_bytes(double bytes, char *buf, size_t n);
const char *gv_human_rate(double bytes_per_s, char *buf, size_t n);
