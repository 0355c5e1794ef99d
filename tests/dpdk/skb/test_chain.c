/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet of 200 bytes in two segments, split at every byte, and in three, split at many pairs of bytes: whatever is
 * asked of it, for every length, gives the bytes that one segment would have given. Each verb also on a clone, which
 * shares all segments with an original that must not change.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_eal.h>

#include "mempool_magazine.h"
#include "skb_frags.h"
#include "skb_share.h"
#include "world.h"

#define LEN  200u
#define ROOM 256u
/* of the second split of three segments */
#ifdef __SANITIZE_ADDRESS__
#define STEP 19u
#else
#define STEP 41u
#endif
#define SEGS_MAX 3u

struct shape {
	uint32_t n;
	uint16_t lens[SEGS_MAX];
	uint16_t headroom;
};

static struct world w;
static uint8_t bytes[LEN];

static int
setup(void **state)
{
	const struct world_conf conf = {.ops = "magazine", .n_rx = 256, .n_heads = 128, .rx_room = ROOM};

	for (uint32_t i = 0; i < LEN; i++)
		bytes[i] = (uint8_t)(i + 1);
	world_open(&w, &conf);
	return 0;
}

static int
teardown(void **state)
{
	world_close(&w);
	return 0;
}

/* Once with room for everything behind the first segment, and once with none. */
static void
try_shape(void (*check)(const struct shape *shape), struct shape shape)
{
	shape.headroom = 16;
	check(&shape);
	shape.headroom = (uint16_t)(ROOM - shape.lens[0]);
	check(&shape);
}

static void
each_shape(void (*check)(const struct shape *shape))
{
	for (uint16_t a = 1; a < LEN; a++) {
		try_shape(check, (struct shape){.n = 2, .lens = {a, (uint16_t)(LEN - a)}});
		for (uint16_t b = (uint16_t)(1 + a % STEP); a + b < LEN; b = (uint16_t)(b + STEP))
			try_shape(check, (struct shape){.n = 3, .lens = {a, b, (uint16_t)(LEN - a - b)}});
	}
}

static struct skb *
packet_of(const struct shape *shape)
{
	return world_packet(&w, shape->headroom, shape->lens, shape->n, bytes);
}

static struct skb *
clone_of(struct skb *skb)
{
	struct skb *clone;

	assert_int_equal(skb_clone(&w.cpu, skb, &clone), 0);
	return clone;
}

/* Its bytes from the first on, as it is and as a PMD gets it; it ends here. */
static void
end(struct skb *skb, uint32_t first, uint32_t len)
{
	struct rte_mbuf *mbuf;

	world_assert_packet(skb, bytes + first, len);
	assert_int_equal(skb_release(&w.cpu, skb, &mbuf), 0);
	world_assert_chain(mbuf, bytes + first, len);
	rte_pktmbuf_free(mbuf);
}

/* Fragments of shape that hold bytes behind the first len ones: those that are left when these are in the first segment. */
static uint32_t
n_frags_behind(const struct shape *shape, uint32_t len)
{
	uint32_t n = 0, at = LEN;

	for (uint32_t i = shape->n - 1; i > 0; i--) {
		n += at > len;
		at -= shape->lens[i];
	}
	return n;
}

/* The same of fragments that hold some of the first len bytes. */
static uint32_t
n_frags_within(const struct shape *shape, uint32_t len)
{
	uint32_t n = 0, at = shape->lens[0];

	for (uint32_t i = 1; i < shape->n; i++) {
		n += at < len;
		at += shape->lens[i];
	}
	return n;
}

static void
pull_head(struct skb *skb, const struct shape *shape, uint32_t len)
{
	assert_int_equal(skb_pull_head(&w.cpu, skb, LEN + 1), -EINVAL);
	world_assert_packet(skb, bytes, LEN);
	assert_int_equal(skb_pull_head(&w.cpu, skb, len), 0);
	world_assert_packet(skb, bytes, LEN);
	assert_int_equal(skb_headlen(skb), RTE_MAX(len, (uint32_t)shape->lens[0]));
	assert_memory_equal(skb->data, bytes, len);
	assert_int_equal(skb_n_frags(skb), n_frags_behind(shape, skb_headlen(skb)));
}

static void
check_pull_head(const struct shape *shape)
{
	for (uint32_t len = 0; len <= LEN; len++) {
		struct skb *const skb = packet_of(shape), *const clone = clone_of(skb);

		pull_head(clone, shape, len);
		world_assert_packet(skb, bytes, LEN);
		assert_int_equal(skb_n_frags(skb), shape->n - 1);
		end(clone, 0, LEN);
		pull_head(skb, shape, len);
		end(skb, 0, LEN);
	}
}

