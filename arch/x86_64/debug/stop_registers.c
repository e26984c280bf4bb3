/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A debugger's registers, in gdb's order: general and segment registers, placeholders for those
 * that the kernel does not use, bases, control and debug registers. Sources: the manual of gdb,
 * "i386 Features"; Intel SDM vol. 3, "System Registers". In a stop.
 */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/memory.h"
#include "arch/regs.h"
#include "arch/x86_64/cpu/cpu.h"

#define REG(name, bits, type) "<reg name=\"" name "\" bitsize=\"" bits "\" type=\"" type "\"/>"
#define GENERAL(name)         REG(name, "64", "int64")
#define SEGMENT(name)         REG(name, "32", "int32")
#define FLOAT(name)           REG(name, "80", "i387_ext")
#define SYSTEM(name)                                                                               \
    "<reg name=\"" name "\" bitsize=\"64\" type=\"uint64\" group=\"system\" save-restore=\"no\"/>"

const char arch_debug_description[] =
    "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
    "<architecture>i386:x86-64</architecture>"
    "<feature name=\"org.gnu.gdb.i386.core\">"
    "<flags id=\"eflags\" size=\"4\">"
    "<field name=\"CF\" start=\"0\" end=\"0\"/><field name=\"\" start=\"1\" end=\"1\"/>"
    "<field name=\"PF\" start=\"2\" end=\"2\"/><field name=\"AF\" start=\"4\" end=\"4\"/>"
    "<field name=\"ZF\" start=\"6\" end=\"6\"/><field name=\"SF\" start=\"7\" end=\"7\"/>"
    "<field name=\"TF\" start=\"8\" end=\"8\"/><field name=\"IF\" start=\"9\" end=\"9\"/>"
    "<field name=\"DF\" start=\"10\" end=\"10\"/><field name=\"OF\" start=\"11\" end=\"11\"/>"
    "<field name=\"RF\" start=\"16\" end=\"16\"/><field name=\"AC\" start=\"18\" end=\"18\"/>"
    "</flags>" GENERAL("rax") GENERAL("rbx") GENERAL("rcx") GENERAL("rdx") GENERAL("rsi") GENERAL(
        "rdi") REG("rbp", "64", "data_ptr") REG("rsp", "64", "data_ptr") GENERAL("r8") GENERAL("r9")
        GENERAL("r10") GENERAL("r11") GENERAL("r12") GENERAL("r13") GENERAL("r14") GENERAL("r15")
            REG("rip", "64", "code_ptr") REG("eflags", "32", "eflags") SEGMENT("cs") SEGMENT(
                "ss") SEGMENT("ds") SEGMENT("es") SEGMENT("fs") SEGMENT("gs") FLOAT("st0")
                FLOAT("st1") FLOAT("st2") FLOAT("st3") FLOAT("st4") FLOAT("st5") FLOAT("st6") FLOAT(
                    "st7") SEGMENT("fctrl") SEGMENT("fstat") SEGMENT("ftag") SEGMENT("fiseg")
                    SEGMENT("fioff") SEGMENT("foseg") SEGMENT("fooff") SEGMENT(
                        "fop") "</feature>"
                               "<feature name=\"org.gnu.gdb.i386.segments\">" REG("fs_base", "64",
                                                                                  "int")
                                   REG("gs_base", "64",
                                       "int") "</feature>"
                                              "<feature name=\"org.pitot.system\">" SYSTEM("cr0")
                                                  SYSTEM("cr2") SYSTEM("cr3") SYSTEM("cr4")
                                                      SYSTEM("efer") SYSTEM("dr0") SYSTEM("dr1")
                                                          SYSTEM("dr2") SYSTEM("dr3") SYSTEM("dr6")
                                                              SYSTEM("dr7") "</feature></target>";

enum {
    RIP = 16,
    EFLAGS,
    CS,
    SS,
    DS,
    GS = DS + 3,
    ST0,
    FCTRL = ST0 + 8,
    FS_BASE = FCTRL + 8,
    GS_BASE,
    CR0,
    CR2,
    CR3,
    CR4,
    EFER,
    DR0,
    DR6 = DR0 + 4,
    DR7,
    REGISTERS,
};

const unsigned arch_debug_expedited[ARCH_DEBUG_EXPEDITED] = {6, 7, RIP};

