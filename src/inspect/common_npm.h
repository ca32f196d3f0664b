/* SPDX-License-Identifier: Apache-2.0 */
/* What package.json and the lock files of npm, Yarn and pnpm have in common. */
#pragma once

#include "inspect/common_package.h"

/* "foo" and "npm:bar@^1.0" is bar, of that version. */
struct gv_dep *gv_npm_require(struct gv_inspect *x, struct gv_package *p, gv_str name, gv_str spec, bool optional,
			      uint32_t line);
/* A project's own requirement. */
void gv_npm_wish(struct gv_inspect *x, gv_str name, gv_str spec, uint32_t line);
struct gv_package *gv_npm_locked(struct gv_inspect *x, gv_str name, gv_str version, uint32_t line);
/* At the end of a lock file that does not say which packages run scripts: those that are known to download may do so.
 */
void gv_npm_end(struct gv_inspect *x);
/* "@scope/a@1.2.3" -> "@scope/a"; the rest behind the at sign. */
gv_str gv_npm_name(gv_str text, gv_str *ret_version);
/* A text of YAML or yarn.lock without its quotation marks and the colon or comma behind it. */
gv_str gv_npm_unquoted(gv_str s);
