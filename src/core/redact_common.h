/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the redactor share. Nobody else includes this.
 *
 * A document is gone through twice: first to learn names and to reserve what looks like a pseudonym already (out is
 * NULL then), then to write. Both times the same code runs. Line by line: line.c finds names by the form of the line
 * (prompts, log prefixes, rows of tables) and marks them as spans; scan.c goes through the line once from left to right
 * and asks the others about each word and each '=' or ':'. Every step either consumes what it looked at or looks at no
 * more than a fixed number of bytes. */
#pragma once

#include "base/map.h"
#include "core/redact.h"

#define GV_RD_NAME 253	  /* bytes of the longest name */
#define GV_RD_VALUE 65536 /* bytes of a value up to its closing quote */
#define GV_RD_SPANS 32

/* A known name. */
struct gv_rd_word {
	gv_str name;
	uint8_t what;
	bool everywhere; /* a word of its own, not one that an output may use */
};

struct gv_rd_numbers {
	struct gv_map of;     /* value -> its number + 1 */
	uint64_t taken[1025]; /* bits: numbers that stand in the texts already */
	uint32_t last;	      /* the last number that was given */
};

/* Columns of a table that was begun by a header line. */
enum gv_rd_column { GV_RD_OFFSET, GV_RD_WORD, GV_RD_LAST, GV_RD_BEFORE_PID, GV_RD_AFTER_PID };
struct gv_rd_table {
	struct {
		uint8_t how, what;
		uint32_t at;
	} col[4];
	size_t n;
};

/* What lines say about those that follow. */
struct gv_rd_doc {
	struct gv_rd_table table;
	bool nul;	  /* NUL separates things, as in /proc/PID/environ */
	bool assigns;	  /* the line before was NAME=value */
	bool again;	  /* holds pseudonyms: was redacted before */
	bool kind_secret; /* a Kubernetes Secret is in it */
	bool hostname;	  /* the next line is what `hostname` printed */
	unsigned pending; /* lines for which `value:` is that of a secret name */
	ptrdiff_t block;  /* indent of the key whose block scalar is a secret; -1 */
	ptrdiff_t data;	  /* indent of the `data:` of a Secret; -1 */
	unsigned pem;	  /* lines of a PEM block that may follow */
	uint32_t pem_no;
	unsigned netrc; /* lines that belong to a `machine` of .netrc */
};

/* Keys come again and again. */
struct gv_rd_key_seen {
	char key[24];
	uint8_t n, is;
};

struct gv_redactor {
	struct gv_arena *arena;
	struct gv_map words; /* lower case name -> struct gv_rd_word */
	uint64_t first[256]; /* filter: hashes of the first parts of names */
	size_t ndomains;
	struct gv_map lists;   /* word -> the lists that it is in */
	uint64_t lengths[256]; /* by first characters: lengths of words in lists */
	struct gv_rd_numbers no[GV_SECRETS];
	size_t values; /* in all tables, see GV_SECRETS_MAX */
	size_t count[GV_SECRETS];
	struct gv_map eui, mac;				  /* bytes -> number */
	struct gv_map tree, kids, addr, issued, reserved; /* see redact_addr.c */
	struct gv_map uuid_head;			  /* first eight digits -> number */
	/* by a first character: the first phrase, token and program that begin with it, + 1 */
	uint8_t phrase[256], token[256], program[256];
	gv_str home[64];
	size_t nhomes;
	struct gv_map learned; /* documents that were learned from: 1, or 2 where they hold pseudonyms */
	struct gv_rd_key_seen seen[256];
	struct gv_rd_doc doc;
};

struct gv_rd_span {
	size_t from, to;
	uint8_t what;
};

/* One line on its way. */
struct gv_rd_scan {
	struct gv_redactor *r;
	gv_str s;
	gv_str next_line;
	size_t i;	    /* where we are */
	size_t kept;	    /* what is before this was written */
	struct gv_buf *out; /* NULL: learning */
	struct gv_rd_span span[GV_RD_SPANS];
	size_t nspans, at_span;
	bool filename, has_at, auth, secret_data;
	int guid;     /* the line speaks of GUIDs: -1 not yet known */
	uint8_t prog; /* a program whose options hold passwords */
};

