/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a tree of files: GPU code, GPU libraries, packages, compiled artefacts.
 *
 * Each file is read by itself, several at a time, into one struct gv_file with an arena of its reader's; nothing that
 * reads a file sees another one. What needs more than one of them (who needs whom, what a layer of an image hides,
 * whether it all fits a target) is done afterwards, on the whole inventory. Nothing here opens a file. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "core/finding.h"
#include "core/vendors.h"

/* ---- Code for devices ---- */

enum gv_code_kind {
	GV_CODE_ELF,	 /* machine code */
	GV_CODE_PTX,	 /* NVIDIA's virtual instructions: compiled by the driver */
	GV_CODE_LTOIR,	 /* NVIDIA's intermediate code: linked by nvJitLink */
	GV_CODE_BITCODE, /* LLVM */
	GV_CODE_SPIRV,
	GV_CODE_KINDS
};
extern const char *const gv_code_kind_name[]; /* "elf", "ptx", "ltoir", "bitcode", "spirv" */

enum { GV_PACKED_LZ4 = 1, GV_PACKED_ZSTD = 2, GV_PACKED_ZLIB = 4, GV_PACKED_SCRAMBLED = 8 };

/* All code of one file that is alike in its first four members. */
struct gv_code {
	unsigned vendor; /* GV_NVIDIA, ...; 0: of no vendor (SPIR-V) */
	enum gv_code_kind kind;
	gv_str arch;	  /* "sm_90a", "compute_80", "gfx90a:xnack+"; empty where the code is for none */
	gv_str section;	  /* of the host file; empty where there is none, or none is known */
	uint64_t count;	  /* images */
	uint64_t bytes;	  /* as stored */
	unsigned packed;  /* how, as bits */
	unsigned isa;	  /* of PTX: the newest version of the language, 806 for 8.6; 0 unknown */
	unsigned toolkit; /* that made it, the newest, 1204 for 12.4; 0 unknown */
	bool unconfirmed; /* by a layout that is known from a description only */
};

/* ---- What a host file needs ---- */

enum gv_grade {
	GV_LINKED,   /* DT_NEEDED, its own or, through what is in the tree, another's */
	GV_LOADED,   /* by name at run time: dlopen(), ctypes, .note.dlopen */
	GV_FETCHED,  /* by a script at installation */
	GV_DECLARED, /* in the metadata of a package */
	GV_STATIC, /* the runtime itself is linked in: its registration functions are there and no library is needed */
	GV_GRADES
};
extern const char *const gv_grade_name[]; /* "linked", "loaded", "fetched", "declared", "static" */

/* A library or package of a GPU vendor that a file asks for. */
struct gv_dep {
	gv_str name; /* as asked for: "libcudart.so.12", "nvidia-cublas-cu12"; of fetched ones what is fetched */
	unsigned vendor;
	enum gv_grade grade;
	bool optional;	 /* goes on without it: an extra, a marker that does not hold here, "recommended" */
	bool driver;	 /* the vendor's driver brings it: it must not be in here */
	bool through;	 /* linked to by another library of the tree, that this file needs */
	bool by_default; /* declared ones: so is the build that comes where no other index or version is asked for */
	bool by_name;	 /* declared ones: known from name and version; the package itself is not in here */
	gv_str extra;	 /* declared ones: asked for only with one of these extras, "cuda,all" */
	gv_str quote;	 /* a piece of the text that says so; empty for ELF */
	uint32_t line;	 /* of that text; 0: none */
	struct gv_package *of; /* declared and fetched ones: the package that asks, where the file describes several */
	/* Set afterwards, on the whole inventory: */
	struct gv_file *found; /* what provides it, in the tree */
	gv_str via;	       /* the path by which it comes: "app -> fastops 1.2 -> nvidia-cublas-cu12" */
	gv_str change;	       /* the top-level requirement to change; empty where not known */
};

struct gv_elf {
	bool relocatable, executable;
	gv_str soname, interp;
	GV_VEC(gv_str) needed;
	struct gv_file **found; /* for each what the loader takes, set afterwards; NULL inside: not in here */
	GV_VEC(gv_str) paths;	/* of RUNPATH, else RPATH; entries as written ("$ORIGIN/../lib") */
	bool rpath;		/* they are of RPATH */
	bool linking_unknown;	/* the names could not be read: why is in the notes */
	bool registers_cuda, registers_hip; /* __cudaRegisterFatBinary and its like are called or defined */
	uint64_t wrappers;		    /* of containers that .nvFatBinSegment announces */
	uint64_t containers;		    /* that were found in .nv_fatbin and __nv_relfatbin */
	uint64_t hip_wrappers, hip_bundles;
};

