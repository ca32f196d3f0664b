/* SPDX-License-Identifier: Apache-2.0 */
/* The moment. */
#pragma once

double gv_clock_boot(void);  /* seconds since boot, time in suspend included */
double gv_clock_awake(void); /* without it: what the kernel log's stamps count */
double gv_clock_wall(void); /* seconds since 1970, UTC */
void gv_clock_sleep(double seconds); /* returns early on a signal; not at all for 0 and less */
