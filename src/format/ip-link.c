/* SPDX-License-Identifier: Apache-2.0 */
/* ip link, ip -s link, ip -s -s link, ip address, and their brief form (-br): one entry an interface.
 *
 * Sources: iproute2, ip/ipaddress.c. Up to 5.8 the fourth receive column but one was `overrun`; since then it is
 * `missed`, so counters are taken by the words of the RX and TX lines, never by place. */
#include "format/common.h"

/* "2: eth0@if3: <UP,LOWER_UP> mtu 1500 ..." */
static bool head_line(gv_str s, gv_str *ret_name, gv_str *ret_flags, gv_str *ret_rest)
{
	gv_str t = gv_trim(s), name, flags, num;
	ptrdiff_t at = gv_find(t, ": ");
	uint64_t index;

	if (at <= 0 || at > 8)
		return false;
	num = gv_sub(t, 0, (size_t)at);
	if (!gv_to_u64(num, &index))
		return false;
	t = gv_trim(gv_from(t, (size_t)at + 2));
	at = gv_find(t, ": <");
	if (at <= 0 || at > 64)
		return false;
	name = gv_before(gv_sub(t, 0, (size_t)at), "@");
	if (name.n == 0 || gv_find_c(name, ' ') >= 0)
		return false;
	flags = gv_between(gv_from(t, (size_t)at), "<", ">");
	if (!flags.p)
		return false;
	*ret_name = name;
	*ret_flags = flags;
	*ret_rest = gv_after(t, ">");
	return true;
}

/* "eth0  UP  02:00:00:00:00:01 <BROADCAST,UP,LOWER_UP>" */
static bool brief_line(gv_str s, gv_str *ret_name, gv_str *ret_state, gv_str *ret_flags)
{
	static const char *const states[] = { "UP", "DOWN", "UNKNOWN", "LOWERLAYERDOWN", "DORMANT", "TESTING" };
	gv_str rest = s, name, state, tail;

	if (!gv_word(&rest, &name) || !gv_word(&rest, &state))
		return false;
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		if (!gv_is(state, states[i]))
			continue;
		tail = gv_trim(rest);
		if (!gv_ends(tail, ">") || gv_find_c(tail, '<') < 0)
			return false;
		*ret_name = gv_before(name, "@");
		*ret_state = state;
		*ret_flags = gv_between(tail, "<", ">");
		return true;
	}
	return false;
}

/* Lines below the first one of an interface; squeezed pastes have lost the indent that usually marks them. */
static bool detail_line(gv_str s)
{
	static const char *const words[] = { "link/",	    "RX:",    "TX:",	  "RX errors:", "TX errors:",
					     "inet ",	    "inet6 ", "altname ", "alias ",	"valid_lft ",
					     "bond_slave ", "bond ",  "vf ",	  "bridge " };
	gv_str t = gv_trim(s);

	if (gv_indent(s) > 0 && t.n > 0)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (gv_starts(t, words[i]))
			return true;
	return false;
}

static bool counter_line(gv_str s)
{
	gv_str word, rest = s;
	double v;

	return gv_word(&rest, &word) && gv_lead_num(word, &v, &word) && word.n <= 1 && gv_word(&rest, &word) &&
	       gv_lead_num(word, &v, &word);
}

static bool is_counters_head(gv_str s)
{
	gv_str t = gv_trim(s);

	return (gv_starts(t, "RX:") || gv_starts(t, "TX:")) && gv_has(t, "bytes") && gv_has(t, "packets");
}

static size_t ip_link_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str a, b, c;
	size_t i, end = 0;

	(void)seg;
	if (brief_line(l[0].text, &a, &b, &c)) {
		for (i = 1; i < n && brief_line(l[i].text, &a, &b, &c); i++)
			;
		return i;
	}
	if (!head_line(l[0].text, &a, &b, &c))
		return 0;
	for (i = 0; i < n; i++) {
		gv_str s = l[i].text;

		if (gv_blank_line(&l[i]))
			continue;
		if (!head_line(s, &a, &b, &c) && !detail_line(s) && !counter_line(s))
			break;
		end = i + 1;
	}
	return end;
}

