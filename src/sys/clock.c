/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/clock.h"

#include <time.h>

static double now(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double gv_clock_boot(void)
{
	return now(CLOCK_BOOTTIME);
}

double gv_clock_awake(void)
{
	return now(CLOCK_MONOTONIC);
}

double gv_clock_wall(void)
{
	return now(CLOCK_REALTIME);
}

void gv_clock_sleep(double seconds)
{
	struct timespec t = { (time_t)seconds, 0 };

	if (seconds <= 0)
		return;
	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	nanosleep(&t, NULL);
}