static void
check_linearize(const struct shape *shape)
{
	struct skb *const skb = packet_of(shape), *const clone = clone_of(skb);

	assert_int_equal(skb_linearize(&w.cpu, clone), 0);
	assert_int_equal(skb_n_frags(clone), 0);
	assert_memory_equal(clone->data, bytes, LEN);
	assert_int_equal(skb_n_frags(skb), shape->n - 1);
	world_assert_packet(skb, bytes, LEN);
	end(clone, 0, LEN);
	assert_int_equal(skb_linearize(&w.cpu, skb), 0);
	assert_int_equal(skb_n_frags(skb), 0);
	assert_memory_equal(skb->data, bytes, LEN);
	end(skb, 0, LEN);
}

static void
trim(struct skb *skb, const struct shape *shape, uint32_t len)
{
	assert_int_equal(pskb_trim(&w.cpu, skb, LEN + 1), 0);
	assert_int_equal(skb->len, LEN);
	assert_int_equal(pskb_trim(&w.cpu, skb, len), 0);
	assert_int_equal(skb_n_frags(skb), n_frags_within(shape, len));
}

/* One is cut, the other does not notice, whichever it is. */
static void
check_trim(const struct shape *shape)
{
	for (uint32_t len = 0; len <= LEN; len++) {
		struct skb *const skb = packet_of(shape), *const clone = clone_of(skb);

		trim(clone, shape, len);
		world_assert_packet(skb, bytes, LEN);
		trim(skb, shape, LEN - len);
		end(clone, 0, len);
		end(skb, 0, LEN - len);
	}
}

/* Off the front, as far as the first segment goes; then the rest after it was moved there. */
static void
check_pull(const struct shape *shape)
{
	for (uint32_t len = 0; len <= shape->lens[0]; len++) {
		struct skb *const skb = packet_of(shape), *const clone = clone_of(skb);

		assert_int_equal(skb_try_pull(clone, shape->lens[0] + 1u, NULL), -EINVAL);
		assert_ptr_equal(skb_pull(clone, len), skb->data + len);
		world_assert_packet(clone, bytes + len, LEN - len);
		world_assert_packet(skb, bytes, LEN);
		assert_int_equal(skb_pull_head(&w.cpu, clone, LEN - len), 0);
		skb_pull(clone, LEN - len);
		assert_int_equal(clone->len, 0);
		end(clone, LEN, 0);
		skb_pull(skb, len);
		end(skb, len, LEN - len);
	}
}

static void
copy_bits(const struct skb *skb, uint32_t offset, uint32_t len)
{
	uint8_t to[LEN + 2];

	memset(to, 0, sizeof(to));
	assert_int_equal(skb_copy_bits(skb, offset, to + 1, len), 0);
	assert_memory_equal(to + 1, bytes + offset, len);
	/* and not one more */
	assert_int_equal(to[0], 0);
	assert_int_equal(to[len + 1], 0);
}

static void
check_copy_bits(const struct shape *shape)
{
	struct skb *const skb = packet_of(shape);
	uint8_t to[1];

	for (uint32_t offset = 0; offset <= LEN; offset++) {
		for (uint32_t len = 0; offset + len <= LEN; len += 1 + len / 4)
			copy_bits(skb, offset, len);
		copy_bits(skb, offset, LEN - offset);
		assert_int_equal(skb_copy_bits(skb, offset, to, LEN - offset + 1), -EINVAL);
		assert_int_equal(skb_copy_bits(skb, offset, to, UINT32_MAX - offset), -EINVAL);
		assert_int_equal(skb_copy_bits(skb, offset, to, UINT32_MAX), -EINVAL);
	}
	assert_int_equal(skb_copy_bits(skb, LEN + 1, to, 0), -EINVAL);
	end(skb, 0, LEN);
}

/* Put together by hand it is the same packet. */
static void
check_add_frag(const struct shape *shape)
{
	struct skb *const skb = world_packet(&w, shape->headroom, shape->lens, 1, bytes),
			  *const clone = clone_of(skb);
	uint32_t at = shape->lens[0];

	for (uint32_t i = 1; i < shape->n; i++) {
		struct rte_mbuf *const mbuf = world_chain(&w, 0, &shape->lens[i], 1, bytes + at);

		assert_int_equal(skb_add_frag(&w.cpu, skb, mbuf), 0);
		at += shape->lens[i];
		world_assert_packet(skb, bytes, at);
		assert_int_equal(skb_n_frags(skb), i);
		assert_int_equal(skb->truesize, world_truesize(skb));
	}
	end(clone, 0, shape->lens[0]);
	end(skb, 0, LEN);
}

static void
check_headers(struct skb *skb, uint32_t at)
{
	uint8_t all[LEN];

	assert_int_equal(skb_cow(&w.cpu, skb, 0), 0);
	skb->data[at] ^= 0xff;
	assert_int_equal(skb_copy_bits(skb, 0, all, LEN), 0);
	for (uint32_t i = 0; i < LEN; i++)
		assert_int_equal(all[i], i == at ? bytes[i] ^ 0xff : bytes[i]);
	skb->data[at] ^= 0xff;
}

