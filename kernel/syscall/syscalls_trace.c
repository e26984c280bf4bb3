/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See syscalls_trace.h. Each call's two tracepoints are generated from the table. The macros of
 * core/tracepoint/define.h need field names; here every record consists of the call's number, then
 * a word for each argument or for the result. Hits run in the calling thread, interrupts off.
 */
#include "kernel/syscall/syscalls_trace.h"

#include "core/lib/string.h"
#include "kernel/syscall/syscalls.h"
#include "kernel/user/process.h"

#define PATH_SIZE (2 * (TRACEPOINT_TEXT_SIZE - 1) + 1) /* the path is split into two fields */

static void find_path(struct trace_hit *hit);

TRACEPOINT_DEFINE_AT(raw_syscalls, sys_enter, RAW_SYS_ENTER_FIELDS, .find_late = find_path,
                     .late = TRACEPOINT_FIELD(raw_syscalls_sys_enter, path));
TRACEPOINT_DEFINE_AT(raw_syscalls, sys_exit, RAW_SYS_EXIT_FIELDS);

_Static_assert(TRACEPOINT_COUNT_raw_syscalls_sys_enter == RAW_SYS_ENTER_COUNT, "a word for each");
_Static_assert(PATH_SIZE <= SYSCALL_PATH_WORDS * sizeof(uint64_t), "there is room");

/* The record of one call. 4 bytes follow the words, so that the record ends on a multiple of 8. */
struct syscall_record {
    struct tracepoint_head head;
    int32_t nr;
    uint64_t words[];
};

#define RECORD_OFFSET(member) offsetof(struct syscall_record, member)

ARCH_HIT_TEXT static char *make_record(const struct tracepoint *tracepoint, char *restrict record,
                                       const uint64_t *restrict argument)
{
    unsigned count = tracepoint->field_count;

    tracepoint_store(record + RECORD_OFFSET(nr), sizeof(uint32_t), argument[0]);
    for (unsigned i = 1; i < count; i++)
        tracepoint_store(record + tracepoint->field[i].offset, sizeof(uint64_t), argument[i]);
    record += tracepoint->raw_size;
    tracepoint_store(record - sizeof(uint32_t), sizeof(uint32_t), 0);
    return record;
}

/* Field type of each kind in the table, and how it is printed. */
#define KIND_FD   TRACEPOINT_s64
#define KIND_INT  TRACEPOINT_s64
#define KIND_SIZE TRACEPOINT_u64
#define KIND_HEX  TRACEPOINT_u64
#define KIND_PATH TRACEPOINT_pointer
#define KIND_IN   TRACEPOINT_pointer
#define KIND_OUT  TRACEPOINT_pointer

#define PRINT_FD   "%ld"
#define PRINT_INT  "%ld"
#define PRINT_SIZE "%lu"
#define PRINT_HEX  "0x%lx"
#define PRINT_PATH "%p"
#define PRINT_IN   "%p"
#define PRINT_OUT  "%p"

#define FIELD_NR                                                                                   \
    {                                                                                              \
        "__syscall_nr", "NR %d", TRACEPOINT_s32, RECORD_OFFSET(nr), sizeof(int32_t)                \
    }