/* bytes: what they are; a joint is '-', '_' or '.' */
enum { GV_C_ALNUM = 1, GV_C_HEX = 2, GV_C_DIGIT = 4, GV_C_BLANK = 8, GV_C_ALPHA = 16, GV_C_JOINT = 32 };
extern const uint8_t gv_rd_class[256];
static inline bool gv_rd_is(char c, unsigned what)
{
	return gv_rd_class[(unsigned char)c] & what;
}
static inline char gv_rd_at(gv_str s, size_t i)
{
	return i < s.n ? s.p[i] : '\0';
}
static inline char gv_rd_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static inline bool gv_rd_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* lists.c */
enum gv_rd_list {
	GV_L_VOCABULARY = 1 << 0,
	GV_L_STRONG = 1 << 1,
	GV_L_WEAK = 1 << 2,
	GV_L_KEY_KIND = 1 << 3,
	GV_L_ABOUT = 1 << 4,
	GV_L_K_USER = 1 << 5,
	GV_L_K_HOST = 1 << 6,
	GV_L_K_HOST_WEAK = 1 << 7,
	GV_L_K_SERIAL = 1 << 8,
	GV_L_K_UUID = 1 << 9,
	GV_L_K_HEADER = 1 << 10,
	GV_L_ACCOUNT = 1 << 11,
	GV_L_NOT_HOST = 1 << 12,
	GV_L_PUBLIC = 1 << 13,
	GV_L_HOME_NAME = 1 << 14,
	GV_L_ENDING = 1 << 15,
	GV_L_SCHEME = 1 << 16,
	GV_L_PLACEHOLDER = 1 << 17,
	GV_L_LOGIN_TAG = 1 << 18,
	GV_L_CRON = 1 << 19,
	GV_L_LEVEL = 1 << 20,
	GV_L_DAY = 1 << 21,
	GV_L_MONTH = 1 << 22,
	GV_L_VERSION = 1 << 23,
	GV_L_BEFORE_ADDRESS = 1 << 24,
	GV_L_NOT_USER_NAME = 1 << 25,
	GV_L_DEVICE = 1 << 26,
	GV_L_PART = 1 << 27,
	GV_L_NO_HOST_SCHEME = 1 << 28,
	GV_L_UNIT = 1 << 29,
	GV_L_LOOSE_HOST_KEY = 1 << 30,
};
void gv_rd_lists_init(struct gv_redactor *r);
bool gv_rd_in(const struct gv_redactor *r, gv_str w, uint32_t list); /* case does not matter */
uint32_t gv_rd_lists_of(const struct gv_redactor *r, gv_str lower);

/* names.c */
bool gv_rd_pseudonym(enum gv_secret what, gv_str s); /* "host-12" */
void gv_rd_reserve(struct gv_redactor *r, enum gv_secret what, uint32_t no);
/* The number of a value, from 1; 0 where the tables are full. */
uint32_t gv_rd_number(struct gv_redactor *r, enum gv_secret what, gv_str key);
/* Counts and returns a number in a map of bytes that belongs to a category. */
uint32_t gv_rd_number_in(struct gv_redactor *r, struct gv_map *m, enum gv_secret what, gv_str key);
void gv_rd_learn(struct gv_redactor *r, enum gv_secret what, gv_str name);
bool gv_rd_host_ok(const struct gv_redactor *r, gv_str s); /* can be the name of a host that is worth a pseudonym */
bool gv_rd_device_like(const struct gv_redactor *r, gv_str s);
bool gv_rd_account(const struct gv_redactor *r, gv_str s); /* an account that every system may have */
bool gv_rd_telling(const struct gv_redactor *r, gv_str s); /* more than a word: "gpu07", "a-b", "a.b" */
bool gv_rd_user_ok(const struct gv_redactor *r, gv_str s);
bool gv_rd_public(const struct gv_redactor *r, gv_str host); /* belongs to a service that everybody knows */
void gv_rd_put_number(struct gv_buf *out, uint32_t n);
void gv_rd_put_name(struct gv_redactor *r, enum gv_secret what, gv_str name, struct gv_buf *out);
/* The known name that begins at i; returns its length, 0 where there is none. */
size_t gv_rd_known(const struct gv_rd_scan *sc, size_t i, enum gv_secret *ret_what);

