/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF file of the kernel that is watched, by elfutils: its symbols, its build id, where its
 * code lies, and the call chain of a CPU that has stopped. Any x86-64 kernel that is linked at the
 * addresses that it runs at; nothing of Pitot's is looked for in it. Functions that return false
 * have printed the reason.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_BUILD_ID_SIZE 20 /* what a record of perf has room for */
#define CHAIN_MOST           127

struct kernel {
    const char *path;
    uint8_t build_id[KERNEL_BUILD_ID_SIZE];
    bool has_build_id;
    uint64_t text, text_size; /* from the symbol _text, where there is one */
};

/* The registers that unwinding starts from, by DWARF's numbers: rax, rdx, rcx, rbx, ... */
enum { DWARF_RSP = 7, DWARF_RIP = 16, DWARF_REGISTERS = 17 };

/* What the machine answers while it stands still. */
struct machine {
    uint64_t registers[DWARF_REGISTERS];
    bool (*read_word)(struct machine *machine, uint64_t address, uint64_t *word);
};

bool kernel_open(struct kernel *kernel, const char *path);
void kernel_close(void);

/* A symbol's address and size; false, and the reason printed, for none or several of that name. */
bool kernel_find(const struct kernel *kernel, const char *name, uint64_t *address, uint64_t *size);

/*
 * The chain from the innermost frame on: addresses as perf wants them, the place itself first, then
 * return addresses in the kernel's code. *whole: it came to where CFI says that no caller is; else
 * it ended where no caller was found.
 */
size_t kernel_chain(const struct kernel *kernel, struct machine *machine,
                    uint64_t chain[CHAIN_MOST], bool *whole);
