/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups: shares of many flows, one flow always one path, all fragments of a datagram one path, in both families. The groups
 * of topology.h: 10.70.0.0/16 by weights 1, 2, 5; 2001:db8:70::/48 by 1, 3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "frame.h"
#include "rig.h"

#define N_FLOWS 32768u
#define SEED    0xec3bu

/* The gateway (last byte of its MAC) that f is sent to. */
static uint8_t
path_of(struct rig *rig, const struct frame *f)
{
	struct rte_mbuf *m;
	uint8_t mac;

	rig_inject(rig, f);
	assert_int_equal(rig_turn(rig), 1);
	m = rig_collect(rig, 1);
	assert_non_null(m);
	mac = rte_pktmbuf_mtod(m, uint8_t *)[5];
	rig_return(m);
	return mac;
}

/* Flow i of many: ports for IPv4, flow label for IPv6, addresses for both. */
static void
flow_frame(struct frame *f, uint64_t *seed, bool ip6)
{
	frame_udp(f, ip6 ? "2001:db8:70::1" : "10.70.1.1", 8);
	if (ip6) {
		frame_put16(f->bytes + FRAME_L3 + 2, frame_random(seed, 65536));
		frame_put16(f->bytes + FRAME_L3 + 22, frame_random(seed, 65536));
		return;
	}
	frame_put16(f->bytes + FRAME_L3 + 14, frame_random(seed, 65536));
	frame_put16(f->bytes + FRAME_L3 + 18, frame_random(seed, 65536));
	frame_put16(f->bytes + FRAME_L3 + 20, frame_random(seed, 65536));
	frame_seal(f);
}

/* Of n flows, each path has its share within 5 % of it. */
static void
expect_share_of(uint32_t n, const uint32_t count[256], uint8_t mac, uint32_t weight, uint32_t weights)
{
	const uint32_t share = n / weights * weight;

	if (count[mac] < share - share / 20 || count[mac] > share + share / 20)
		fail_msg("seed %#x: gateway %02x got %u of %u flows, its share is %u", SEED, mac, count[mac],
			n, share);
}

static void
expect_share(const uint32_t count[256], uint8_t mac, uint32_t weight, uint32_t weights)
{
	expect_share_of(N_FLOWS, count, mac, weight, weights);
}

static void
shares(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	uint32_t count4[256] = {0}, count6[256] = {0};
	uint64_t seed = SEED;
	struct frame f;

	for (uint32_t i = 0; i < N_FLOWS; i++) {
		flow_frame(&f, &seed, false);
		count4[path_of(rig, &f)]++;
		flow_frame(&f, &seed, true);
		count6[path_of(rig, &f)]++;
	}
	expect_share(count4, 0x0b, 1, 8);
	expect_share(count4, 0x0c, 2, 8);
	expect_share(count4, 0x0d, 5, 8);
	expect_share(count6, 0x0b, 1, 4);
	expect_share(count6, 0x0c, 3, 4);
	rig_destroy(rig);
}

/* Shares by one field alone: the ports of one pair of hosts, the flow labels of one pair, the hosts of one service. */
static void
shares_by_one_field(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	uint32_t ports[256] = {0}, labels[256] = {0}, hosts[256] = {0};
	struct frame f;

	for (uint32_t i = 0; i < N_FLOWS; i++) {
		frame_udp(&f, "10.70.1.1", 8);
		frame_put16(f.bytes + FRAME_L3 + 20, i);
		ports[path_of(rig, &f)]++;
		frame_udp(&f, "10.70.1.1", 8);
		frame_put16(f.bytes + FRAME_L3 + 18, i);
		frame_seal(&f);
		hosts[path_of(rig, &f)]++;
		frame_udp(&f, "2001:db8:70::1", 8);
		frame_put16(f.bytes + FRAME_L3 + 2, i);
		labels[path_of(rig, &f)]++;
	}
	for (uint32_t k = 0; k < 3; k++) {
		static const uint8_t macs[] = {0x0b, 0x0c, 0x0d}, weights[] = {1, 2, 5};

		expect_share(ports, macs[k], weights[k], 8);
		expect_share(hosts, macs[k], weights[k], 8);
	}
	expect_share(labels, 0x0b, 1, 4);
	expect_share(labels, 0x0c, 3, 4);
	rig_destroy(rig);
}

/* What may differ between packets of one flow must not matter: TTL, id, DSCP, length, payload, hop limit, options. */
static void
one_flow_one_path(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	uint64_t seed = SEED;

	for (uint32_t i = 0; i < 2000; i++) {
		struct frame f, g;

		flow_frame(&f, &seed, i % 2);
		g = f;
		if (i % 2) {
			g.bytes[FRAME_L3 + 1] ^= 0xf0; /* the low half of the traffic class */
			g.bytes[FRAME_L3] ^= 0x0f;
			g.bytes[FRAME_L3 + 7] = 9;
		} else {
			g.bytes[FRAME_L3 + 1] = 0xb8;
			g.bytes[FRAME_L3 + 8] = 9;
			frame_put16(g.bytes + FRAME_L3 + 4, frame_random(&seed, 65536));
			g.bytes[g.len - 1] ^= 0xff;
		}
		frame_pad(&g, frame_random(&seed, 20), 7);
		if (i % 2 == 0)
			frame_seal(&g);
		assert_int_equal(path_of(rig, &f), path_of(rig, &g));
	}
	rig_destroy(rig);
}

