/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel.h. Called by tools/outside/main.c, and for chains by watch.c. */
#include "tools/outside/kernel.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <inttypes.h>
#include <string.h>

#include "tools/outside/complain.h"

/* libdwfl wants threads of processes: here is one, whatever CPU it is at the moment. */
#define ONE_PROCESS 1

static Dwfl *dwfl;
static Dwfl_Module *module;

/* --- The file. --- */

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf, /* asked for nothing: the file is given */
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/*
 * All that is loaded to be executed. Where some of it lies in the high half, what lies low runs
 * before paging, and is left out.
 */
static void find_code(Elf *elf, bool high, uint64_t *start, uint64_t *end)
{
    size_t count = 0;
    GElf_Phdr header;

    *start = UINT64_MAX;
    *end = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
            !(header.p_flags & PF_X) || (high && !(header.p_vaddr >> 63)))
            continue;
        if (header.p_vaddr < *start)
            *start = header.p_vaddr;
        if (header.p_vaddr + header.p_memsz > *end)
            *end = header.p_vaddr + header.p_memsz;
    }
}

/* perf holds the place where code begins against the file's symbol _text, if it has one. */
static bool find_text(struct kernel *kernel, Elf *elf)
{
    uint64_t start, end;

    find_code(elf, true, &start, &end);
    if (start >= end)
        find_code(elf, false, &start, &end);
    if (start >= end)
        return complain("%s: no code is loaded from it", kernel->path);
    for (int i = 0; i < dwfl_module_getsymtab(module); i++) {
        GElf_Sym symbol;
        const char *name = dwfl_module_getsym(module, i, &symbol, NULL);

        if (name && strcmp(name, "_text") == 0)
            start = symbol.st_value;
    }
    kernel->text = start;
    kernel->text_size = end - start;
    return true;
}

static void find_build_id(struct kernel *kernel)
{
    const unsigned char *bits;
    GElf_Addr address;
    int length = dwfl_module_build_id(module, &bits, &address);

    kernel->has_build_id = length == KERNEL_BUILD_ID_SIZE;
    if (kernel->has_build_id)
        memcpy(kernel->build_id, bits, KERNEL_BUILD_ID_SIZE);
}

bool kernel_open(struct kernel *kernel, const char *path)
{
    *kernel = (struct kernel){.path = path};
    dwfl = dwfl_begin(&callbacks);
    if (!dwfl)
        return complain("%s", dwfl_errmsg(-1));
    dwfl_report_begin(dwfl);
    module = dwfl_report_elf(dwfl, "kernel", path, -1, 0, false);
    if (!module)
        return complain("%s: %s", path, dwfl_errmsg(-1));
    dwfl_report_end(dwfl, NULL, NULL);
    GElf_Addr bias;
    GElf_Ehdr header;
    Elf *elf = dwfl_module_getelf(module, &bias);
    if (!elf || !gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64)
        return complain("%s: no ELF file of x86-64", path);
    if (header.e_type != ET_EXEC)
        return complain("%s: not linked at the addresses that it runs at (ET_EXEC)", path);
    if (dwfl_module_getsymtab(module) <= 1)
        return complain("%s: no symbols: the file before `strip` is wanted", path);
    find_build_id(kernel);
    return find_text(kernel, elf);
}

void kernel_close(void)
{
    dwfl_end(dwfl);
}

bool kernel_find(const struct kernel *kernel, const char *name, uint64_t *address, uint64_t *size)
{
    size_t found = 0;

    for (int i = 0; i < dwfl_module_getsymtab(module); i++) {
        GElf_Sym symbol;
        const char *its = dwfl_module_getsym(module, i, &symbol, NULL);

        if (!its || strcmp(its, name) != 0 || symbol.st_shndx == SHN_UNDEF)
            continue;
        if (found > 0 && symbol.st_value == *address)
            continue;
        *address = symbol.st_value;
        *size = symbol.st_size;
        found++;
    }
    if (found == 0)
        return complain("%s has no symbol \"%s\"", kernel->path, name);
    return found == 1 || complain("%s has %zu symbols \"%s\": an address says which (0x...)",
                                  kernel->path, found, name);
}

/* --- Chains. --- */

static pid_t next_thread(Dwfl *of, void *argument, void **thread_argument)
{
    (void)of;
    if (*thread_argument)
        return 0;
    *thread_argument = argument;
    return ONE_PROCESS;
}

static bool get_thread(Dwfl *of, pid_t thread, void *argument, void **thread_argument)
{
    (void)of;
    *thread_argument = argument;
    return thread == ONE_PROCESS;
}

static bool read_memory(Dwfl *of, Dwarf_Addr address, Dwarf_Word *word, void *argument)
{
    struct machine **machine = argument;

    (void)of;
    return (*machine)->read_word(*machine, address, word);
}

static bool set_registers(Dwfl_Thread *thread, void *argument)
{
    struct machine **machine = argument;

    dwfl_thread_state_register_pc(thread, (*machine)->registers[DWARF_RIP]);
    return dwfl_thread_state_registers(thread, 0, DWARF_RIP, (*machine)->registers);
}

static struct machine *asked; /* the machine that the callbacks above ask */

static const Dwfl_Thread_Callbacks thread_callbacks = {.next_thread = next_thread,
                                                       .get_thread = get_thread,
                                                       .memory_read = read_memory,
                                                       .set_initial_registers = set_registers};

struct walk {
    const struct kernel *kernel;
    uint64_t *chain;
    size_t length;
};

static int take_frame(Dwfl_Frame *frame, void *argument)
{
    struct walk *walk = argument;
    Dwarf_Addr place;

    if (walk->length == CHAIN_MOST || !dwfl_frame_pc(frame, &place, NULL))
        return DWARF_CB_ABORT;
    /* Without CFI libdw follows frame pointers, to whatever the outermost one points at. */
    if (walk->length > 0 && place - walk->kernel->text > walk->kernel->text_size)
        return DWARF_CB_ABORT;
    walk->chain[walk->length++] = place;
    return DWARF_CB_OK;
}

size_t kernel_chain(const struct kernel *kernel, struct machine *machine,
                    uint64_t chain[CHAIN_MOST], bool *whole)
{
    static bool attached;
    struct walk walk = {.kernel = kernel, .chain = chain};

    asked = machine;
    attached = attached || dwfl_attach_state(dwfl, NULL, ONE_PROCESS, &thread_callbacks, &asked);
    *whole = attached && dwfl_getthread_frames(dwfl, ONE_PROCESS, take_frame, &walk) == 0;
    return walk.length;
}
