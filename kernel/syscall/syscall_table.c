/* SPDX-License-Identifier: BSD-2-Clause */
/* See syscall_table.h and syscalls.h. */
#include "kernel/syscall/syscalls.h"

#define ARGUMENT(type, argument_name, kind) {#argument_name, PITOT_CALL_##kind},
#define CALL(number, call_name, arguments)  {(number), #call_name, {arguments}},

const struct pitot_call syscall_table[] = {SYSCALLS(CALL, ARGUMENT)};
const unsigned syscall_count = sizeof(syscall_table) / sizeof(syscall_table[0]);
