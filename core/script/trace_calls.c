/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace_calls.h. */
#include "core/script/trace_calls.h"

#include <linux/errno.h>

#include "core/abi/syscalls.h"
#include "core/lib/string.h"

#define TRACE_ARGUMENT(type, argument_name, kind) {#argument_name, TRACE_##kind},
#define TRACE_CALL(number, call_name, arguments)  {(number), #call_name, {arguments}},

static const struct trace_call calls[] = {SYSCALLS(TRACE_CALL, TRACE_ARGUMENT)};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

_Static_assert(CALLS <= TRACE_CALLS_MAX, "arrays of calls have room for all");

/* Errors with the C library's messages, which perf prints. */
static const struct trace_error errors[] = {
    {EPERM, "EPERM", "Operation not permitted"},
    {ENOENT, "ENOENT", "No such file or directory"},
    {ESRCH, "ESRCH", "No such process"},
    {EINTR, "EINTR", "Interrupted system call"},
    {EIO, "EIO", "Input/output error"},
    {E2BIG, "E2BIG", "Argument list too long"},
    {ENOEXEC, "ENOEXEC", "Exec format error"},
    {EBADF, "EBADF", "Bad file descriptor"},
    {ECHILD, "ECHILD", "No child processes"},
    {EAGAIN, "EAGAIN", "Resource temporarily unavailable"},
    {ENOMEM, "ENOMEM", "Cannot allocate memory"},
    {EACCES, "EACCES", "Permission denied"},
    {EFAULT, "EFAULT", "Bad address"},
    {EBUSY, "EBUSY", "Device or resource busy"},
    {EEXIST, "EEXIST", "File exists"},
    {ENODEV, "ENODEV", "No such device"},
    {ENOTDIR, "ENOTDIR", "Not a directory"},
    {EISDIR, "EISDIR", "Is a directory"},
    {EINVAL, "EINVAL", "Invalid argument"},
    {EMFILE, "EMFILE", "Too many open files"},
    {EFBIG, "EFBIG", "File too large"},
    {ENOSPC, "ENOSPC", "No space left on device"},
    {ESPIPE, "ESPIPE", "Illegal seek"},
    {ERANGE, "ERANGE", "Numerical result out of range"},
    {ENAMETOOLONG, "ENAMETOOLONG", "File name too long"},
    {ENOSYS, "ENOSYS", "Function not implemented"},
    {ENOTEMPTY, "ENOTEMPTY", "Directory not empty"},
};

const struct trace_call *trace_call_at(unsigned index)
{
    return index < CALLS ? &calls[index] : NULL;
}

int trace_call_by_number(uint64_t number)
{
    for (unsigned i = 0; i < CALLS; i++)
        if (calls[i].number == number)
            return (int)i;
    return -1;
}

int trace_call_by_name(const char *name, size_t length)
{
    for (unsigned i = 0; i < CALLS; i++)
        if (strlen(calls[i].name) == length && strncmp(calls[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

const struct trace_error *trace_error_find(uint64_t number)
{
    for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].number == number)
            return &errors[i];
    return NULL;
}
