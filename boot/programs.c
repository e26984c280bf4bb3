/* SPDX-License-Identifier: BSD-2-Clause */
/* See boot.h. */
#include "boot/boot.h"

#include "arch/memory.h"
#include "core/lib/print.h"
#include "kernel/console/input_wait.h"
#include "kernel/fs/ustar.h"
#include "kernel/memory/pages.h"
#include "kernel/user/process.h"
#include "kernel/x86_64/memory/image.h"
#include "kernel/x86_64/user.h"

/* Unpacks the module into the file system, and frees its pages, which were reserved until now. */
static void take_module(const struct boot_information *information)
{
    const struct paging_range *module = &information->module;
    struct refusal why;

    if (unpack(direct_address(information->module_start), information->module_size, &why))
        print("Pitot: programs are missing: %s\n", why.text);
    pages_add((uintptr_t)direct_address(module->start), (module->end - module->start) / PAGE_SIZE);
}

void programs_init(const struct boot_information *information)
{
    const char *missing = arch_user_missing();

    if (missing)
        print("Pitot: no programs: %s\n", missing);
    process_init();
    process_set_console_hook(input_wake);
    if (information->module_size > 0)
        take_module(information);
    else
        print("Pitot: no programs: the boot loader gave no module\n");
}
