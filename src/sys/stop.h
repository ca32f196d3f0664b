/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C, for what takes long: work asks now and then whether it shall end, and ends in its own way. */
#pragma once

/* From now on SIGINT, SIGTERM and SIGHUP are remembered (once: the second ends the program); those that are ignored
 * stay so. */
void gv_stop_catch(void);
void gv_stop_release(void); /* as before */
int gv_stopped(void);	    /* the signal; 0: none came */
