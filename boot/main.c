/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_main: the only code that knows every part of the kernel, and the order of their
 * initialisation. Entered once by boot/entry_high.asm, interrupts off, on the task's stack.
 */
#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/watch.h"
#include "arch/x86_64/cpu/cpu.h"
#include "boot/boot.h"
#include "core/lib/cpus.h"
#include "core/pitot_boot.h"
#include "drivers/pic8259.h"
#include "kernel/cmdline.h"
#include "kernel/console/console.h"
#include "kernel/fs/ramfs.h"
#include "kernel/host.h"
#include "kernel/interrupt.h"
#include "kernel/memory/pages.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/scheduler.h"
#include "kernel/sched/workqueue.h"
#include "kernel/x86_64/cpu/clock.h"
#include "kernel/x86_64/cpu/percpu.h"

_Noreturn void kernel_main(uint32_t magic, uint32_t information);

static struct boot_information boot;

static void print_banner(void)
{
    print("Pitot: %zu MiB free, %s, clock %llu kHz, %u of %u CPUs\n",
          pages_free_count() * PAGE_SIZE >> 20, pitot_banner(),
          (unsigned long long)clock_rate() / 1000, cpus_running(), arch_cpus());
}

/*
 * Not inlined: kernel_main would then end in its last call. The return address of that call, which
 * is in every chain, would be outside any function.
 */
__attribute__((noinline)) static void read_information(uint32_t magic, uint32_t information)
{
    const char *unusable = NULL;

    if (magic == PVH_MAGIC)
        unusable = pvh_read(information, memory_reach, &boot);
    else
        multiboot2_read(information, &boot);
    if (unusable)
        panic("%s", unusable);
}

/* `magic` is Multiboot2's or PVH's: boot/long_mode.asm has refused all others. */
_Noreturn void kernel_main(uint32_t magic, uint32_t information)
{
    const char *wrong;

    clock_start();            /* time 0 is now */
    idt_init();               /* every trap has an entry */
    percpu_init(0);           /* this CPU can take traps */
    wrong = host_init();      /* symbols, call chains, debug traps */
    panic_init(&ports_panic); /* panics are reported */
    ports_init();             /* the console has output */
    if (wrong)
        panic("pitot_init: %s", wrong);
    read_information(magic, information); /* memory, command line, ACPI */
    cmdline_init(boot.command_line);
    cpus_read(&boot);
    memory_init(&boot);  /* final page tables, free pages */
    cpus_find(&boot);    /* interrupt controllers */
    thread_init();       /* this becomes the console's thread */
    pitot_boot_begins(); /* finds the last boot's recording */
    if (boot.memory_ignored)
        print("Pitot: %zu memory ranges are ignored, as there are too many\n", boot.memory_ignored);
    clock_rate_find(cpus_acpi()); /* the clock now counts nanoseconds */
    ports_find_faster();          /* the fastest port for the stream */
    arch_watch_probe();           /* what this machine's watches report */
    if (arch_watch_miscounts_locked())
        print("Pitot: watches miscount xchg and locked instructions on this machine\n");
    script_boot_recording(); /* perf.boot=, from here to script_run */
    pic_init();
    pic_set_server(interrupt_serve); /* tracepoints around each handler */
    timer_begin(nmi_clock_find());
    ports_listen(); /* the console has input */
    cpus_start();   /* other CPUs run from here on */
    cpu_interrupts_on();
    workqueue_init();
    drain_init();
    print_banner();
    watchdog_init();
    if (fs_init())
        panic("no memory for the file system");
    programs_init(&boot);
    gdb_door_init(); /* gdb=wait waits here */
    script_run();    /* ends perf.boot='s recording, then runs run= */
    console_run();
}