/* ---- Packages ---- */

struct gv_require {
	gv_str name;	      /* normalised as its ecosystem does */
	gv_str spec;	      /* ">=2.0,<3"; empty: any */
	gv_str marker, extra; /* asked for only with that extra of the package */
	gv_str extras;	      /* of the other one, that it is asked for with: "cuda12,pip" */
	uint32_t line;
};

enum gv_package_how {
	GV_PACKAGE_HERE,   /* its files are in the tree */
	GV_PACKAGE_LOCKED, /* a lock file names it, exactly */
	GV_PACKAGE_ASKED,  /* a requirements file names it; its version may be open */
};

struct gv_package {
	const char *eco; /* "pypi", "conda", "npm", "deb", "rpm", "apk" */
	enum gv_package_how how;
	gv_str name, version; /* name normalised */
	gv_str local;	      /* of the version behind "+" ("cu124", "cpu"), or a hint of a build string */
	gv_str dir;	      /* below which its files lie, as a path of the inventory; "" where unknown */
	bool listed;	      /* its files are known by name: `files` holds those that matter, which may be none */
	bool top;	      /* asked for by the user, not only by another package, where the metadata says so */
	bool own;	      /* the user's own project: what it asks for is what can be changed */
	bool by_default;      /* `vendor` is that of the build that comes where nothing else is asked for */
	gv_str extras;	      /* it is asked for with, where a user asks: "cuda12,pip" */
	GV_VEC(struct gv_require) requires;
	GV_VEC(gv_str) files; /* its libraries and programs, relative to dir, where the metadata lists them */
	unsigned vendor;      /* whose it is by its name, or by what it declares; 0: none */
	struct gv_file *from; /* the metadata */
	uint32_t line;
};

/* ---- Compiled artefacts: engines and caches ---- */

struct gv_prop {
	const char *key; /* "arch", "device", "driver", "runtime", "tensorrt", "triton", "memory" ... */
	gv_str value;
};

struct gv_artefact {
	const char *kind; /* "tensorrt", "triton", "inductor", "onnxruntime", "miopen" ...: as cachekey --for */
	GV_VEC(struct gv_prop) props; /* what it says it was made for */
	bool unconfirmed;
};

/* ---- Images of containers ---- */

/* What a document of an image says; image.c puts them together. */
enum gv_oci_kind {
	GV_OCI_INDEX,
	GV_OCI_MANIFEST,
	GV_OCI_DOCKER, /* an entry of docker save's manifest.json */
	GV_OCI_CONFIG
};

struct gv_oci_ref {
	gv_str target;		  /* "sha256:...", or a path beside the document */
	gv_str type;		  /* of its media */
	gv_str name;		  /* a tag */
	gv_str os, arch, variant; /* a platform */
};

struct gv_oci {
	enum gv_oci_kind kind;
	GV_VEC(struct gv_oci_ref) refs; /* manifests, or layers from the lowest on */
	gv_str config;
	gv_str os, arch, variant;
	gv_str name;
	GV_VEC(gv_str) env, labels; /* of the configuration: those that concern GPUs, "NAME=value" */
};

/* An archive that is, by its name, a layer: what its members do to those of layers below. */
struct gv_image_layer {
	gv_str path;
	uint64_t size;	 /* UINT64_MAX: not known */
	bool opened;	 /* it is an archive */
	bool full;	 /* not all members are known */
	uint64_t *names; /* of its members, as hashes (image_layer.c); freed when the images are put together */
	size_t n, cap;
	struct gv_image *first; /* of the images that it is in */
	uint32_t place;		/* in the image at hand, from 1; 0: not in it */
};

struct gv_link {
	gv_str path, target; /* as written; of hard ones the path of the file, below the root of the archive */
	bool hard;
	struct gv_image_layer *layer; /* that it is in; NULL: none */
	uint64_t images;	      /* as of struct gv_file */
};

struct gv_image_place {
	gv_str path;		      /* where it lies */
	struct gv_image_layer *layer; /* NULL: not in here */
};

struct gv_image {
	gv_str base;	       /* the folder or archive that it is in: what stands in front of "blobs/" */
	gv_str root;	       /* what paths of its files begin with; empty, or with "!" at its end */
	gv_str name, platform; /* "app:1.2", "linux/arm64/v8"; empty where not said */
	GV_VEC(struct gv_image_place) layers; /* from the lowest on */
	struct gv_file *config;		      /* NULL: not in here */
	const struct gv_oci *says;	      /* what is in it */
};
#define GV_IMAGES_MAX 64

