/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes trap frames. Crash context: reads only the frame and control registers. */
#include "kernel/x86_64/fault.h"
#include "arch/unwind.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/entry/trap.h"

/* --- Lines of text: arch may not use the print functions of core. --- */

/* Text that does not fit is cut off. */
struct text {
    char *at;
    size_t room; /* including the NUL */
};

static struct text text_in(char *buffer, size_t size)
{
    *buffer = '\0';
    return (struct text){buffer, size};
}

static void text_add_character(struct text *text, char character)
{
    if (text->room < 2)
        return;
    *text->at++ = character;
    *text->at = '\0';
    text->room--;
}

static void text_add(struct text *text, const char *words)
{
    while (*words)
        text_add_character(text, *words++);
}

static void text_add_padded(struct text *text, const char *words, size_t width)
{
    for (; *words; width -= width > 0)
        text_add_character(text, *words++);
    while (width-- > 0)
        text_add_character(text, ' ');
}

static void text_add_hex(struct text *text, uint64_t value, unsigned digits)
{
    unsigned needed = 1;

    while (needed < 16 && value >> (4 * needed))
        needed++;
    for (unsigned left = digits > needed ? digits : needed; left-- > 0;)
        text_add_character(text, "0123456789abcdef"[value >> (4 * left) & 0xf]);
}

/* Intel SDM vol. 3, "Protected-Mode Exceptions and Interrupts" */
static const char *const fault_names[VECTOR_FIRST_INTERRUPT] = {
    [0] = "divide error",
    [1] = "debug trap",
    [2] = "non-maskable interrupt",
    [3] = "breakpoint instruction",
    [4] = "overflow",
    [5] = "bound range exceeded",
    [6] = "undefined instruction",
    [7] = "device not available",
    [8] = "double fault",
    [9] = "coprocessor segment overrun",
    [10] = "invalid TSS",
    [11] = "segment not present",
    [12] = "stack segment fault",
    [13] = "general protection fault",
    [14] = "page fault",
    [16] = "x87 floating-point error",
    [17] = "alignment check",
    [18] = "machine check",
    [19] = "SIMD floating-point exception",
    [20] = "virtualization exception",
    [21] = "control protection exception",
};

/* Intel SDM vol. 3, "Page-Fault Exception (#PF)", the error code */
#define PAGE_FAULT_PRESENT  (1u << 0)
#define PAGE_FAULT_WRITE    (1u << 1)
#define PAGE_FAULT_USER     (1u << 2)
#define PAGE_FAULT_RESERVED (1u << 3)
#define PAGE_FAULT_FETCH    (1u << 4)

/* Intel SDM vol. 3, "Error Code": EXT, IDT, TI and the selector's index */
#define SELECTOR_EXTERNAL (1u << 0)
#define SELECTOR_IDT      (1u << 1)
#define SELECTOR_INDEX    3

static void fault_describe_page_fault(uint64_t error, struct arch_fault *fault)
{
    struct text text = text_in(fault->detail, sizeof(fault->detail));

    text_add(&text, error & PAGE_FAULT_FETCH   ? "execute"
                    : error & PAGE_FAULT_WRITE ? "write"
                                               : "read");
    text_add(&text, error & PAGE_FAULT_PRESENT ? ", not permitted by the page" : ", no page there");
    if (error & PAGE_FAULT_RESERVED)
        text_add(&text, ", reserved bit in a page table");
    text_add(&text, error & PAGE_FAULT_USER ? ", in user mode" : ", in kernel mode");
    fault->address = cpu_read_cr2();
    fault->has_address = true;
}

static void fault_describe_selector(uint64_t error, struct arch_fault *fault)
{
    struct text text = text_in(fault->detail, sizeof(fault->detail));

    if (error == 0) {
        text_add(&text, "no selector involved");
        return;
    }
    text_add(&text, error & SELECTOR_IDT ? "IDT vector 0x" : "selector index 0x");
    text_add_hex(&text, (error & 0xffff) >> SELECTOR_INDEX, 1);
    if (error & SELECTOR_EXTERNAL)
        text_add(&text, ", while delivering an event");
}

const char *arch_trap_name(const struct regs *regs)
{
    if (regs->vector == REGS_SYSCALL)
        return "system call";
    if (regs->vector >= VECTOR_FIRST_INTERRUPT)
        return "interrupt";
    return fault_names[regs->vector] ? fault_names[regs->vector] : "reserved exception";
}

/* Of debug traps and interrupts, only those without a handler come here. */
void arch_fault_describe(const struct regs *regs, struct arch_fault *fault)
{
    *fault = (struct arch_fault){.name = arch_trap_name(regs)};
    switch (regs->vector) {
    case VECTOR_PAGE_FAULT:
        fault_describe_page_fault(regs->error, fault);
        break;
    case VECTOR_INVALID_TSS:
    case VECTOR_NOT_PRESENT:
    case VECTOR_STACK_SEGMENT:
    case VECTOR_PROTECTION:
        fault_describe_selector(regs->error, fault);
        break;
    default:
        break;
    }
}

#define ROW 4
#define SHOWN(field)                                                                               \
    {                                                                                              \
        .name = #field, .offset = offsetof(struct regs, field)                                     \
    }

/* Shown in rows of ROW registers; a snapshot has only the first row. */
static const struct {
    char name[6];
    uint8_t offset;
} shown[] = {
    SHOWN(ip),  SHOWN(sp),  SHOWN(bp),  SHOWN(flags), SHOWN(ax), SHOWN(bx),  SHOWN(cx),
    SHOWN(dx),  SHOWN(si),  SHOWN(di),  SHOWN(r8),    SHOWN(r9), SHOWN(r10), SHOWN(r11),
    SHOWN(r12), SHOWN(r13), SHOWN(r14), SHOWN(r15),   SHOWN(cs), SHOWN(ss),
};

static void text_add_register(struct text *text, const char *name, uint64_t value)
{
    text_add(text, "  ");
    text_add_padded(text, name, 6);
    text_add_hex(text, value, 16);
}

static void fault_print_row(const struct regs *regs, unsigned first, void (*line)(const char *text))
{
    char buffer[112];
    struct text text = text_in(buffer, sizeof(buffer));

    for (unsigned i = first; i < first + ROW; i++)
        text_add_register(&text, shown[i].name,
                          *(const uint64_t *)((const char *)regs + shown[i].offset));
    line(buffer);
}

static void fault_print_control(void (*line)(const char *text))
{
    char buffer[112];
    struct text text = text_in(buffer, sizeof(buffer));

    text_add_register(&text, "cr0", cpu_read_cr0());
    text_add_register(&text, "cr2", cpu_read_cr2());
    text_add_register(&text, "cr3", cpu_read_cr3());
    text_add_register(&text, "cr4", cpu_read_cr4());
    line(buffer);
}

static void fault_print_vector(const struct regs *regs, void (*line)(const char *text))
{
    char buffer[48];
    struct text text = text_in(buffer, sizeof(buffer));

    text_add(&text, "  vector 0x");
    text_add_hex(&text, regs->vector, 2);
    text_add(&text, "  error 0x");
    text_add_hex(&text, regs->error, 4);
    line(buffer);
}

/* Registers that a snapshot lacks are omitted, not shown as 0. */
void arch_regs_describe(const struct regs *regs, void (*line)(const char *text))
{
    bool full = regs_are_full(regs);

    for (unsigned i = 0; i < (full ? sizeof(shown) / sizeof(*shown) : ROW); i += ROW)
        fault_print_row(regs, i, line);
    fault_print_control(line);
    if (full)
        fault_print_vector(regs, line);
}