/* Each byte of the headers may be written, by any of those that show it, after a skb_cow(). */
static void
check_write(const struct shape *shape)
{
	const uint32_t last = shape->lens[0] - 1u;
	struct skb *const skb = packet_of(shape), *const clone = clone_of(skb), *copy, *pcopy;

	assert_int_equal(skb_copy(&w.cpu, skb, &copy), 0);
	assert_int_equal(pskb_copy(&w.cpu, skb, &pcopy), 0);
	for (uint32_t at = 0; at <= last; at += 1 + last / 4) {
		check_headers(copy, at);
		check_headers(pcopy, at);
		check_headers(clone, at);
		world_assert_packet(skb, bytes, LEN);
		check_headers(skb, at);
	}
	end(skb, 0, LEN);
	end(pcopy, 0, LEN);
	end(clone, 0, LEN);
	end(copy, 0, LEN);
}

static void
each_pull_head(void **state)
{
	each_shape(check_pull_head);
}

static void
each_linearize(void **state)
{
	each_shape(check_linearize);
}

static void
each_trim(void **state)
{
	each_shape(check_trim);
}

static void
each_pull(void **state)
{
	each_shape(check_pull);
}

static void
each_copy_bits(void **state)
{
	each_shape(check_copy_bits);
}

static void
each_add_frag(void **state)
{
	each_shape(check_add_frag);
}

static void
each_write(void **state)
{
	each_shape(check_write);
}

/* One of the fragments is somebody else's too, as a port may have it: it stays as it is, and so does what it links. */
static void
a_fragment_that_others_hold(void **state)
{
	const uint16_t lens[] = {50, 80, 70};

	for (int verb = 0; verb < 5; verb++) {
		struct skb *const skb = world_packet(&w, 16, lens, 3, bytes);
		struct rte_mbuf *const held = skb->mbuf->next, *const next = held->next;

		rte_mbuf_refcnt_update(held, 1);
		rte_mbuf_refcnt_update(next, 1);
		switch (verb) {
		case 0: assert_int_equal(skb_pull_head(&w.cpu, skb, 60), 0); break;
		case 1: assert_int_equal(skb_linearize(&w.cpu, skb), 0); break;
		case 2: assert_int_equal(pskb_trim(&w.cpu, skb, 90), 0); break;
		case 3: assert_int_equal(skb_cow(&w.cpu, skb, 0), 0); break;
		default: assert_int_equal(skb_expand_head(&w.cpu, skb, 16, 16), 0); break;
		}
		end(skb, 0, verb == 2 ? 90 : LEN);
		assert_ptr_equal(held->next, next);
		assert_memory_equal(rte_pktmbuf_mtod(held, uint8_t *), bytes + 50, 80);
		assert_int_equal(held->data_len, 80);
		assert_int_equal(rte_mbuf_refcnt_read(held), 1);
		rte_pktmbuf_free(held);
	}
}

/* nb_segs is a number of 16 bits; as many mbufs are not needed to see what happens at its end. */
static void
too_many_segments(void **state)
{
	const uint16_t lens[] = {10, 10};
	struct skb *const skb = world_packet(&w, 0, lens, 1, bytes);
	struct rte_mbuf *const frag = world_chain(&w, 0, lens, 1, bytes + 10);

	skb->mbuf->nb_segs = RTE_MBUF_MAX_NB_SEGS;
	assert_int_equal(skb_add_frag(&w.cpu, skb, frag), -EOVERFLOW);
	assert_int_equal(skb->mbuf->nb_segs, RTE_MBUF_MAX_NB_SEGS);
	skb->mbuf->nb_segs = RTE_MBUF_MAX_NB_SEGS - 1;
	assert_int_equal(skb_add_frag(&w.cpu, skb, frag), 0);
	assert_int_equal(skb->mbuf->nb_segs, RTE_MBUF_MAX_NB_SEGS);
	skb->mbuf->nb_segs = 2;
	end(skb, 0, 20);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_pull_head, setup, teardown),
		cmocka_unit_test_setup_teardown(each_linearize, setup, teardown),
		cmocka_unit_test_setup_teardown(each_trim, setup, teardown),
		cmocka_unit_test_setup_teardown(each_pull, setup, teardown),
		cmocka_unit_test_setup_teardown(each_copy_bits, setup, teardown),
		cmocka_unit_test_setup_teardown(each_add_frag, setup, teardown),
		cmocka_unit_test_setup_teardown(each_write, setup, teardown),
		cmocka_unit_test_setup_teardown(a_fragment_that_others_hold, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_segments, setup, teardown),
	};

	if (rte_eal_init(argc, argv) < 0 || mempool_magazine_register() < 0)
		return 1;

	const int failed = cmocka_run_group_tests_name("skb/chain", tests, NULL, NULL);

	rte_eal_cleanup();
	return failed;
}
