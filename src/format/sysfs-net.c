/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces in /sys/class/net.
 *
 * Source: Linux, Documentation/ABI/testing/sysfs-class-net. Speed is in Mbit/s, -1 where there is no link; carrier
 * cannot be read from an interface that is down. */
#include "format/common_sysfs.h"

static const char *const areas[] = { "/sys/class/net/", NULL };

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	(void)seg;
	return gv_sysfs_extent(l, n, areas);
}

static void put_counter(struct gv_read *r, struct gv_entity *nic, gv_str attr, gv_str value, const struct gv_line *l)
{
	static const struct {
		const char *attr;
		enum gv_fact fact;
	} kept[] = {
		{ "statistics/rx_bytes", GV_F_NIC_RX_BYTES },	       { "statistics/rx_packets", GV_F_NIC_RX_PACKETS },
		{ "statistics/rx_errors", GV_F_NIC_RX_ERRORS },	       { "statistics/rx_dropped", GV_F_NIC_RX_DROPPED },
		{ "statistics/rx_missed_errors", GV_F_NIC_RX_MISSED }, { "statistics/tx_bytes", GV_F_NIC_TX_BYTES },
		{ "statistics/tx_packets", GV_F_NIC_TX_PACKETS },      { "statistics/tx_errors", GV_F_NIC_TX_ERRORS },
		{ "statistics/tx_dropped", GV_F_NIC_TX_DROPPED },
	};
	uint64_t v;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (gv_is(attr, kept[i].attr) && gv_to_u64(value, &v))
			gv_put_num(r, nic, kept[i].fact, (double)v, l);
}

static void put_state(struct gv_read *r, struct gv_entity *nic, gv_str value, const struct gv_line *l)
{
	static const struct {
		const char *word, *as_ip;
	} states[] = {
		{ "up", "UP" },		  { "down", "DOWN" },	    { "unknown", "UNKNOWN" },
		{ "dormant", "DORMANT" }, { "testing", "TESTING" }, { "lowerlayerdown", "LOWERLAYERDOWN" },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (gv_is(value, states[i].word))
			gv_put_str(r, nic, GV_F_NIC_STATE, gv_str_of(states[i].as_ip), l);
}

static void put(struct gv_read *r, struct gv_entity *nic, gv_str attr, const struct gv_sysfs *s,
		const struct gv_line *l)
{
	gv_str base = gv_sysfs_base(s->value), bus;
	double v;

	if (s->link) {
		if (gv_is(attr, "device") && gv_bus_id(r->arena, base, &bus))
			gv_put_str(r, nic, GV_F_NIC_BUS_ID, bus, l);
		else if (gv_is(attr, "device/driver"))
			gv_put_str(r, nic, GV_F_NIC_DRIVER, base, l);
	} else if (gv_is(attr, "speed") && gv_to_num(s->value, &v)) {
		if (v > 0)
			gv_put_num(r, nic, GV_F_NIC_SPEED, v, l);
		else
			gv_put_none(r, nic, GV_F_NIC_SPEED, GV_UNKNOWN, "the kernel knows no speed", l);
	} else if (gv_is(attr, "mtu") && gv_to_num(s->value, &v)) {
		gv_put_num(r, nic, GV_F_NIC_MTU, v, l);
	} else if (gv_is(attr, "carrier") && (gv_is(s->value, "0") || gv_is(s->value, "1"))) {
		gv_put_flag(r, nic, GV_F_NIC_LINK, gv_is(s->value, "1"), l);
	} else if (gv_is(attr, "operstate")) {
		put_state(r, nic, s->value, l);
	} else {
		put_counter(r, nic, attr, s->value, l);
	}
}

static void read_net(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_map nics = { .arena = r->arena };

	for (size_t i = 0; i < n; i++) {
		struct gv_sysfs s;
		gv_str name, attr;
		void **slot;

		if (!gv_sysfs_line(l[i].text, &s) || !gv_sysfs_below(s.path, areas[0], &name, &attr) ||
		    nics.n >= GV_THINGS_MAX)
			continue;
		slot = gv_map_put(&nics, name);
		if (!*slot)
			*slot = gv_see(r, GV_NIC, name);
		put(r, *slot, attr, &s, &l[i]);
	}
}

const struct gv_format gv_format_sysfs_net = {
	.name = "/sys/class/net",
	.heads = { "/sys/class/net/" },
	.claim = claim,
	.read = read_net,
};