static void put_flags(struct gv_read *r, struct gv_entity *nic, gv_str flags, const struct gv_line *l)
{
	gv_str rest = flags, one;
	bool up = false, lower = false, none = false;

	gv_put_str(r, nic, GV_F_NIC_FLAGS, flags, l);
	while (gv_next(&rest, ',', &one)) {
		up |= gv_is(one, "UP");
		lower |= gv_is(one, "LOWER_UP");
		none |= gv_is(one, "NO-CARRIER");
	}
	/* Without UP nobody has asked for a carrier: its absence means nothing. */
	if (lower || (up && none))
		gv_put_flag(r, nic, GV_F_NIC_LINK, lower, l);
}

static gv_str word_after(gv_str s, const char *key)
{
	gv_str word;

	while (gv_word(&s, &word))
		if (gv_is(word, key))
			return gv_word(&s, &word) ? word : GV_NONE;
	return GV_NONE;
}

static struct gv_entity *see_nic(struct gv_read *r, const struct gv_line *l)
{
	gv_str name, flags, rest, cell;
	struct gv_entity *nic;
	double mtu;

	if (!head_line(l->text, &name, &flags, &rest))
		return NULL;
	nic = gv_see(r, GV_NIC, name);
	put_flags(r, nic, flags, l);
	cell = word_after(rest, "mtu");
	if (gv_to_num(cell, &mtu))
		gv_put_num(r, nic, GV_F_NIC_MTU, mtu, l);
	cell = word_after(rest, "state");
	if (cell.n)
		gv_put_str(r, nic, GV_F_NIC_STATE, cell, l);
	return nic;
}

/* -h prints 1.23G (powers of 1000). */
static bool counter_of(gv_str cell, double *ret)
{
	gv_str rest;
	double v;

	if (!gv_lead_num(cell, &v, &rest) || v < 0)
		return false;
	if (rest.n) {
		switch (rest.p[0]) {
		case 'k':
		case 'K':
			v *= 1e3;
			break;
		case 'M':
			v *= 1e6;
			break;
		case 'G':
			v *= 1e9;
			break;
		case 'T':
			v *= 1e12;
			break;
		}
	}
	*ret = v;
	return true;
}

static void read_counters(struct gv_read *r, struct gv_entity *nic, gv_str head, const struct gv_line *l)
{
	static const struct {
		const char *name;
		enum gv_fact rx, tx;
	} cols[] = {
		{ "bytes", GV_F_NIC_RX_BYTES, GV_F_NIC_TX_BYTES },
		{ "packets", GV_F_NIC_RX_PACKETS, GV_F_NIC_TX_PACKETS },
		{ "errors", GV_F_NIC_RX_ERRORS, GV_F_NIC_TX_ERRORS },
		{ "dropped", GV_F_NIC_RX_DROPPED, GV_F_NIC_TX_DROPPED },
		{ "missed", GV_F_NIC_RX_MISSED, GV_FACTS },
	};
	gv_str t = gv_trim(head), names, cells = l->text, name, cell;
	bool rx = gv_starts(t, "RX:");
	double v;

	names = gv_from(t, 3);
	while (gv_word(&names, &name) && gv_word(&cells, &cell)) {
		for (size_t i = 0; i < sizeof(cols) / sizeof(*cols); i++) {
			enum gv_fact f = rx ? cols[i].rx : cols[i].tx;

			if (f != GV_FACTS && gv_is(name, cols[i].name) && counter_of(cell, &v))
				gv_put_num(r, nic, f, v, l);
		}
	}
}

static void read_brief(struct gv_read *r, const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		gv_str name, state, flags;
		struct gv_entity *nic;

		if (!brief_line(l[i].text, &name, &state, &flags))
			continue;
		nic = gv_see(r, GV_NIC, name);
		gv_put_str(r, nic, GV_F_NIC_STATE, state, &l[i]);
		put_flags(r, nic, flags, &l[i]);
	}
}

static void ip_link_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_entity *nic = NULL, *next;
	gv_str name, state, flags;

	if (brief_line(l[0].text, &name, &state, &flags)) {
		read_brief(r, l, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		next = see_nic(r, &l[i]);
		if (next)
			nic = next;
		else if (nic && i + 1 < n && is_counters_head(l[i].text) && counter_line(l[i + 1].text)) {
			read_counters(r, nic, l[i].text, &l[i + 1]);
			i++;
		}
	}
}

const struct gv_format gv_format_ip_link = {
	.name = "ip link",
	.heads = { ": <", "LOWER_UP>", "NO-CARRIER", "MULTICAST" },
	.claim = ip_link_claim,
	.read = ip_link_read,
};
