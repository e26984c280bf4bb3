/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which exchanges code waits at (outside/plugin/decode.h): loops of spin locks as compilers
 * write them, against loops that only try again, as those of counters, lists and semaphores.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "outside/plugin/decode.h"

struct code {
    bool waits;
    size_t at, size; /* of the exchange */
    uint8_t bytes[64];
};

static const struct code codes[] = {
    /* pause; mov eax,edx; xchg [rsi],eax; test eax,eax; jne 0 */
    {true, 4, 2, {0xf3, 0x90, 0x89, 0xd0, 0x87, 0x06, 0x85, 0xc0, 0x75, 0xf6}},
    /* xchg [rdi],eax; test eax,eax; je +8; pause; cmp dword [rdi],0; jne -7; jmp 0 */
    {true,
     0,
     2,
     {0x87, 0x07, 0x85, 0xc0, 0x74, 9, 0xf3, 0x90, 0x83, 0x3f, 0, 0x75, 0xf9, 0xeb, 0xf1, 0xc3}},
    /* xor eax,eax; lock cmpxchg [rdi],cl; jne 0 */
    {true, 2, 4, {0x31, 0xc0, 0xf0, 0x0f, 0xb0, 0x0f, 0x75, 0xf8}},
    /* mov eax,0; lock cmpxchg [rip+0],edx; jne (near) 0 */
    {true,
     5,
     8,
     {0xb8, 0, 0, 0, 0, 0xf0, 0x0f, 0xb1, 0x15, 0, 0, 0, 0, 0x0f, 0x85, 0xed, 0xff, 0xff, 0xff}},
    /* lock bts dword [rdi],3; jnc +10; pause; bt dword [rdi],3; jc -8; jmp 0 */
    {true,
     0,
     5,
     {0xf0, 0x0f, 0xba, 0x2f, 3, 0x73, 10, 0xf3, 0x90, 0x0f, 0xba, 0x27, 3, 0x72, 0xf8, 0xeb, 0xef,
      0xc3}},
    /* lock bts [rdi],rsi; sbb eax,eax; test eax,eax; jne 0 */
    {true, 0, 5, {0xf0, 0x48, 0x0f, 0xab, 0x37, 0x19, 0xc0, 0x85, 0xc0, 0x75, 0xf5}},
    /* a search for a bit: lock bts [rdi],rsi; inc rsi; jc 0 */
    {false, 0, 5, {0xf0, 0x48, 0x0f, 0xab, 0x37, 0x48, 0xff, 0xc6, 0x72, 0xf6}},
    /* a list's object: lock bts [rdi],0; jnc +6; mov rdi,[rdi+8]; jmp 0; ret */
    {false, 0, 5, {0xf0, 0x0f, 0xba, 0x2f, 0, 0x73, 6, 0x48, 0x8b, 0x7f, 8, 0xeb, 0xf3, 0xc3}},
    /* ... a field of what a variable points to: jnc +9; mov rdi,[rsi]; mov rdi,[rdi+8]; jmp 0 */
    {true,
     0,
     5,
     {0xf0, 0x0f, 0xba, 0x2f, 0, 0x73, 9, 0x48, 0x8b, 0x3e, 0x48, 0x8b, 0x7f, 8, 0xeb, 0xf0, 0xc3}},
    /* a try: xchg [rdi],eax; test eax,eax; sete al; ret */
    {false, 0, 2, {0x87, 0x07, 0x85, 0xc0, 0x0f, 0x94, 0xc0, 0xc3}},
    /* ... and in a loop over locks: xchg [rdi],eax; add rdi,8; test eax,eax; jne 0 */
    {false, 0, 2, {0x87, 0x07, 0x48, 0x83, 0xc7, 8, 0x85, 0xc0, 0x75, 0xf6}},
    /* ... that calls: xchg [rdi],eax; test eax,eax; je +7; call +0; jmp 0 */
    {false, 0, 2, {0x87, 0x07, 0x85, 0xc0, 0x74, 7, 0xe8, 0, 0, 0, 0, 0xeb, 0xf3, 0xc3}},
    /* a counter: mov eax,[rdi]; lea edx,[rax+1]; lock cmpxchg [rdi],edx; jne 0 */
    {false, 5, 4, {0x8b, 0x07, 0x8d, 0x50, 1, 0xf0, 0x0f, 0xb1, 0x17, 0x75, 0xf5}},
    /* a semaphore with an exit: test eax,eax; js +6; lock cmpxchg [rdi],edx; jne 0 */
    {false, 4, 4, {0x85, 0xc0, 0x78, 6, 0xf0, 0x0f, 0xb1, 0x17, 0x75, 0xf6, 0xc3}},
    /* a list: mov rax,[rdi]; mov rdx,[rax]; lock cmpxchg [rdi],rdx; jne 0 */
    {false, 6, 5, {0x48, 0x8b, 0x07, 0x48, 0x8b, 0x10, 0xf0, 0x48, 0x0f, 0xb1, 0x17, 0x75, 0xf3}},
};