/* Which gateway a router with this seed sends each flow to. */
static void
router(uint32_t seed, bool ip6, uint8_t path[N_FLOWS])
{
	const struct rig_conf conf = {.ecmp_seed = seed};
	struct rig *rig = rig_create(&conf);
	uint64_t flows = SEED;
	struct frame f;

	for (uint32_t i = 0; i < N_FLOWS; i++) {
		flow_frame(&f, &flows, ip6);
		path[i] = path_of(rig, &f);
	}
	rig_destroy(rig);
}

/* How the flows that the first router sends to `via` are spread by the second. Returns their number. */
static uint32_t
behind(const uint8_t first[N_FLOWS], const uint8_t second[N_FLOWS], uint8_t via, uint32_t count[256])
{
	uint32_t n = 0;

	memset(count, 0, 256 * sizeof(*count));
	for (uint32_t i = 0; i < N_FLOWS; i++) {
		if (first[i] != via)
			continue;
		count[second[i]]++;
		n++;
	}
	return n;
}

/* Behind the path that most flows take, a router with another seed spreads them by weight, however close the seeds are. */
static void
series(void **state)
{
	static const uint32_t seeds[] = {0, 1, 2, 0x80000000, 0xdeadbeef};
	static uint8_t first[N_FLOWS], second[N_FLOWS];
	uint32_t count[256], n;

	for (uint32_t k = 0; k + 1 < RTE_DIM(seeds); k++)
		for (uint32_t ip6 = 0; ip6 < 2; ip6++) {
			router(seeds[k], ip6, first);
			router(seeds[k + 1], ip6, second);
			n = behind(first, second, ip6 ? 0x0c : 0x0d, count);
			expect_share_of(n, count, 0x0b, 1, ip6 ? 4 : 8);
			expect_share_of(n, count, 0x0c, ip6 ? 3 : 2, ip6 ? 4 : 8);
			if (!ip6)
				expect_share_of(n, count, 0x0d, 5, 8);
		}
}

/* With the same seed all of them take one path again: what the test above would see. */
static void
series_with_one_seed(void **state)
{
	static uint8_t first[N_FLOWS], second[N_FLOWS];
	uint32_t count[256], n;

	for (uint32_t ip6 = 0; ip6 < 2; ip6++) {
		router(0x5eed, ip6, first);
		router(0x5eed, ip6, second);
		n = behind(first, second, 0x0c, count);
		assert_true(n > 0);
		assert_int_equal(count[0x0c], n);
	}
}

/* Options move the ports: they must still be found behind them. */
static void
options_move_the_ports(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	uint64_t seed = SEED;

	for (uint32_t i = 0; i < 2000; i++) {
		struct frame f, g;
		uint8_t *l3 = g.bytes + FRAME_L3;

		flow_frame(&f, &seed, false);
		g = f;
		memmove(l3 + 24, l3 + 20, g.len - FRAME_L3 - 20);
		memset(l3 + 20, 1, 4);
		l3[0] = 0x46;
		frame_put16(l3 + 2, frame_get16(l3 + 2) + 4);
		g.len += 4;
		frame_seal(&g);
		assert_int_equal(path_of(rig, &f), path_of(rig, &g));
	}
	rig_destroy(rig);
}

/* First, middle and last fragment: only the first has ports, so none may be hashed on them. */
static void
fragments_stay_together(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	uint32_t paths[256] = {0}, n_paths = 0;
	uint64_t seed = SEED;

	for (uint32_t i = 0; i < 2000; i++) {
		static const uint16_t offsets[] = {0x2000, 0x2003, 0x0006};
		uint8_t path = 0;
		struct frame f;

		flow_frame(&f, &seed, false);
		for (uint32_t k = 0; k < 3; k++) {
			frame_put16(f.bytes + FRAME_L3 + 6, offsets[k]);
			/* where ports would be, a later fragment has data */
			if (k > 0)
				frame_put32(f.bytes + FRAME_L3 + 20, frame_random(&seed, 0xffffffff));
			frame_seal(&f);

			const uint8_t mac = path_of(rig, &f);

			if (k > 0 && mac != path)
				fail_msg("seed %#x, datagram %u: fragment %u goes another way", SEED, i, k);
			path = mac;
		}
		paths[path]++;
	}
	for (uint32_t i = 0; i < 256; i++)
		n_paths += paths[i] > 0;
	assert_int_equal(n_paths, 3);
	rig_destroy(rig);
}

/* A group in the middle of a burst of other routes, every position. */
static void
among_others(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	struct frame plain, grouped;

	frame_udp(&plain, "10.0.1.2", 8);
	frame_udp(&grouped, "10.70.9.9", 8);

	const uint8_t alone = path_of(rig, &grouped);

	for (uint32_t at = 0; at < 33; at++) {
		for (uint32_t i = 0; i < 33; i++)
			rig_inject(rig, i == at ? &grouped : &plain);
		assert_int_equal(rig_turn(rig), 33);
		for (uint32_t i = 0; i < 33; i++) {
			struct rte_mbuf *m = rig_collect(rig, 1);

			assert_int_equal(rte_pktmbuf_mtod(m, uint8_t *)[5], i == at ? alone : 0x0b);
			rig_return(m);
		}
	}
	rig_destroy(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares),
		cmocka_unit_test(shares_by_one_field),
		cmocka_unit_test(one_flow_one_path),
		cmocka_unit_test(series),
		cmocka_unit_test(series_with_one_seed),
		cmocka_unit_test(options_move_the_ports),
		cmocka_unit_test(fragments_stay_together),
		cmocka_unit_test(among_others),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
