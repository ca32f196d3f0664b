/* SPDX-License-Identifier: Apache-2.0 */
/* ethtool IF (settings), ethtool -i IF (driver) and ethtool -S IF (the driver's own counters).
 *
 * Sources: ethtool's netlink/settings.c and ethtool.c. Only the settings name their interface; for the others it comes
 * from the command line. Names of -S counters are each driver's own: those are read that say that packets were lost. */
#include "format/common.h"

enum part { PART_NONE, PART_SETTINGS, PART_DRIVER, PART_STATS };

static bool of_ethtool(const struct gv_seg *seg)
{
	return seg && gv_has(seg->cmd, "ethtool");
}

/* The first argument of ethtool that is no option. */
static gv_str cmd_interface(gv_str cmd)
{
	gv_str rest = gv_after(cmd, "ethtool"), word;

	while (rest.p && gv_word(&rest, &word)) {
		if (gv_is(word, "|") || gv_is(word, ";") || gv_is(word, "&&"))
			break;
		if (word.p[0] == '-' || word.p[0] == '$' || word.p[0] == '"')
			continue;
		while (word.n && (word.p[word.n - 1] == ';' || word.p[word.n - 1] == '|'))
			word.n--;
		return word;
	}
	return GV_NONE;
}

static enum part part_at(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str s = gv_trim(l[0].text), key, value;

	if (gv_starts(s, "Settings for ") && gv_ends(s, ":"))
		return PART_SETTINGS;
	if (gv_is(s, "NIC statistics:"))
		return PART_STATS;
	if (!gv_key_value(s, &key, &value))
		return PART_NONE;
	if (gv_is(key, "driver") && n > 1) {
		for (size_t i = 1; i < n && i < 4; i++)
			if (gv_starts(gv_trim(l[i].text), "firmware-version:"))
				return PART_DRIVER;
	}
	if (!of_ethtool(seg))
		return PART_NONE;
	if (gv_is(key, "Speed") || gv_is(key, "Link detected"))
		return PART_SETTINGS;
	if (gv_is(key, "driver") || gv_is(key, "firmware-version") || gv_is(key, "bus-info"))
		return PART_DRIVER;
	return gv_has(seg->cmd, "-S") || gv_has(seg->cmd, "--statistics") ? PART_STATS : PART_NONE;
}

static bool label_line(gv_str s)
{
	static const char *const plain[] = { "Supported ",
					     "Supports ",
					     "Advertised ",
					     "Link partner ",
					     "Speed:",
					     "Duplex:",
					     "Port:",
					     "PHYAD:",
					     "Lanes:",
					     "Transceiver:",
					     "Auto-negotiation:",
					     "MDI-X:",
					     "Wake-on:",
					     "Current message level:",
					     "Link detected:",
					     "Cannot get ",
					     "driver:",
					     "version:",
					     "firmware-version:",
					     "expansion-rom-version:",
					     "bus-info:",
					     "supports-",
					     "drv ",
					     "SQI",
					     "Master/slave" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (gv_starts(s, plain[i]))
			return true;
	return gv_has(s, "base") && gv_has(s, "/Full");
}

static size_t ethtool_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	enum part p = part_at(l, n, seg);
	size_t i, end = 1;

	if (p == PART_NONE)
		return 0;
	for (i = 1; i < n; i++) {
		gv_str s = gv_trim(l[i].text), key, value;
		double v;

		if (s.n == 0)
			continue;
		/* The next interface is a block of its own, so that its name holds for it alone. */
		if (gv_starts(s, "Settings for ") || gv_is(s, "NIC statistics:"))
			break;
		if (gv_indent(l[i].text) == 0 &&
		    !(p == PART_STATS ? gv_key_value(s, &key, &value) && gv_lead_num(value, &v, &value)
				      : label_line(s)))
			break;
		end = i + 1;
	}
	return end;
}

static void read_setting(struct gv_read *r, struct gv_entity *nic, gv_str key, gv_str value, const struct gv_line *l)
{
	gv_str rest, bus;
	double v;

	if (gv_is(key, "Speed")) {
		if (gv_lead_num(value, &v, &rest) && gv_starts(rest, "Mb/s"))
			gv_put_num(r, nic, GV_F_NIC_SPEED, v, l);
		else
			gv_put_none(r, nic, GV_F_NIC_SPEED, GV_UNKNOWN, "ethtool knows no speed", l);
	} else if (gv_is(key, "Link detected")) {
		if (gv_starts(value, "yes") || gv_starts(value, "no"))
			gv_put_flag(r, nic, GV_F_NIC_LINK, gv_starts(value, "yes"), l);
	} else if (gv_is(key, "driver")) {
		gv_put_str(r, nic, GV_F_NIC_DRIVER, value, l);
	} else if (gv_is(key, "firmware-version")) {
		if (value.n)
			gv_put_str(r, nic, GV_F_NIC_FIRMWARE, value, l);
	} else if (gv_is(key, "bus-info") && gv_bus_id(r->arena, value, &bus)) {
		gv_put_str(r, nic, GV_F_NIC_BUS_ID, bus, l);
		gv_key(r, nic, GV_KEY_BUS, bus);
	}
}

