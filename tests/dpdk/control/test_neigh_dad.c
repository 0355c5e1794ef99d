/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether somebody else uses our addresses: what is asked and told when a link comes up, and what happens when somebody does. */
#include <string.h>

#include "neighs.h"
#include "resolve.h"

#define PROBE "1>ffffffffffff who-has 10.0.1.1 tell 0.0.0.0"
#define TELLS "1>ffffffffffff who-has 10.0.1.1 tell 10.0.1.1"

/* Packets of both families come in any order in the first 100 ms: those of one, by the word that tells them. */
static unsigned int
count(struct rig *rig, const char *word)
{
	unsigned int n = 0;
	struct skb *skb;

	for (unsigned int i = 0; i < PUNT_RING_SIZE && punt_back_take(&rig->punt, &skb, 1) == 1; i++) {
		uint8_t frame[2048];

		rig_bytes(skb, frame, sizeof(frame));
		n += strcmp(word, "arp") == 0   ? frame[12] == 0x08
		     : strcmp(word, "mld") == 0 ? frame[20] == 0
						: frame[12] == 0x86 && frame[20] == 58 &&
							  frame[54] == (strcmp(word, "ns") == 0 ? 135 : 136);
		rig_free(rig, skb);
	}
	return n;
}

/* Only port 1 is up. */
static struct rig *
open_ip4(void)
{
	struct rig *rig = rig_open(2048, NULL);

	neighs_link(rig->c, 1, true);
	return rig;
}

/* RFC 5227 2.1.1, 2.3: three probes and two announcements. */
static void
rfc5227_2_1_1_probes(void **state)
{
	struct rig *rig = open_ip4();

	assert_int_equal(count(rig, "arp"), 0);
	/* within 100 ms; 1 to 1.25 s, twice; 2 s; 2 s */
	rig_advance(rig, 100);
	assert_int_equal(count(rig, "arp"), 1);
	rig_advance(rig, 890);
	assert_int_equal(count(rig, "arp"), 0);
	rig_advance(rig, 380);
	assert_int_equal(count(rig, "arp"), 1);
	rig_advance(rig, 620);
	assert_int_equal(count(rig, "arp"), 0);
	rig_advance(rig, 640);
	assert_int_equal(count(rig, "arp"), 1);
	/* the third was at 2.0 to 2.6 s, it is 2.63 s */
	rig_advance(rig, 1360);
	assert_int_equal(count(rig, "arp"), 0);
	rig_advance(rig, 650);
	assert_int_equal(count(rig, "arp"), 1);
	rig_advance(rig, 1350);
	assert_int_equal(count(rig, "arp"), 0);
	rig_advance(rig, 660);
	assert_int_equal(count(rig, "arp"), 1);
	rig_advance(rig, 60000);
	assert_int_equal(count(rig, "arp"), 0);
	rig_close(rig);
}

/* What exactly is said. */
static void
rfc5227_2_3_words(void **state)
{
	struct rig *rig = neighs_open(NULL);
	const struct own_addr *own = route_own(rig->routes, 3);

	assert_int_equal(own->port, 1);
	arp_probe(rig->c, own);
	arp_announce(rig->c, own);
	own = route_own(rig->routes, 4);
	nd_join(rig->c, own);
	nd_probe(rig->c, own);
	nd_announce(rig->c, own);
	said(rig, PROBE "; " TELLS "; 1>333300000016 mld ff02::1:ff00:1 from fe80::ff:fe00:2; "
			"1>3333ff000001 ns 2001:db8:1::1 from :: to ff02::1:ff00:1; "
			"1>333300000001 na 2001:db8:1::1 to ff02::1 RO tlla 02");
	rig_close(rig);
}

/* RFC 4862 5.4.2: one solicitation for each address; RFC 4861 7.2.6: then one advertisement. */
static void
rfc4862_5_4_2_solicits(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	neighs_link(rig->c, 1, true);
	rig_advance(rig, 100);
	assert_int_equal(count(rig, "ns"), 2);
	rig_advance(rig, 1000);
	assert_int_equal(count(rig, "na"), 2);
	rig_advance(rig, 110000);
	assert_int_equal(count(rig, "ns") + count(rig, "na"), 0);
	/* RFC 4541: switches forget */
	rig_advance(rig, 12000);
	assert_int_equal(count(rig, "mld"), 2);
	/* a link that comes back begins anew, one that is down does nothing */
	neighs_link(rig->c, 1, false);
	rig_advance(rig, 200000);
	assert_int_equal(count(rig, "mld"), 0);
	neighs_link(rig->c, 1, true);
	rig_advance(rig, 100);
	assert_int_equal(count(rig, "ns"), 2);
	rig_close(rig);
}