/* ---- Files ---- */

#define GV_READERS 4

struct gv_not_read {
	gv_str path, why;
};

struct gv_file {
	gv_str path; /* below the PATH given, in front of which is nothing; "a.whl!x/y.so" inside archives */
	uint64_t size;
	const char *type;   /* "elf", "static archive", "archive", "script", "metadata", ...; NULL: data */
	struct gv_elf *elf; /* NULL: no ELF file of a host */
	GV_VEC(struct gv_code) code;
	GV_VEC(struct gv_dep) deps;
	GV_VEC(struct gv_package *) packages; /* that it describes */
	GV_VEC(struct gv_artefact) artefacts;
	GV_VEC(gv_str) notes; /* what could not be read of it, and why: one line each */
	GV_VEC(struct gv_oci *) oci;
	GV_VEC(gv_str) search;		 /* of the loader's configuration: folders */
	struct gv_image_layer *in_layer; /* that it was read from; NULL: none */
	/* Set afterwards: */
	/* of an image: where it lies ("app.tar!blobs/sha256/..!usr/lib/x.so"); path is then below the image's root */
	gv_str stored;
	uint64_t images; /* in which it is seen: a bit each of gv_inventory.images; 0: in none, or it is in no image */
	struct gv_package *package; /* that it belongs to */
	unsigned provides;	    /* vendor of the GPU library that it is; 0: none */
	bool driver;		    /* it is a library that the driver brings */
	unsigned root;		    /* the PATH below which it was found, from 0 */
	int layer;		    /* of an image, from 1; 0: none */
	bool hidden;		    /* a later layer removes or covers it: shipped, not visible */
	gv_str hidden_by;
};

/* ---- What is wrong with it ---- */

/* Where text stands that shows it. */
struct gv_shown_by {
	gv_str file, text;
	uint32_t line; /* 0: of no text */
};

struct gv_judgement {
	enum gv_kind kind;
	enum gv_severity severity;
	enum gv_confidence confidence;
	gv_str target; /* empty: whatever the target */
	unsigned root; /* the PATH that it is about, from 0 */
	gv_str part;   /* the package or file that it is about */
	GV_VEC(struct gv_shown_by) quotes;
	gv_str summary, cause, action, avoid; /* as the page of the kind says */
};

struct gv_judged; /* target.h */

struct gv_inventory {
	struct gv_arena *arena;
	struct gv_arena *readers[GV_READERS];	/* hold the files; NULL behind the last */
	GV_VEC(struct gv_file *) files;		/* of which there is something to say, by path */
	GV_VEC(struct gv_package *) packages;	/* of all files */
	GV_VEC(struct gv_image_layer *) layers; /* by path */
	GV_VEC(struct gv_link) links;		/* by path; of images those that are seen, as their files are */
	GV_VEC(struct gv_image *) images;
	uint64_t seen, bytes; /* files looked at, and what they hold */
	uint64_t skipped;     /* of these: weights, pictures and the like, in which nothing is looked for */
	GV_VEC(struct gv_not_read) unread;
	GV_VEC(gv_str) roots; /* PATHs as given */
	GV_VEC(struct gv_judged *) targets;
	GV_VEC(struct gv_judgement) findings;
	const struct gv_policy_result *policy; /* NULL: none was asked for */
	int (*stopped)(void); /* NULL: by nothing; otherwise what takes long asks it now and then */
};

/* A file of a package's own tests: what code is in it the package never runs. */
bool gv_file_is_of_tests(const struct gv_file *f);
/* Bitcode, and PTX beside the program, are for whoever compiles them: they do not say that the package is built for that
 * vendor. */
bool gv_code_is_material(const struct gv_file *f, const struct gv_code *c);
/* Whether anything is to be said of it. */
bool gv_file_matters(const struct gv_file *f);

/* ---- For those who read files ---- */

/* A file as its readers get it. */
struct gv_item {
	gv_str path;   /* as in struct gv_file */
	gv_str name;   /* its last part */
	gv_str head;   /* its first bytes, up to 4096 */
	uint64_t size; /* UINT64_MAX: not known yet */
};

/* What reads one file. Names and texts that stay go into the arena. */
struct gv_inspect {
	struct gv_arena *arena;
	struct gv_file *file;
	const struct gv_item *item;
	/* The beginning of a zstd or zlib stream, unpacked: how many bytes, or -errno. NULL: cannot be done here. */
	ssize_t (*unpack)(gv_str packed, char *p, size_t n);
	size_t nrequires, nowned; /* kept so far, of all packages: see inspect/common_package.h */
};

