/* SPDX-License-Identifier: Apache-2.0 */
/* Redaction: takes what names people, machines and places, and all that opens a door, out of documents. Each such value
 * becomes a pseudonym of the same shape ("host-3", 10.65.1.7), the same one in all documents that one redactor sees;
 * what a diagnosis rests on stays as it is. docs/redaction.md says what is replaced by what, and what is not found. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

enum gv_secret {
	GV_SECRET_HOST,
	GV_SECRET_DOMAIN,
	GV_SECRET_USER,
	GV_SECRET_PATH, /* what lies below a home folder */
	GV_SECRET_ADDRESS,
	GV_SECRET_MAC, /* Ethernet and InfiniBand hardware addresses, GUIDs of ports and nodes */
	GV_SECRET_SERIAL,
	GV_SECRET_UUID,
	GV_SECRET_TOKEN, /* passwords, keys, tokens */
	GV_SECRETS
};

/* Values that one redactor tells apart; those beyond share a pseudonym per category that ends in 0. */
#define GV_SECRETS_MAX 65536

struct gv_redactor;

struct gv_redactor *gv_redactor_new(struct gv_arena *a);

/* What the caller knows of its machine: a host by its short or full name, a domain, a user, a serial number, a home
 * folder that is not below /home (as PATH). It is replaced as a whole word wherever it stands, unless it is a word of
 * the field ("data", "gpu0"): then where the place says that it is a name. */
void gv_redact_know(struct gv_redactor *r, enum gv_secret what, gv_str value);

/* Looks for names in a document without writing it. A name that only one document gives away ("Hostname: x") is then
 * replaced in all that are redacted after this. gv_redact() does it for its own document. */
void gv_redact_learn(struct gv_redactor *r, gv_str name, gv_str text);

/* Appends the document to out: decoded as readers decode it, without colour codes and backspaces, with as many lines.
 * `name` is its name; it may be empty. False where the bytes are binary (as gv_to_utf8() has it): what can be read in
 * them is redacted nevertheless, but what is packed or encoded in them cannot be seen; better leave such a document
 * out. */
bool gv_redact(struct gv_redactor *r, gv_str name, gv_str text, struct gv_buf *out);

/* A document's name or path: hosts, users, addresses and what is below homes. */
gv_str gv_redact_name(struct gv_redactor *r, gv_str name);

/* How many different values were replaced so far. */
size_t gv_redact_count(const struct gv_redactor *r, enum gv_secret what);
/* "3 hosts, 2 users, 14 addresses"; "nothing" where nothing was replaced. */
gv_str gv_redact_summary(const struct gv_redactor *r, struct gv_arena *a);