/* addr.c: the length of what begins at i, 0 where nothing does; writes its pseudonym where out is set */
size_t gv_rd_ipv4(struct gv_rd_scan *sc, size_t i);
size_t gv_rd_ipv6(struct gv_rd_scan *sc, size_t i);
/* hw.c */
size_t gv_rd_mac(struct gv_rd_scan *sc, size_t i);
size_t gv_rd_bare_mac(struct gv_rd_scan *sc, size_t i); /* twelve digits */
size_t gv_rd_guid(struct gv_rd_scan *sc, size_t i);
size_t gv_rd_uuid(struct gv_rd_scan *sc, size_t i);
void gv_rd_map_eui(struct gv_redactor *r, const uint8_t in[8], uint8_t ret[8], bool learn);
bool gv_rd_put_hex32(struct gv_redactor *r, gv_str value, struct gv_buf *out); /* a UUID without dashes */
bool gv_rd_fresh_bytes(struct gv_redactor *r, struct gv_map *m, const void *key,
		       size_t n); /* puts it in; true where it was not there */

/* line.c */
void gv_rd_line(struct gv_rd_scan *sc);
void gv_rd_files(struct gv_rd_scan *sc, gv_str text); /* files.c; text: the line without log prefixes */
void gv_rd_phrases_init(uint8_t *first);
bool gv_rd_phrase(struct gv_rd_scan *sc, size_t i);

/* key.c: at '=' or ':' at i; true where a value was dealt with and sc->i moved */
bool gv_rd_separator(struct gv_rd_scan *sc, size_t i);
bool gv_rd_is_assignment(gv_str line);		    /* NAME=... */
bool gv_rd_option(struct gv_rd_scan *sc, size_t i); /* "--password x" */
enum gv_rd_key {
	GV_KEY_NONE,
	GV_KEY_SECRET,
	GV_KEY_WEAK,
	GV_KEY_HEADER,
	GV_KEY_USER,
	GV_KEY_HOST,
	GV_KEY_HOST_WEAK,
	GV_KEY_SERIAL,
	GV_KEY_UUID,
	GV_KEY_GUID,
	GV_KEY_NAME,
	GV_KEY_VALUE,
	GV_KEY_MAC
};
enum gv_rd_key gv_rd_key_of(struct gv_redactor *r, gv_str key);
bool gv_rd_placeholder(const struct gv_redactor *r, gv_str value);

/* token.c */
void gv_rd_tokens_init(struct gv_redactor *r);
size_t gv_rd_token(struct gv_rd_scan *sc, size_t i);
bool gv_rd_url(struct gv_rd_scan *sc, size_t i);
size_t gv_rd_login(struct gv_rd_scan *sc, size_t i);
size_t gv_rd_email(struct gv_rd_scan *sc, size_t i);
bool gv_rd_program(struct gv_rd_scan *sc, size_t i, size_t n);
bool gv_rd_short_option(struct gv_rd_scan *sc, size_t i);

/* path.c */
bool gv_rd_home(struct gv_rd_scan *sc, size_t i);

/* scan.c */
void gv_rd_scan(struct gv_rd_scan *sc);
void gv_rd_mark(struct gv_rd_scan *sc, gv_str part, enum gv_secret what); /* part: a view into sc->s */
void gv_rd_flush(struct gv_rd_scan *sc, size_t upto);
/* [from, to) is replaced by its pseudonym; goes on at `to`. */
void gv_rd_replace(struct gv_rd_scan *sc, size_t from, size_t to, enum gv_secret what);