/* Several counters of a driver may stand for one fact; they overlap, so the largest is taken, not the sum. */
static const struct {
	const char *name;
	enum gv_fact fact;
} stat_names[] = {
	{ "rx_packets", GV_F_NIC_RX_PACKETS },
	{ "rx_bytes", GV_F_NIC_RX_BYTES },
	{ "tx_packets", GV_F_NIC_TX_PACKETS },
	{ "tx_bytes", GV_F_NIC_TX_BYTES },
	{ "rx_errors", GV_F_NIC_RX_ERRORS },
	{ "rx_crc_errors", GV_F_NIC_RX_ERRORS },
	{ "rx_crc_errors_phy", GV_F_NIC_RX_ERRORS },
	{ "port.rx_crc_errors", GV_F_NIC_RX_ERRORS },
	{ "tx_errors", GV_F_NIC_TX_ERRORS },
	{ "rx_dropped", GV_F_NIC_RX_DROPPED },
	{ "rx_drops", GV_F_NIC_RX_DROPPED },
	{ "port.rx_dropped", GV_F_NIC_RX_DROPPED },
	{ "tx_dropped", GV_F_NIC_TX_DROPPED },
	{ "rx_missed", GV_F_NIC_RX_MISSED },
	{ "rx_missed_errors", GV_F_NIC_RX_MISSED },
	{ "rx_no_buffer_count", GV_F_NIC_RX_MISSED },
	{ "rx_out_of_buffer", GV_F_NIC_RX_MISSED },
	{ "rx_discards_phy", GV_F_NIC_RX_MISSED },
	{ "port.rx_discards", GV_F_NIC_RX_MISSED },
	{ "rx_discards", GV_F_NIC_RX_MISSED },
	{ "rx_total_discard_pkts", GV_F_NIC_RX_MISSED },
};
#define STAT_NAMES (sizeof(stat_names) / sizeof(*stat_names))

static void read_stats(struct gv_read *r, struct gv_entity *nic, const struct gv_line *l, size_t n)
{
	const struct gv_line *best[STAT_NAMES] = { NULL };
	double most[STAT_NAMES] = { 0 };

	for (size_t i = 0; i < n; i++) {
		gv_str key, value, rest;
		size_t k, home;
		double v;

		if (!gv_key_value(gv_trim(l[i].text), &key, &value) || !gv_lead_num(value, &v, &rest))
			continue;
		for (k = 0; k < STAT_NAMES && !gv_is(key, stat_names[k].name); k++)
			;
		if (k == STAT_NAMES)
			continue;
		/* Kept under the first name of the same fact. */
		for (home = 0; stat_names[home].fact != stat_names[k].fact; home++)
			;
		if (!best[home] || v > most[home]) {
			best[home] = &l[i];
			most[home] = v;
		}
	}
	for (size_t k = 0; k < STAT_NAMES; k++)
		if (best[k])
			gv_put_num(r, nic, stat_names[k].fact, most[k], best[k]);
}

static void ethtool_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	const struct gv_seg *seg = r->block->seg;
	enum part p = part_at(l, n, seg);
	gv_str name = of_ethtool(seg) ? cmd_interface(seg->cmd) : GV_NONE, key, value;
	struct gv_entity *nic;

	if (gv_starts(gv_trim(l[0].text), "Settings for "))
		name = gv_before(gv_trim(gv_after(l[0].text, "Settings for ")), ":");
	if (name.n == 0)
		name = GV_STR("unnamed");
	nic = gv_see(r, GV_NIC, name);
	if (p == PART_STATS) {
		read_stats(r, nic, l, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (gv_key_value(gv_trim(l[i].text), &key, &value))
			read_setting(r, nic, key, value, &l[i]);
}

const struct gv_format gv_format_ethtool = {
	.name = "ethtool",
	.heads = { "Settings for ", "NIC statistics:", "driver:", "Speed:", "Link detected:", "firmware-version:",
		   "bus-info:", "rx_", "tx_" },
	.claim = ethtool_claim,
	.read = ethtool_read,
};
