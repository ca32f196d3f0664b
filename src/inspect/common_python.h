/* SPDX-License-Identifier: Apache-2.0 */
/* What documents of Python packages have in common: names, requirements, markers, and how they become dependencies. */
#pragma once

#include "inspect/inventory.h"

#define GV_PY_REQUIRES_MAX 4096	 /* of one package */
#define GV_PY_PACKAGES_MAX 20000 /* of one file */
#define GV_PY_EXTRAS_LEN 256	 /* of a list of extras: longer ones are not added to */

/* "Nvidia_cuBLAS.cu12" -> "nvidia-cublas-cu12"; a name that is none, or longer than 128 bytes: empty. */
gv_str gv_py_name(struct gv_arena *a, gv_str name);

/* Whether a marker holds on Linux with CPython; the machine and the version are not known. */
enum gv_holds { GV_HOLDS_NOT, GV_HOLDS_MAYBE, GV_HOLDS };
/* *ret_extra: the extras with which alone it would ("cuda,all"), in the arena; empty where it needs none, or none would
 * help. */
enum gv_holds gv_py_marker(struct gv_arena *a, gv_str marker, gv_str *ret_extra);

/* A requirement: "fastops[gpu] (>=1.0) ; python_version > '3.8'", "x @ URL". Views of the text, the name normalised in
 * the arena. */
struct gv_py_want {
	gv_str name, extras, spec, url, marker;
	gv_str version; /* of "==1.2" alone, and of the wheel that an URL ends in; empty: open */
	gv_str local;	/* of that version, or of the index that the URL is below */
};
bool gv_py_want(struct gv_arena *a, gv_str text, struct gv_py_want *ret);

/* "cu124" of "https://server/whl/cu124/": which build an index has; empty: it does not say. */
gv_str gv_py_index_local(gv_str url);
/* Version and local version of a wheel's name: "torch-2.4.0%2Bcu124-cp311-cp311-linux_x86_64.whl". */
gv_str gv_py_wheel_version(struct gv_arena *a, gv_str url);

/* The package that this file describes, of a folder NAME-VERSION.dist-info or NAME.egg-info; NULL: it is in none, and
 * `name` is empty. */
struct gv_package *gv_py_dist_package(struct gv_inspect *x, gv_str name, gv_str version);
bool gv_py_in_dist(const struct gv_item *it); /* whether the file lies in a folder of that kind */

/* Told requirements of one package, each once. */
struct gv_py_asks {
	struct gv_inspect *x;
	struct gv_package *p;
	struct gv_map at; /* name -> number of its dependency + 1 */
	bool no_deps;	  /* requirements only: each package of a list is told by itself */
	bool told;	  /* that there are more than are kept */
};
struct gv_py_asks gv_py_asks(struct gv_inspect *x, struct gv_package *p);
/* No more are kept, which is told once: do not even read them. */
bool gv_py_full(struct gv_py_asks *k);
/* `extra`: of p, under which it stands ("" none; markers may name more). Adds the requirement and, where the name is
 * that of a GPU package, the dependency. */
void gv_py_ask(struct gv_py_asks *k, const struct gv_py_want *w, gv_str extra, gv_str quote, uint32_t line);
/* From a text that may be a requirement. */
void gv_py_ask_text(struct gv_py_asks *k, gv_str text, gv_str extra, gv_str quote, uint32_t line);
/* The dependency that a package of a lock file or a list of requirements is by itself, where its name is a GPU
 * package's; else NULL. */
struct gv_dep *gv_py_name_dep(struct gv_inspect *x, struct gv_package *p, gv_str quote);

/* A package of a list; NULL where the name is none, or the list longer than what is kept. */
struct gv_package *gv_py_listed(struct gv_inspect *x, enum gv_package_how how, gv_str name, gv_str version,
				uint32_t line);
/* The index that it comes from has such builds: counts where its version does not say, and its name is one that has
 * several. */
void gv_py_from_index(struct gv_inspect *x, struct gv_package *p, gv_str local);
/* A build that only may be a vendor's is one where it needs packages of that vendor. */
void gv_py_shown_by_needs(struct gv_package *p);
/* The user's project in the folder of this file. */
struct gv_package *gv_py_project(struct gv_inspect *x, gv_str name, gv_str version);
