/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See syscalls.h. The tracepoints of system calls: raw_syscalls:sys_enter and sys_exit for all,
 * syscalls:sys_enter_NAME and sys_exit_NAME for each. A sample's call chain begins at the
 * tracepoint's site, before or after the call, and continues to the program's `syscall`. Each
 * call's two are generated from the table: the call's number, then a word for each argument or for
 * the result; pitot_init lays out their records. Hits run in the calling thread, interrupts off.
 */
#include "kernel/syscall/syscalls.h"

#include <linux/errno.h>
#include <stddef.h>

#include "arch/regs.h"
#include "kernel/user/process.h"

/* Reads a string of the calling program. */
ARCH_HIT_TEXT static unsigned long read_text(unsigned long address, char *to, unsigned long room)
{
    const struct process *process = process_current();
    unsigned long length = 0;

    while (length < room && arch_user_read(process->space, address + length, to + length, 1) &&
           to[length] != '\0')
        length++;
    return length;
}

ARCH_HIT_TEXT static void find_path(unsigned long *argument)
{
    pitot_call_path(argument, read_text);
}

PITOT_CALLS(find_path);

/* Field type of each kind in the table, and how it is printed. */
#define KIND_FD   PITOT_KIND_s64
#define KIND_INT  PITOT_KIND_s64
#define KIND_LONG PITOT_KIND_s64
#define KIND_SIZE PITOT_KIND_u64
#define KIND_HEX  PITOT_KIND_u64
#define KIND_PATH PITOT_KIND_pointer
#define KIND_IN   PITOT_KIND_pointer
#define KIND_OUT  PITOT_KIND_pointer

#define PRINT_FD   "%ld"
#define PRINT_INT  "%ld"
#define PRINT_LONG "%ld"
#define PRINT_SIZE "%lu"
#define PRINT_HEX  "0x%lx"
#define PRINT_PATH "%p"
#define PRINT_IN   "%p"
#define PRINT_OUT  "%p"

#define FIELD_NR                                                                                   \
    {                                                                                              \
        "__syscall_nr", "NR %d", PITOT_KIND_s32, 0, sizeof(int32_t)                                \
    }
#define FIELD_ARGUMENT(type, name, kind)                                                           \
    {#name, " " #name "=" PRINT_##kind, KIND_##kind, 0, sizeof(uint64_t)},
#define COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))

#define TRACEPOINT_OF(prefix, call_name)                                                           \
    struct pitot_tracepoint pitot_tracepoint_##prefix##_##call_name = {                            \
        .full_name = "syscalls:" #prefix "_" #call_name,                                           \
        .name = #prefix "_" #call_name,                                                            \
        .field = fields_##prefix##_##call_name,                                                    \
        .field_count = COUNT(fields_##prefix##_##call_name),                                       \
        .in_memory = 1};                                                                           \
    __attribute__((section("pitot_tracepoints"),                                                   \
                   used)) static struct pitot_tracepoint *const entry_##prefix##_##call_name =     \
        &pitot_tracepoint_##prefix##_##call_name;

#define TRACEPOINTS_OF(number, call_name, arguments)                                               \
    static struct pitot_field fields_sys_enter_##call_name[] = {FIELD_NR, arguments};              \
    static struct pitot_field fields_sys_exit_##call_name[] = {                                    \
        FIELD_NR, {"ret", " = %ld", PITOT_KIND_s64, 0, sizeof(uint64_t)}};                         \
    _Static_assert(COUNT(fields_sys_enter_##call_name) <= 1 + PITOT_CALL_ARGUMENTS,                \
                   "words for all");                                                               \
    TRACEPOINT_OF(sys_enter, call_name)                                                            \
    TRACEPOINT_OF(sys_exit, call_name)

SYSCALLS(TRACEPOINTS_OF, FIELD_ARGUMENT)

/* --- The calls. --- */

/*
 * Called with the program's registers if PITOT_ON is true. Inline, so that samples begin in the
 * function that contains the site.
 */
__attribute__((always_inline)) static inline void
syscall_trace_enter(struct pitot_tracepoint *tracepoint, const struct regs *regs)
{
    unsigned long argument[] = {regs->error, regs->di, regs->si, regs->dx,
                                regs->r10,   regs->r8, regs->r9};

    pitot_raise_memory(tracepoint, argument, NULL);
}

__attribute__((always_inline)) static inline void
syscall_trace_exit(struct pitot_tracepoint *tracepoint, const struct regs *regs, int64_t result)
{
    unsigned long argument[] = {regs->error, (unsigned long)result};

    pitot_raise_memory(tracepoint, argument, NULL);
}

#define SYSCALL_NO_ARGUMENT(type, name, kind)

/* Wraps each call in its tracepoints. */
#define SYSCALL_TRACED(number, name, arguments)                                                    \
    __attribute__((always_inline)) static inline int64_t traced_##name(const struct regs *regs)    \
    {                                                                                              \
        int64_t result;                                                                            \
                                                                                                   \
        if (PITOT_ON(sys_enter_##name))                                                            \
            syscall_trace_enter(&pitot_tracepoint_sys_enter_##name, regs);                         \
        result = sys_##name(regs);                                                                 \
        if (PITOT_ON(sys_exit_##name))                                                             \
            syscall_trace_exit(&pitot_tracepoint_sys_exit_##name, regs, result);                   \
        return result;                                                                             \
    }

SYSCALLS(SYSCALL_TRACED, SYSCALL_NO_ARGUMENT)

/* Inline, so that call chains show a single path from the entry to each call. */
__attribute__((always_inline)) static inline int64_t syscall_call(const struct regs *regs)
{
#define SYSCALL_CASE(number, name, arguments)                                                      \
    case number:                                                                                   \
        return traced_##name(regs);

    switch (regs->error) {
        SYSCALLS(SYSCALL_CASE, SYSCALL_NO_ARGUMENT)
    default:
        return -ENOSYS;
    }
}

void syscall_dispatch(struct regs *regs)
{
    int64_t result;

    PITOT_CALL_BEGINS(regs->error, regs->di, regs->si, regs->dx, regs->r10, regs->r8, regs->r9);
    result = syscall_call(regs);
    PITOT_CALL_ENDS(regs->error, result);
    regs->ax = (uint64_t)result;
}