/* A document: metadata of a package, a lock file, a script. One file inspect/<name>.c, one line in inspect.def. */
struct gv_document {
	const char *type; /* of the file then */
	/* By name, folder and first bytes; cheap: asked of every file there is. */
	bool (*claim)(const struct gv_item *it);
	/* All of it, as text or bytes: at most GV_DOCUMENT_MAX. */
	void (*read)(struct gv_inspect *x, gv_str bytes);
	bool scan;   /* GPU code and names of libraries are looked for in it, too */
	bool begins; /* all that is read is in its first GV_DOCUMENT_MAX bytes: it may be larger */
	bool head;   /* read() gets its first bytes alone, and it may be of any size. It is looked through, too */
};
#define GV_DOCUMENT_MAX ((size_t)32 << 20)
/* The document that claims it; NULL: none does. */
const struct gv_document *gv_document_of(const struct gv_item *it);

/* Weights of models, pictures, sounds, films: known by their first bytes (and their name, where those alone say too
 * little). They are not searched. */
bool gv_is_payload(const struct gv_item *it);

struct gv_dep *gv_add_dep(struct gv_inspect *x, enum gv_grade grade, gv_str name, unsigned vendor);
struct gv_package *gv_add_package(struct gv_inspect *x, const char *eco, gv_str name, gv_str version);
/* Sets vendor by name and local version: again where `local` was learnt later. */
void gv_package_judge(struct gv_package *p);
struct gv_artefact *gv_add_artefact(struct gv_inspect *x, const char *kind);
void gv_add_prop(struct gv_inspect *x, struct gv_artefact *a, const char *key, gv_str value);
void gv_file_note(struct gv_inspect *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- Paths of files: parts stand between "/", and between "!" where an archive is opened ---- */

gv_str gv_file_name(gv_str path); /* its last part */
/* The folder above `n` parts of the path: "a/b!c/d", 2 -> "a/b". Members of an archive lie in it. */
gv_str gv_folder_above(gv_str path, unsigned n);

/* ---- Names (inspect/names.c, inspect/names_packages.c; data/gpu-libraries.tsv, data/gpu-packages.tsv) ---- */

/* A library by its name or SONAME, with or without a version and auditwheel's hash. 0: no GPU library. */
unsigned gv_library_vendor(gv_str name, bool *ret_driver);
/* Digits as of hashes, in lower case. */
bool gv_is_hex(gv_str s);
/* "libcudart-1a2b3c4d.so.12.4" -> "libcudart.so.12.4" */
gv_str gv_without_hash(struct gv_arena *a, gv_str name);
/* A package by its normalised name (and local version): whose it is, as bits. 0: nobody's, as far as its name says. */
unsigned gv_package_vendor(const char *eco, gv_str name, gv_str local);

/* Where something stands in the stack. */
enum gv_layer {
	GV_LAYER_DRIVER,
	GV_LAYER_RUNTIME,
	GV_LAYER_TOOLKIT, /* compilers and what they link in */
	GV_LAYER_LIBRARY,
	GV_LAYER_FRAMEWORK,
	GV_LAYER_TOOL, /* asks the driver and holds no code for GPUs */
	GV_LAYER_CODE, /* code for GPUs, wherever it stands */
	GV_LAYERS
};
extern const char *const gv_layer_name[]; /* "driver", "runtime", ... */
/* GV_LAYERS: of none, or unknown. */
enum gv_layer gv_layer_of(gv_str word);
enum gv_layer gv_library_layer(gv_str name);

/* All that its name and local version (or a build string) say; false: nothing. `toolkit` is a view of an argument. */
struct gv_by_name {
	unsigned vendor;     /* 0: none, or not by the name alone */
	enum gv_layer layer; /* GV_LAYERS: not known */
	gv_str toolkit;	     /* "cu124", "cu12", "cuda12x", "rocm6.1": of the local version, else the name */
	bool by_default;     /* so is the build that comes where nothing else is asked for; an index may have another */
	bool by_local;	     /* its local version tells which build it is */
	bool brings;	     /* libraries of its vendor are in it */
	bool known;	     /* a row tells of it, and not by a guess */
};
bool gv_package_by_name(const char *eco, gv_str name, gv_str local, struct gv_by_name *ret);
/* Vendors that the extras "cuda12,pip" speak of. */
unsigned gv_extras_vendor(gv_str extras);
/* Of what is asked for: by the table of packages where a package declares it, else by that of libraries. */
enum gv_layer gv_dep_layer(const struct gv_dep *d, const struct gv_package *by);
