/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a kernel decides at compile time, in a header that its build names by -DPITOT_OWN=PATH, as
 * hits must have it in line or as a constant:
 *
 *   arch_cpu_id, arch_trap_depth, arch_interrupted, arch_clock_ns  (arch/cpu.h)
 *   percpu_self, percpu_live     this CPU's area (arch/x86_64/cpu/area.h), and `live` of it
 *   STOP_OWN_KERNEL              true: in a debugger's stop, system and segment registers are alike
 *                                on all CPUs, and programs can be stepped
 *   stop_gs_base(cpu)            the GS base of a CPU in such a stop
 *   stop_code_selector(regs)     the code selector of its registers
 *   ARCH_CPUS_MAX                maximum number of CPUs, as an array size
 *   ARCH_USER_START, _END        the programs' addresses
 *   ARCH_WATCHES_PROGRAMS        their debug traps are Pitot's
 *   RECORDING_EVENTS_MAX         events of a recording; one takes about 1 KiB in the options and in
 *                                each of the two banks
 *   RECORDING_RING_DEFAULT       bytes per CPU, unless -m sets another size
 *
 * kernel/x86_64/own.h, arch/embed/own.h and tests/unit/own.h do.
 */
#pragma once

#include "arch/x86_64/cpu/area.h"

#define OWN_TEXT(path)   #path
#define OWN_HEADER(path) OWN_TEXT(path)
#include OWN_HEADER(PITOT_OWN)
