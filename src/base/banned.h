/* SPDX-License-Identifier: Apache-2.0 */
/* Included before every file: functions that are never right here. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GV_BANNED(f) this_function_is_banned_##f
#undef strcpy
#define strcpy(a, b) GV_BANNED(strcpy)
#undef strcat
#define strcat(a, b) GV_BANNED(strcat)
#undef strncpy
#define strncpy(a, b, c) GV_BANNED(strncpy)
#undef strncat
#define strncat(a, b, c) GV_BANNED(strncat)
#undef sprintf
#define sprintf(...) GV_BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) GV_BANNED(vsprintf)
#undef strtok
#define strtok(a, b) GV_BANNED(strtok)
#undef atoi
#define atoi(a) GV_BANNED(atoi)
#undef atof
#define atof(a) GV_BANNED(atof)
#undef gets
#define gets(a) GV_BANNED(gets)
