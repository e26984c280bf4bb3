/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the layouts of core/pitot.h, one per line, as rust_layout.rs prints those of
 * ports/rust/pitot.rs: tests/boot/ports_rust.t compares them.
 */
#include <stddef.h>
#include <stdio.h>

#include "core/pitot.h"

#define SIZE(type) printf("%s %zu\n", #type, sizeof(struct pitot_##type))
#define PLACE(type, member)                                                                        \
    printf("%s.%s %zu\n", #type, #member, offsetof(struct pitot_##type, member))
#define KIND(kind) printf("%s %d %zu\n", #kind, PITOT_KIND_##kind, sizeof(pitot_as_##kind))

int main(void)
{
    SIZE(kernel);
    PLACE(kernel, text);
    PLACE(kernel, text_end);
    PLACE(kernel, build_id);
    PLACE(kernel, name);
    PLACE(kernel, cpus);
    PLACE(kernel, frame);
    PLACE(kernel, traps);
    PLACE(kernel, trap_count);
    PLACE(kernel, gate);
    PLACE(kernel, gate_end);
    PLACE(kernel, debug_ist);
    PLACE(kernel, write_port);
    PLACE(kernel, gdb_port);
    PLACE(kernel, gate_stack);
    PLACE(kernel, gate_stack_end);
    PLACE(kernel, cpu);
    PLACE(kernel, clock);
    PLACE(kernel, panic);
    PLACE(kernel, write);
    PLACE(kernel, stack);
    PLACE(kernel, mapped);
    printf("kernel.more %zu\n", offsetof(struct pitot_kernel, interrupt_others));
    SIZE(field);
    PLACE(field, name);
    PLACE(field, print);
    PLACE(field, kind);
    PLACE(field, offset);
    PLACE(field, size);
    SIZE(tracepoint);
    PLACE(tracepoint, enter);
    PLACE(tracepoint, gate);
    PLACE(tracepoint, full_name);
    PLACE(tracepoint, name);
    PLACE(tracepoint, field);
    PLACE(tracepoint, field_count);
    PLACE(tracepoint, raw_size);
    PLACE(tracepoint, id);
    PLACE(tracepoint, probes);
    PLACE(tracepoint, make);
    PLACE(tracepoint, in_memory);
    PLACE(tracepoint, weighted);
    PLACE(tracepoint, weight);
    PLACE(tracepoint, late);
    PLACE(tracepoint, find_late);
    PLACE(tracepoint, tell_state);
    KIND(pointer);
    KIND(function);
    KIND(code);
    KIND(u32);
    KIND(s32);
    KIND(u64);
    KIND(s64);
    KIND(text);
    KIND(state);
    KIND(gfp);
    return 0;
}