/* syscall_trace_init sets the offsets, in the order of the fields. */
#define FIELD_ARGUMENT(type, name, kind)                                                           \
    {#name, " " #name "=" PRINT_##kind, KIND_##kind, 0, sizeof(uint64_t)},

#define COUNT(fields)    (sizeof(fields) / sizeof((fields)[0]))
#define RAW_SIZE(fields) TRACEPOINT_RAW_SIZE(RECORD_OFFSET(words) + 8 * (COUNT(fields) - 1))

#define TRACEPOINT_OF(prefix, call_name)                                                           \
    struct tracepoint tracepoint_syscalls_##prefix##_##call_name = {                               \
        .gated = {tracepoint_hit_at},                                                              \
        .full_name = "syscalls:" #prefix "_" #call_name,                                           \
        .name = #prefix "_" #call_name,                                                            \
        .field = fields_##prefix##_##call_name,                                                    \
        .field_count = COUNT(fields_##prefix##_##call_name),                                       \
        .raw_size = RAW_SIZE(fields_##prefix##_##call_name),                                       \
        .make = make_record};                                                                      \
    __attribute__((section("tracepoints"),                                                         \
                   used)) static struct tracepoint *const trace_entry_##prefix##_##call_name =     \
        &tracepoint_syscalls_##prefix##_##call_name;

#define TRACEPOINTS_OF(number, call_name, arguments)                                               \
    static struct tracepoint_field fields_sys_enter_##call_name[] = {FIELD_NR, arguments};         \
    static struct tracepoint_field fields_sys_exit_##call_name[] = {                               \
        FIELD_NR, {"ret", " = %ld", TRACEPOINT_s64, 0, sizeof(uint64_t)}};                         \
    _Static_assert(COUNT(fields_sys_enter_##call_name) <= 1 + SYSCALL_ARGUMENTS_MAX,               \
                   "words for all");                                                               \
    TRACEPOINT_OF(sys_enter, call_name)                                                            \
    TRACEPOINT_OF(sys_exit, call_name)

SYSCALLS(TRACEPOINTS_OF, FIELD_ARGUMENT)

_Static_assert(RECORD_OFFSET(words) + sizeof(uint64_t) * SYSCALL_ARGUMENTS_MAX <=
                   TRACEPOINT_RECORD_MAX,
               "a sample has room for it");

static void lay_out(struct tracepoint_field *fields, size_t count)
{
    for (size_t i = 1; i < count; i++)
        fields[i].offset = (uint16_t)(RECORD_OFFSET(words) + (i - 1) * sizeof(uint64_t));
}

void syscall_trace_init(void)
{
#define LAY_OUT(number, call_name, arguments)                                                      \
    lay_out(fields_sys_enter_##call_name, COUNT(fields_sys_enter_##call_name));                    \
    lay_out(fields_sys_exit_##call_name, COUNT(fields_sys_exit_##call_name));
#define NO_ARGUMENT(type, name, kind)
    SYSCALLS(LAY_OUT, NO_ARGUMENT)
#undef LAY_OUT
}

/* Returns the index of the first argument that is a path, or SYSCALL_ARGUMENTS_MAX. */
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
        static const bool paths[SYSCALL_ARGUMENTS_MAX + 1] = {arguments};                          \
        while (index < SYSCALL_ARGUMENTS_MAX && !paths[index])                                     \
            index++;                                                                               \
        return index;                                                                              \
    }
    unsigned index = 0;

    switch (number) {
        SYSCALLS(PATHS_OF, IS_PATH_ARGUMENT)
    default:
        return SYSCALL_ARGUMENTS_MAX;
    }
}

/* Reads as much of the path as fits; dots at the end show that it is longer. */
ARCH_HIT_TEXT static void find_path(struct trace_hit *hit)
{
    const struct process *process = process_current();
    char *text = (char *)(hit->argument + RAW_SYS_ENTER_COUNT);
    unsigned index = path_argument(hit->argument[0]), length = 0;

    if (index < SYSCALL_ARGUMENTS_MAX)
        while (
            length < PATH_SIZE &&
            arch_user_read(process->space, hit->argument[1 + index] + length, text + length, 1) &&
            text[length] != '\0')
            length++;
    if (length == PATH_SIZE) {
        length--;
        memcpy(text + length - 3, "...", 3);
    }
    text[length] = '\0';
    hit->argument[TRACEPOINT_FIELD(raw_syscalls_sys_enter, path)] = (uintptr_t)text;
    hit->argument[TRACEPOINT_FIELD(raw_syscalls_sys_enter, path_more)] =
        length < TRACEPOINT_TEXT_SIZE ? 0 : (uintptr_t)text + TRACEPOINT_TEXT_SIZE - 1;
}
