/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/dl.h"

#include <dlfcn.h>
#include <errno.h>

int gv_dl_load(const char *soname, const char *const *names, void **ret_fns, size_t n, const char **ret_why)
{
	void *lib = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	if (!lib) {
		*ret_why = dlerror();
		return -ENOENT;
	}
	for (size_t i = 0; i < n; i++)
		ret_fns[i] = dlsym(lib, names[i]);
	return 0;
}