/* RFC 5227 2.4 (c): told and defended, at most every 10 s; the address stays. */
static void
rfc5227_2_4_conflict(void **state)
{
	struct rig *rig = neighs_open(NULL);

	arp_from(rig, 1, 0x0c, "request all", "10.0.1.1", "10.0.1.1");
	became(rig, CONTROL_arp_conflict);
	said(rig, TELLS);
	assert_int_equal(rig->n_events, 1);
	assert_string_equal(rig->event,
		"address conflict: 10.0.1.1 of port 1 (port1) is also used by 02:00:00:00:00:0c; "
		"it stays in use here");
	for (unsigned int i = 0; i < 99; i++) {
		rig_advance(rig, 100);
		arp_from(rig, 1, 0x0c, "reply", "10.0.1.1", "10.0.1.2");
		became(rig, CONTROL_arp_conflict);
	}
	said(rig, "");
	assert_int_equal(rig->n_events, 1);
	rig_advance(rig, 100);
	arp_from(rig, 1, 0x0c, "request all", "10.0.1.1", "10.0.1.2");
	became(rig, CONTROL_arp_conflict);
	said(rig, TELLS);
	assert_int_equal(rig->n_events, 2);
	/* another address has its own 10 s */
	arp_from(rig, 0, 0x0c, "request all", "10.0.0.1", "10.0.0.1");
	assert_int_equal(rig->n_events, 3);
	said(rig, "0>ffffffffffff who-has 10.0.0.1 tell 10.0.0.1");
	assert_int_equal(rig->c->counts.neighs, 0);
	arp_from(rig, 1, 0x0b, "request", "10.0.1.2", "10.0.1.1");
	said(rig, "1>0b 10.0.1.1 is-at 02 for 10.0.1.2");
	rig_close(rig);
}

static void
rfc4862_5_4_4_conflict(void **state)
{
	struct rig *rig = neighs_open(NULL);

	nd_from(rig, 1, &(struct nd_words){"2001:db8:1::1", "ff02::1", "2001:db8:1::1", 0x0c, 0x20});
	became(rig, CONTROL_nd_conflict);
	said(rig, "1>333300000001 na 2001:db8:1::1 to ff02::1 RO tlla 02");
	assert_string_equal(rig->event,
		"address conflict: 2001:db8:1::1 of port 1 (port1) is also used by 02:00:00:00:00:0c; "
		"it stays in use here");
	nd_from(rig, 1, &(struct nd_words){"2001:db8:1::1", "ff02::1:ff00:2", "2001:db8:1::2", 0x0d, -1});
	became(rig, CONTROL_nd_conflict);
	said(rig, "");
	assert_int_equal(rig->n_events, 1);
	rig_advance(rig, 10000);
	nd_from(rig, 1, &(struct nd_words){"2001:db8:1::1", "ff02::1:ff00:2", "2001:db8:1::2", -1, -1});
	became(rig, CONTROL_nd_conflict);
	assert_int_equal(rig->n_events, 2);
	assert_non_null(strstr(rig->event, "02:00:00:00:00:ee"));
	/* the same address on another port is nobody's business */
	nd_from(rig, 0, &(struct nd_words){"2001:db8:1::1", "ff02::1", "2001:db8:1::1", 0x0c, 0x20});
	became(rig, CONTROL_nd_unknown);
	rig_close(rig);
}

/* RFC 5227 2.1.1, RFC 4862 5.4.3: somebody who asks for the same address while we do wants it too; later he is only told. */
static void
rfc5227_2_1_1_probed(void **state)
{
	struct rig *rig = open_ip4();

	arp_from(rig, 1, 0x0c, "request all", "0.0.0.0", "10.0.1.1");
	nd_from(rig, 1, &(struct nd_words){"::", "ff02::1:ff00:1", "2001:db8:1::1", -1, -1});
	assert_int_equal(rig->n_events, 2);
	said(rig,
		"1>0c 10.0.1.1 is-at 02 for 0.0.0.0; 1>333300000001 na 2001:db8:1::1 to ff02::1 RO tlla 02");
	assert_int_equal(rig_outcome(rig, CONTROL_arp_reply), 1);
	assert_int_equal(rig_outcome(rig, CONTROL_nd_advert), 1);
	assert_non_null(
		strstr(rig->event, "2001:db8:1::1 of port 1 (port1) is also wanted by 02:00:00:00:00:ee"));
	rig_advance(rig, 20000);
	count(rig, "arp");
	arp_from(rig, 1, 0x0c, "request all", "0.0.0.0", "10.0.1.1");
	nd_from(rig, 1, &(struct nd_words){"::", "ff02::1:ff00:1", "2001:db8:1::1", -1, -1});
	assert_int_equal(rig->n_events, 2);
	said(rig,
		"1>0c 10.0.1.1 is-at 02 for 0.0.0.0; 1>333300000001 na 2001:db8:1::1 to ff02::1 RO tlla 02");
	rig_close(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rfc5227_2_1_1_probes),
		cmocka_unit_test(rfc5227_2_3_words),
		cmocka_unit_test(rfc4862_5_4_2_solicits),
		cmocka_unit_test(rfc5227_2_4_conflict),
		cmocka_unit_test(rfc4862_5_4_4_conflict),
		cmocka_unit_test(rfc5227_2_1_1_probed),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests_name("neigh_dad", tests, NULL, NULL);
}
