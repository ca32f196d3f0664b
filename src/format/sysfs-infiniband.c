/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA devices in /sys/class/infiniband. A port is an interface of its own: the first has the device's name, others
 * have their number behind it ("mlx5_0/2").
 *
 * Source: Linux, Documentation/ABI/stable/sysfs-class-infiniband: state "4: ACTIVE", phys_state "5: LinkUp", rate
 * "400 Gb/sec (4X NDR)". */
#include "format/common_sysfs.h"

static const char *const areas[] = { "/sys/class/infiniband/", NULL };

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	(void)seg;
	return gv_sysfs_extent(l, n, areas);
}

/* What belongs to the device, and so to all its ports. */
struct device {
	gv_str name;
	struct gv_sysfs_value firmware, bus, driver;
};

struct reading {
	struct gv_read *r;
	struct gv_sysfs_things devices;
	struct gv_map ports; /* name -> NIC */
};

static void put_port(struct gv_read *r, struct gv_entity *nic, gv_str attr, gv_str value, const struct gv_line *l)
{
	gv_str word = gv_after(value, ": "), rest;
	uint64_t count;
	double v;

	if (gv_is(attr, "state") && word.n) {
		gv_put_str(r, nic, GV_F_NIC_STATE, word, l);
		gv_put_flag(r, nic, GV_F_NIC_LINK, gv_is(word, "ACTIVE"), l);
	} else if (gv_is(attr, "phys_state") && word.n) {
		gv_put_str(r, nic, GV_F_NIC_PHYS, word, l);
	} else if (gv_is(attr, "rate") && gv_lead_num(value, &v, &rest) && gv_starts(gv_trim(rest), "Gb/sec")) {
		gv_put_num(r, nic, GV_F_NIC_SPEED, v * 1000, l);
	} else if (gv_is(attr, "link_layer")) {
		gv_put_str(r, nic, GV_F_NIC_LAYER, value, l);
	} else if (gv_is(attr, "counters/symbol_error") && gv_to_u64(value, &count)) {
		gv_put_num(r, nic, GV_F_NIC_SYMBOL_ERRORS, (double)count, l);
	} else if (gv_is(attr, "counters/link_downed") && gv_to_u64(value, &count)) {
		gv_put_num(r, nic, GV_F_NIC_LINK_DOWNED, (double)count, l);
	} else if (gv_is(attr, "counters/port_rcv_errors") && gv_to_u64(value, &count)) {
		gv_put_num(r, nic, GV_F_NIC_RX_ERRORS, (double)count, l);
	}
}

/* "ports/1/state" */
static void take(struct reading *x, gv_str name, gv_str attr, const struct gv_sysfs *s, const struct gv_line *l)
{
	struct device *d = gv_sysfs_thing(&x->devices, name);
	gv_str rest = attr, word, no, id, bus;
	void **slot;
	uint64_t v;

	if (!d)
		return;
	d->name = name;
	if (gv_is(attr, "fw_ver"))
		d->firmware = (struct gv_sysfs_value){ s->value, l };
	else if (s->link && gv_is(attr, "device") && gv_bus_id(x->r->arena, gv_sysfs_base(s->value), &bus))
		d->bus = (struct gv_sysfs_value){ bus, l };
	else if (s->link && gv_is(attr, "device/driver"))
		d->driver = (struct gv_sysfs_value){ gv_sysfs_base(s->value), l };
	if (!gv_next(&rest, '/', &word) || !gv_is(word, "ports") || !gv_next(&rest, '/', &no) || !gv_to_u64(no, &v) ||
	    x->ports.n >= GV_THINGS_MAX)
		return;
	id = v == 1 ? name : gv_fmt(x->r->arena, "%.*s/%.*s", GV_ARG(name), GV_ARG(no));
	slot = gv_map_put(&x->ports, id);
	if (!*slot)
		*slot = gv_see(x->r, GV_NIC, id);
	put_port(x->r, *slot, rest, s->value, l);
}

static void read_infiniband(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading x = { .r = r,
			     .devices = { .by = { .arena = r->arena }, .size = sizeof(struct device) },
			     .ports = { .arena = r->arena } };

	for (size_t i = 0; i < n; i++) {
		struct gv_sysfs s;
		gv_str name, attr;

		if (gv_sysfs_line(l[i].text, &s) && gv_sysfs_below(s.path, areas[0], &name, &attr))
			take(&x, name, attr, &s, &l[i]);
	}
	for (size_t i = 0; i < x.devices.v.n; i++) {
		const struct device *d = x.devices.v.v[i];
		struct gv_entity *nic = gv_map_get(&x.ports, d->name);

		if (!nic)
			nic = gv_see(r, GV_NIC, d->name);
		if (d->firmware.l)
			gv_put_str(r, nic, GV_F_NIC_FIRMWARE, d->firmware.v, d->firmware.l);
		if (d->bus.l)
			gv_put_str(r, nic, GV_F_NIC_BUS_ID, d->bus.v, d->bus.l);
		if (d->driver.l)
			gv_put_str(r, nic, GV_F_NIC_DRIVER, d->driver.v, d->driver.l);
	}
}

const struct gv_format gv_format_sysfs_infiniband = {
	.name = "/sys/class/infiniband",
	.heads = { "/sys/class/infiniband/" },
	.claim = claim,
	.read = read_infiniband,
};
