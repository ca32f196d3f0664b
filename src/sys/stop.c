/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/stop.h"

#include <signal.h>
#include <stddef.h>

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
#define ENDS (sizeof(ends) / sizeof(*ends))

static volatile sig_atomic_t came;
static struct sigaction before[ENDS];

static void on_end(int sig)
{
	came = sig;
}

void gv_stop_catch(void)
{
	struct sigaction sa = { .sa_handler = on_end, .sa_flags = (int)SA_RESETHAND };

	for (size_t i = 0; i < ENDS; i++) {
		sigaction(ends[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(ends[i], &sa, NULL);
	}
}

void gv_stop_release(void)
{
	for (size_t i = 0; i < ENDS; i++)
		sigaction(ends[i], &before[i], NULL);
}

int gv_stopped(void)
{
	return came;
}
