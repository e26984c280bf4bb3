/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See proof_shapes.h. Each function keeps its frame (noinline), and calls through pointers that are
 * opaque to the compiler, so that it keeps its shape.
 */
#include "tests/kernel/proof_shapes.h"

#include "core/lib/string.h"

#define SHAPE __attribute__((noinline, used))

typedef uint64_t shape(uint64_t value);

static volatile uint64_t opaque = 3;

SHAPE uint64_t shape_leaf(uint64_t value)
{
    return value * opaque;
}

static shape *volatile leaf = shape_leaf;

/* A frame that is only a return address. */
SHAPE static uint64_t shape_calling(uint64_t value)
{
    return leaf(value) + 1;
}

/* Saves every callee-saved register. */
SHAPE uint64_t shape_many_registers(uint64_t value)
{
    uint64_t a = opaque, b = a + opaque, c = b * opaque, d = c ^ opaque, e = d + opaque;

    for (uint64_t i = 0; i < opaque; i++) {
        a += leaf(b);
        b ^= leaf(c);
        c += leaf(d);
        d ^= leaf(e);
        e += leaf(a + value);
    }
    return a ^ b ^ c ^ d ^ e;
}

/* Arguments on the stack: the stack pointer moves around the call. */
SHAPE static uint64_t shape_nine(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                                 uint64_t f, uint64_t g, uint64_t h, uint64_t i)
{
    return leaf(a + b) + leaf(c + d) + leaf(e + f) + leaf(g + h) + i;
}

SHAPE static uint64_t shape_stack_arguments(uint64_t value)
{
    uint64_t o = opaque;

    return shape_nine(value, o, o + 1, o + 2, o + 3, o + 4, o + 5, value + o, leaf(o)) + leaf(o);
}

SHAPE static uint64_t shape_large(uint64_t value)
{
    char bytes[1500];

    memset(bytes, (int)value, sizeof(bytes));
    return leaf((uint8_t)bytes[value % sizeof(bytes)]);
}

/*
 * The stack pointer moves by an amount known only at run time, so the frame is relative to rbp,
 * which the callee uses for something else.
 */
SHAPE static uint64_t shape_variable(uint64_t value)
{
    char *bytes = __builtin_alloca(16 + value % 64);

    memset(bytes, 1, 16 + value % 64);
    return shape_many_registers((uint8_t)bytes[15]);
}

SHAPE static uint64_t shape_realigned(uint64_t value)
{
    _Alignas(64) char bytes[64];

    memset(bytes, (int)value, sizeof(bytes));
    return leaf((uint8_t)bytes[opaque]) + ((uintptr_t)bytes & 63);
}

/* Both: no constant gives the distance between the frame and the stack pointer. */
SHAPE uint64_t shape_realigned_variable(uint64_t value)
{
    _Alignas(64) char bytes[64];
    char *more = __builtin_alloca(16 + value % 64);

    memset(bytes, (int)value, sizeof(bytes));
    memset(more, 2, 16 + value % 64);
    return leaf((uint8_t)bytes[opaque]) + leaf((uint8_t)more[3]) + ((uintptr_t)bytes & 63);
}

/* Returns early, before it has saved what the rest needs. */
SHAPE static uint64_t shape_early(uint64_t value)
{
    if (value % 2)
        return opaque;
    return shape_many_registers(value) + leaf(value);
}

SHAPE static uint64_t shape_switch(uint64_t value)
{
    switch (value % 8) {
    case 0:
        return leaf(value);
    case 1:
        return shape_calling(value) + 2;
    case 2:
        return opaque << 3;
    case 3:
        return leaf(leaf(value));
    case 4:
        return value ^ opaque;
    case 5:
        return shape_variable(value);
    case 6:
        return leaf(value) / (opaque + 1);
    default:
        return value + 1;
    }
}

SHAPE uint64_t shape_recursive(uint64_t depth)
{
    static shape *volatile deeper = shape_recursive;

    return depth > 0 ? deeper(depth - 1) + 1 : leaf(1);
}

SHAPE uint64_t shape_tail_called(uint64_t value)
{
    return leaf(value) ^ value;
}

SHAPE _Noreturn void shape_never_returning(uint64_t value)
{
    leaf(value);
    shape_escape();
}

static shape *const shapes[] = {
    shape_leaf,   shape_calling,  shape_many_registers, shape_stack_arguments,
    shape_large,  shape_variable, shape_realigned,      shape_early,
    shape_switch, shape_pushing,  shape_framed,
};

uint64_t shapes_run(void)
{
    char from[40], to[40];
    uint64_t sum = 0;

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        for (uint64_t value = 0; value < 8; value++)
            sum += shapes[i](value);
    memset(from, 5, sizeof(from));
    sum += shape_string(to, from, sizeof(to));
    sum += shape_recursive(SHAPE_DEPTH);
    sum += shape_tail_calling(sum, shape_tail_called);
    shape_try(shape_never_returning_caller, sum);
    shape_exception();
    return sum;
}

uint64_t shapes_run_realigned(void)
{
    uint64_t sum = 0;

    for (uint64_t value = 0; value < 8; value++)
        sum += shape_realigned_variable(value);
    return sum;
}
