/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which machine this is, where debug traps differ: QEMU's own emulation from all others. For the
 * arbiter and for arming; not in traps, as the look is slow.
 */
#include "arch/step.h"
#include "arch/watch.h"
#include "arch/x86_64/cpu/cpu.h"

#define CPUID_HYPERVISOR     0x40000000u
#define CPUID_1_ECX_EMULATED (1u << 31)
#define TCG                  0x54474354u /* "TCGT", the first byte lowest */

/*
 * QEMU's TCG raises two traps for such an instruction, the second on the entry of the first, whose
 * frame is gone then (docs/breakpoints.md, "Machines"). It says what it is: "TCGTCGTCGTCG".
 */
static bool is_tcg(void)
{
    struct cpuid id = cpu_id(1, 0);

    if (!(id.ecx & CPUID_1_ECX_EMULATED))
        return false;
    id = cpu_id(CPUID_HYPERVISOR, 0);
    return id.ebx == TCG;
}

bool arch_step_excludes_watches(void)
{
    return is_tcg();
}

bool arch_watch_reports_all(void)
{
    return !is_tcg();
}
