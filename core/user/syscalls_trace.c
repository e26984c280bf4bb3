/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See syscalls_trace.h. The two of each call come from the table, so they are no work of the
 * macros in core/perf/tracepoint.h, which want a list of fields by name: all have the same record,
 * the number and a word for each argument or the result. Task context of the calling thread.
 */
#include "core/user/syscalls_trace.h"

#include "core/string.h"
#include "core/user/process.h"
#include "core/user/syscalls.h"

TRACEPOINT_DEFINE_AT(raw_syscalls, sys_enter, RAW_SYS_ENTER_FIELDS);
TRACEPOINT_DEFINE_AT(raw_syscalls, sys_exit, RAW_SYS_EXIT_FIELDS);

#define ARGUMENTS_MAX 6
#define PATH_SIZE     (2 * (TRACEPOINT_TEXT_SIZE - 1) + 1) /* in two fields */

/* Of one call. It lies 4 bytes behind a multiple of 8, as struct tracepoint_raw wants it. */
struct syscall_record {
    uint32_t unused, size;
    struct tracepoint_head head;
    int32_t nr;
    uint64_t words[ARGUMENTS_MAX];
    uint64_t padding;
};

#define RECORD_OFFSET(member)                                                                      \
    (offsetof(struct syscall_record, member) - offsetof(struct syscall_record, head))

/* What each kind of the table is as a field, and how it is printed. */
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

/* Offsets are syscall_trace_init's: by their order. */
#define FIELD_ARGUMENT(type, name, kind)                                                           \
    {#name, " " #name "=" PRINT_##kind, KIND_##kind, 0, sizeof(uint64_t)},

/* A call never reaches them: its sites lead to syscall_trace_enter and syscall_trace_exit. */
static void nobody(void)
{
}

static void (*unused_call)(void) = nobody;

#define COUNT(fields)    (sizeof(fields) / sizeof((fields)[0]))
#define RAW_SIZE(fields) TRACEPOINT_RAW_SIZE(RECORD_OFFSET(words) + 8 * (COUNT(fields) - 1))

#define TRACEPOINT_OF(prefix, call_name)                                                           \
    struct tracepoint tracepoint_syscalls_##prefix##_##call_name = {                               \
        .full_name = "syscalls:" #prefix "_" #call_name,                                           \
        .name = #prefix "_" #call_name,                                                            \
        .field = fields_##prefix##_##call_name,                                                    \
        .field_count = COUNT(fields_##prefix##_##call_name),                                       \
        .raw_size = RAW_SIZE(fields_##prefix##_##call_name),                                       \
        .call = &unused_call,                                                                      \
        .plain = nobody,                                                                           \
        .with_registers = nobody};                                                                 \
    __attribute__((section("tracepoints"),                                                         \
                   used)) static struct tracepoint *const trace_entry_##prefix##_##call_name =     \
        &tracepoint_syscalls_##prefix##_##call_name;

#define TRACEPOINTS_OF(number, call_name, arguments)                                               \
    static struct tracepoint_field fields_sys_enter_##call_name[] = {FIELD_NR, arguments};         \
    static struct tracepoint_field fields_sys_exit_##call_name[] = {                               \
        FIELD_NR, {"ret", " = %ld", TRACEPOINT_s64, 0, sizeof(uint64_t)}};                         \
    _Static_assert(COUNT(fields_sys_enter_##call_name) <= 1 + ARGUMENTS_MAX, "words for all");     \
    TRACEPOINT_OF(sys_enter, call_name)                                                            \
    TRACEPOINT_OF(sys_exit, call_name)

SYSCALLS(TRACEPOINTS_OF, FIELD_ARGUMENT)

_Static_assert(RECORD_OFFSET(words) + sizeof(uint64_t) * ARGUMENTS_MAX <= TRACEPOINT_RECORD_MAX,
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

/* Which argument is the first text; ARGUMENTS_MAX: none. */
static unsigned path_argument(uint64_t number)
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

/* As much as there is room for; dots say that it goes on. */
static void take_path(char *text, const struct regs *regs)
{
    const struct process *process = process_current();
    unsigned index = path_argument(regs->error), length = 0;

    if (index < ARGUMENTS_MAX)
        while (length < PATH_SIZE &&
               arch_user_read(process->space, syscall_argument(regs, index) + length, text + length,
                              1) &&
               text[length] != '\0')
            length++;
    if (length == PATH_SIZE) {
        length--;
        memcpy(text + length - 3, "...", 3);
    }
    text[length] = '\0';
}

void syscall_trace_raw_enter(const struct regs *regs)
{
    char path[PATH_SIZE];

    take_path(path, regs);
    TRACE_AT(raw_syscalls_sys_enter, regs, (int64_t)regs->error, regs->di, regs->si, regs->dx,
             regs->r10, regs->r8, regs->r9, path,
             strlen(path) < TRACEPOINT_TEXT_SIZE ? NULL : path + TRACEPOINT_TEXT_SIZE - 1);
}

void syscall_trace_enter(const struct tracepoint *tracepoint, const struct regs *regs)
{
    struct syscall_record record = {.size = tracepoint->raw_size, .nr = (int32_t)regs->error};

    for (unsigned i = 0; i + 1 < tracepoint->field_count; i++)
        record.words[i] = syscall_argument(regs, i);
    tracepoint_hit_at(tracepoint, (struct tracepoint_raw *)&record.size, regs);
}

void syscall_trace_exit(const struct tracepoint *tracepoint, const struct regs *regs,
                        int64_t result)
{
    struct syscall_record record = {
        .size = tracepoint->raw_size, .nr = (int32_t)regs->error, .words = {(uint64_t)result}};

    tracepoint_hit_at(tracepoint, (struct tracepoint_raw *)&record.size, regs);
}