static void loops_that_wait_are_told_from_those_that_try_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
        const struct code *code = &codes[i];
        struct decoded_exchange exchange = decode_exchange(code->bytes + code->at);

        assert_true(exchange.kind != DECODED_NOT_ATOMIC && exchange.kind != DECODED_ATOMIC);
        assert_int_equal(decode_waits(code->bytes, sizeof(code->bytes), code->at,
                                      code->at + code->size, &exchange),
                         code->waits);
    }
}

static void exchanges_have_their_register_and_width(void **state)
{
    static const struct {
        uint8_t bytes[16];
        struct decoded_exchange exchange;
    } rows[] = {
        {{0x87, 0x06}, {DECODED_EXCHANGE, 0, 4, false, 0}},
        {{0x48, 0x87, 0x16}, {DECODED_EXCHANGE, 2, 8, false, 0}},
        {{0x44, 0x86, 0x0f}, {DECODED_EXCHANGE, 9, 1, false, 0}},
        {{0xf0, 0x0f, 0xb0, 0x0f}, {DECODED_COMPARE, 1, 1, false, 0}},
        {{0xf0, 0x4c, 0x0f, 0xb1, 0x07}, {DECODED_COMPARE, 8, 8, false, 0}},
        {{0x86, 0x26}, {DECODED_ATOMIC, 4, 1, false, 0}},       /* ah */
        {{0x66, 0x87, 0x06}, {DECODED_ATOMIC, 0, 4, false, 0}}, /* ax */
        {{0xf0, 0xff, 0x07}, {DECODED_ATOMIC, 0, 0, false, 0}}, /* inc */
        {{0x87, 0xc1}, {DECODED_NOT_ATOMIC, 0, 0, false, 0}},   /* registers */
        {{0x0f, 0xb1, 0x07}, {DECODED_NOT_ATOMIC, 0, 0, false, 0}},
        {{0xf0, 0x4c, 0x0f, 0xab, 0x07}, {DECODED_TEST_SET, 8, 8, false, 0}},
        {{0xf0, 0x0f, 0xba, 0x6f, 8, 31}, {DECODED_TEST_SET, 16, 4, true, 31}},
        {{0xf0, 0x0f, 0xba, 0x2d, 0, 0, 0, 0, 7}, {DECODED_TEST_SET, 16, 4, true, 7}},
        {{0xf0, 0x48, 0x0f, 0xc1, 0x07}, {DECODED_ADD, 0, 8, false, 0}},
        {{0xf0, 0x0f, 0xba, 0x37, 3}, {DECODED_ATOMIC, 0, 0, false, 0}}, /* btr */
        {{0x0f, 0xab, 0x07}, {DECODED_NOT_ATOMIC, 0, 0, false, 0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct decoded_exchange exchange = decode_exchange(rows[i].bytes);

        assert_int_equal(exchange.kind, rows[i].exchange.kind);
        if (exchange.kind == DECODED_NOT_ATOMIC || exchange.kind == DECODED_ATOMIC)
            continue;
        assert_int_equal(exchange.reg, rows[i].exchange.reg);
        assert_int_equal(exchange.width, rows[i].exchange.width);
        assert_int_equal(exchange.has_bit, rows[i].exchange.has_bit);
        assert_int_equal(exchange.bit, rows[i].exchange.bit);
    }
}

static void waits_for_another_word_are_at_loads(void **state)
{
    static const struct {
        bool spins;
        size_t at, size, load;
        uint8_t bytes[64];
    } rows[] = {
        /* lock xadd [rdi],eax; mov edx,[rdi+4]; cmp edx,eax; je +4; pause; jmp -11 */
        {true,
         0,
         4,
         4,
         {0xf0, 0x0f, 0xc1, 0x07, 0x8b, 0x57, 4, 0x39, 0xc2, 0x74, 4, 0xf3, 0x90, 0xeb, 0xf5,
          0xc3}},
        /* xchg [rdi],rsi; test rsi,rsi; je +9; mov [rsi],rdx; cmp dword [rdx+8],0; jne -6 */
        {true,
         0,
         3,
         11,
         {0x48, 0x87, 0x37, 0x48, 0x85, 0xf6, 0x74, 9, 0x48, 0x89, 0x16, 0x83, 0x7a, 8, 0, 0x75,
          0xfa, 0xc3}},
        /* ... after lock xadd a store is more than waiting */
        {false, 0, 4, 0, {0xf0, 0x0f, 0xc1, 0x07, 0x89, 0x16, 0x83, 0x7a, 8, 0, 0x75, 0xfa, 0xc3}},
        /* a comparison without a loop: lock xadd [rdi],eax; cmp eax,[rdi+4]; je +0; ret */
        {false, 0, 4, 4, {0xf0, 0x0f, 0xc1, 0x07, 0x3b, 0x47, 4, 0x74, 0, 0xc3}},
        /* ... that reloads its ticket: mov eax,[rdi+4]; test eax,eax; jne -7 */
        {false, 0, 4, 4, {0xf0, 0x0f, 0xc1, 0x07, 0x8b, 0x47, 4, 0x85, 0xc0, 0x75, 0xf9, 0xc3}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct decoded_exchange exchange = decode_exchange(rows[i].bytes + rows[i].at);
        struct decoded_spin spin =
            decode_spin(rows[i].bytes, sizeof(rows[i].bytes), rows[i].at + rows[i].size, &exchange);

        assert_int_equal(spin.spins, rows[i].spins);
        if (spin.spins)
            assert_int_equal(spin.loads[0], rows[i].load);
    }
}

static void what_atomic_instructions_do_with_bits(void **state)
{
    static const struct {
        uint8_t bytes[16];
        enum decoded_bits bits;
    } rows[] = {
        {{0xf0, 0x83, 0x27, 0xf7}, DECODED_CLEARS_BITS},    /* and dword [rdi],-9 */
        {{0xf0, 0x80, 0x27, 0xf7}, DECODED_CLEARS_BITS},    /* and byte [rdi],... */
        {{0xf0, 0x48, 0x21, 0x07}, DECODED_CLEARS_BITS},    /* and [rdi],rax */
        {{0xf0, 0x0f, 0xba, 0x37, 3}, DECODED_CLEARS_BITS}, /* btr dword [rdi],3 */
        {{0xf0, 0x0f, 0xb3, 0x37}, DECODED_CLEARS_BITS},    /* btr [rdi],esi */
        {{0xf0, 0x09, 0x07}, DECODED_SETS_BITS},            /* or [rdi],eax */
        {{0xf0, 0x83, 0x0f, 8}, DECODED_SETS_BITS},         /* or dword [rdi],8 */
        {{0xf0, 0x0f, 0xbb, 0x37}, DECODED_CHANGES_BITS},   /* btc [rdi],esi */
        {{0xf0, 0x01, 0x07}, DECODED_CHANGES_BITS},         /* add [rdi],eax */
        {{0xf0, 0xff, 0x07}, DECODED_CHANGES_BITS},         /* inc dword [rdi] */
        {{0xf0, 0x0f, 0xc1, 0x07}, DECODED_CHANGES_BITS},   /* xadd [rdi],eax */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_int_equal(decode_bits(rows[i].bytes), rows[i].bits);
}

static void stores_that_may_give_a_lock_back(void **state)
{
    static const struct {
        uint8_t bytes[16];
        bool may;
    } rows[] = {
        {{0xc7, 0x07, 0, 0, 0, 0}, true},    /* mov dword [rdi],0 */
        {{0xc6, 0x05, 0, 0, 0, 0, 0}, true}, /* mov byte [rip+0],0 */
        {{0x44, 0x89, 0x3f}, true},          /* mov [rdi],r15d */
        {{0xff, 0x47, 4}, true},             /* inc dword [rdi+4] */
        {{0x83, 0x27, 0xfe}, true},          /* and dword [rdi],-2 */
        {{0x41, 0xc7, 0x04, 0x24}, true},    /* mov dword [r12],... */
        {{0x89, 0x44, 0x24, 8}, false},      /* mov [rsp+8],eax */
        {{0x8b, 0x07}, false},               /* a load */
        {{0x83, 0x3f, 0}, false},            /* cmp */
        {{0xff, 0x17}, false},               /* call */
        {{0x89, 0xc8}, false},               /* registers */
        {{0xf0, 0xff, 0x07}, false},         /* lock inc */
        {{0x0f, 0xba, 0x37, 3}, true},       /* btr dword [rdi],3 */
        {{0x0f, 0xba, 0x27, 3}, false},      /* bt */
        {{0x0f, 0xb3, 0xf7}, false},         /* btr edi,esi */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_int_equal(decode_may_give(rows[i].bytes), rows[i].may);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_that_wait_are_told_from_those_that_try_again),
        cmocka_unit_test(exchanges_have_their_register_and_width),
        cmocka_unit_test(waits_for_another_word_are_at_loads),
        cmocka_unit_test(what_atomic_instructions_do_with_bits),
        cmocka_unit_test(stores_that_may_give_a_lock_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