#define FRAME_PLACE(field, name, gdb, ...) [gdb] = offsetof(struct regs, field),

static const uint8_t frame_places[] = {REGISTERS_GENERAL(FRAME_PLACE) REGISTERS_OTHER(FRAME_PLACE)};

_Static_assert(sizeof(frame_places) / sizeof(frame_places[0]) == DS, "a frame has those up to ss");

unsigned arch_debug_registers(void)
{
    return REGISTERS;
}

size_t arch_debug_register_size(unsigned number)
{
    if (number >= ST0 && number < FCTRL)
        return 10;
    return number <= RIP || number >= FS_BASE ? 8 : 4;
}

static uint64_t read_segment(unsigned number)
{
    uint16_t now[4];

    __asm__("movw %%ds, %0\n\tmovw %%es, %1\n\tmovw %%fs, %2\n\tmovw %%gs, %3"
            : "=m"(now[0]), "=m"(now[1]), "=m"(now[2]), "=m"(now[3]));
    return now[number - DS];
}

/*
 * Of another CPU, CR2, CR3 and the FS base are unknown. Pitot's own kernel keeps the boot's values
 * of the segment registers, CR0, CR4 and EFER, on every CPU; another one may not.
 */
static bool is_known(unsigned cpu, const struct regs *regs, unsigned number)
{
    bool here = cpu == arch_cpu_id();

    if (number == CR2 || number == CR3 || number == FS_BASE)
        return here;
    if ((number >= DS && number <= GS) || (number >= CR0 && number <= EFER))
        return here || STOP_OWN_KERNEL;
    if (number == GS_BASE)
        return STOP_OWN_KERNEL || !regs_user_mode(regs);
    return number < DS || (number >= DR0 && number <= DR7 && number != DR6);
}

static uint64_t read_system(unsigned cpu, unsigned number)
{
    switch (number) {
    case FS_BASE:
        return cpu_read_msr(MSR_FS_BASE);
    case GS_BASE:
        return stop_gs_base(cpu);
    case CR0:
        return cpu_read_cr0();
    case CR2:
        return cpu_read_cr2();
    case CR3:
        return cpu_read_cr3();
    case CR4:
        return cpu_read_cr4();
    case EFER:
        return cpu_read_msr(MSR_EFER);
    case DR0:
        return cpu_read_dr0();
    case DR0 + 1:
        return cpu_read_dr1();
    case DR0 + 2:
        return cpu_read_dr2();
    case DR0 + 3:
        return cpu_read_dr3();
    default: /* the shadow of DR7, which is off during a stop */
        return percpu[cpu].dr7;
    }
}

bool arch_debug_register_read(unsigned cpu, unsigned number, uint8_t *bytes)
{
    const struct regs *regs = arch_stopped_regs(cpu);
    uint64_t value;

    if (!regs || !is_known(cpu, regs, number))
        return false;
    if (number == CS)
        value = stop_code_selector(regs);
    else if (number < DS)
        value = *(const uint64_t *)((const char *)regs + frame_places[number]);
    else
        value = number <= GS ? read_segment(number) : read_system(cpu, number);
    for (size_t i = 0; i < arch_debug_register_size(number); i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    return true;
}

/*
 * Refuses a non-canonical ip, which would fault in the kernel's exit, and a kernel ip for a program
 * (gdb's `call`), which would kill it. gdb restores CR2 after a `call` that faulted.
 */
bool arch_debug_register_write(unsigned cpu, unsigned number, const uint8_t *bytes)
{
    struct regs *regs = arch_stopped_regs(cpu);
    uint64_t value = 0;

    if (!regs || (number > EFLAGS && number != CR2))
        return false;
    for (size_t i = 0; i < arch_debug_register_size(number); i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    if (number == CR2 && cpu == arch_cpu_id())
        cpu_write_cr2(value);
    if (number == CR2)
        return cpu == arch_cpu_id();
    if (number == RIP &&
        (!arch_canonical(value) || (regs_user_mode(regs) && value >= ARCH_USER_END)))
        return false;
    if (number == EFLAGS)
        value = (value & FLAGS_OF_DEBUGGER) | (regs->flags & ~FLAGS_OF_DEBUGGER);
    *(uint64_t *)((char *)regs + frame_places[number]) = value;
    return true;
}
