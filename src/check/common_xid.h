/* SPDX-License-Identifier: Apache-2.0 */
/* What an Xid's line says beyond its code: link, unit, side, what the driver wants. */
#pragma once

#include "check/common.h"

enum gv_suspect { GV_SUSPECT_UNKNOWN, GV_SUSPECT_HERE, GV_SUSPECT_PEER, GV_SUSPECT_BETWEEN, GV_SUSPECT_SOFTWARE };

struct gv_xid_said {
	int code;
	int previous; /* "caused by previous Xid 149"; -1 where the line does not say so */
	/* 74, 144 to 150 */
	int link;     /* -1: none, or of no link in particular */
	gv_str unit;  /* "NETIR_LINK_EVT" */
	bool decoded; /* the words were found in the tables: the next four are theirs */
	enum gv_severity severity;
	enum gv_suspect suspect; /* whom they make suspect */
	gv_str meaning;		 /* "ECC/parity in the link block" */
	gv_str action;		 /* "check connection, reseat, run diag" */
	bool fatal, nonfatal;	 /* the word in the line */
	/* 94, 95 */
	bool contained, uncontained;
	bool reset_told, reset, drain; /* the line has RST: and D-RST:, and what they are */
	gv_str where;		       /* "CE User Channel (0x9)", "HBM", "LTC TAG (0x2, 0x1)" */
	/* 119 */
	gv_str seconds;	 /* "6" */
	gv_str function; /* "GSP_RM_ALLOC", else the number */
	/* 154 */
	int wants; /* number of the action that the driver wants now; -1 where none is said */
	gv_str wants_text;
};

/* `said` is what follows the code and the process, or the whole line. Fields that the code does not have stay empty. */
void gv_xid_said(int code, gv_str said, struct gv_xid_said *ret);
/* It in a few words for a finding's text: "link 14: marginal signal on the channel; suspect: the connection"; empty
 * where there is nothing to add to the code's name. */
gv_str gv_xid_words(struct gv_arena *a, const struct gv_xid_said *s);
