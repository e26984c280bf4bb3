/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See syscalls_trace.h. Each call's two tracepoints are generated from the table: the call's
 * number, then a word for each argument or for the result; pitot_init lays out their records. Hits
 * run in the calling thread, interrupts off.
 */
#include "kernel/syscall/syscalls_trace.h"

#include "core/lib/string.h"
#include "core/script/raw_syscalls.h"
#include "kernel/syscall/syscalls.h"
#include "kernel/user/process.h"

#define ARGUMENTS_MAX 6
#define TEXT_SIZE     sizeof(pitot_as_text)
#define PATH_SIZE     (2 * (TEXT_SIZE - 1) + 1) /* the path is split into two fields */

static void find_path(unsigned long *argument);

PITOT_TRACEPOINT_WITH(raw_syscalls, sys_enter,
                      (.late = PITOT_INDEX(sys_enter, path), .find_late = find_path), 9,
                      RAW_SYS_ENTER_FIELDS);
PITOT_TRACEPOINT(raw_syscalls, sys_exit, 2, RAW_SYS_EXIT_FIELDS);

/* Field type of each kind in the table, and how it is printed. */
#define KIND_FD   PITOT_KIND_s64
#define KIND_INT  PITOT_KIND_s64
#define KIND_SIZE PITOT_KIND_u64
#define KIND_HEX  PITOT_KIND_u64
#define KIND_PATH PITOT_KIND_pointer
#define KIND_IN   PITOT_KIND_pointer
#define KIND_OUT  PITOT_KIND_pointer

#define PRINT_FD   "%ld"
#define PRINT_INT  "%ld"
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
    _Static_assert(COUNT(fields_sys_enter_##call_name) <= 1 + ARGUMENTS_MAX, "words for all");     \
    TRACEPOINT_OF(sys_enter, call_name)                                                            \
    TRACEPOINT_OF(sys_exit, call_name)

SYSCALLS(TRACEPOINTS_OF, FIELD_ARGUMENT)

/* Returns the index of the first argument that is a path, or ARGUMENTS_MAX. */
ARCH_HIT_TEXT static unsigned path_argument(uint64_t number)
{
#define IS_FD                              0
#define IS_INT                             0
#define IS_SIZE                            0
#define IS_HEX                             0
#define IS_PATH                            1
#define IS_IN                              0
#define IS_OUT                             0
#define IS_PATH_ARGUMENT(type, name, kind) IS_##kind,
#define PATHS_OF(nr, call_name, arguments)                                                         \
    case nr: {                                                                                     \
        static const bool paths[ARGUMENTS_MAX + 1] = {arguments};                                  \
        while (index < ARGUMENTS_MAX && !paths[index])                                             \
            index++;                                                                               \
        return index;                                                                              \
    }
    unsigned index = 0;

    switch (number) {
        SYSCALLS(PATHS_OF, IS_PATH_ARGUMENT)
    default:
        return ARGUMENTS_MAX;
    }
}

/* Reads as much of the path as fits; dots at the end show that it is longer. */
ARCH_HIT_TEXT static void find_path(unsigned long *argument)
{
    static char path[ARCH_CPUS_MAX][PATH_SIZE]; /* [owning CPU] of its hit */
    const struct process *process = process_current();
    char *text = path[arch_cpu_id()];
    unsigned index = path_argument(argument[0]), length = 0;

    if (index < ARGUMENTS_MAX)
        while (length < PATH_SIZE &&
               arch_user_read(process->space, argument[1 + index] + length, text + length, 1) &&
               text[length] != '\0')
            length++;
    if (length == PATH_SIZE) {
        length--;
        memcpy(text + length - 3, "...", 3);
    }
    text[length] = '\0';
    argument[PITOT_INDEX(sys_enter, path)] = (unsigned long)text;
    argument[PITOT_INDEX(sys_enter, path_more)] =
        length < TEXT_SIZE ? 0 : (unsigned long)text + TEXT_SIZE - 1;
}
