/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel calls Pitot on a stack of its own, of MOST bytes, or of N in "on N REST", and
 * prints how many bytes each call used and how many below them changed; before the
 * recording ends, a tracepoint, too. Linked in front of what it
 * wraps (port.mk) for tests/boot/ports_c.t and ports_console.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define MOST  16384
#define BELOW 512
#define PAINT 0xa5

static uint8_t area[BELOW + MOST] __attribute__((aligned(16)));
static uint64_t size = MOST;

int __wrap_pitot_command(const char *line);
int __real_pitot_command(const char *line);
const char *__wrap_pitot_start(const char *options);
const char *__real_pitot_start(const char *options);
unsigned long long __wrap_pitot_stop(void);
unsigned long long __real_pitot_stop(void);
int __wrap_stack_find(uint64_t address, uint64_t *low, uint64_t *high);
int __real_stack_find(uint64_t address, uint64_t *low, uint64_t *high);

static uint8_t *bottom(void)
{
    return area + sizeof(area) - size;
}

int __wrap_stack_find(uint64_t address, uint64_t *low, uint64_t *high)
{
    if (address <= (uint64_t)area || address > (uint64_t)(area + sizeof(area)))
        return __real_stack_find(address, low, high);
    *low = (uint64_t)bottom();
    *high = (uint64_t)(area + sizeof(area));
    return 1;
}

/* Takes "on N " from the front. */
static const char *take_size(const char *line)
{
    while (*line == ' ')
        line++;
    if (line[0] != 'o' || line[1] != 'n' || line[2] != ' ')
        return line;
    size = 0;
    for (line += 3; *line != ' '; line++)
        size = 10 * size + (uint64_t)(*line - '0');
    return line + 1;
}

static void tell(void)
{
    const uint8_t *lowest = area;
    uint64_t changed = 0;

    while (lowest < area + sizeof(area) && *lowest == PAINT)
        lowest++;
    for (const uint8_t *at = bottom() - BELOW; at < bottom(); at++)
        changed += *at != PAINT;
    say("stack: ");
    say_number((uint64_t)(area + sizeof(area) - lowest));
    say(" bytes, ");
    say_number(changed);
    say(" below it\n");
}

/* Returns what `call` does with `with`. rbx keeps the kernel's own stack pointer. */
static uint64_t run_there(uint64_t call, uint64_t with)
{
    uint64_t result;

    memset(area, PAINT, sizeof(area));
    __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %2, %%rsp\n\tcall *%%rax\n\tmovq %%rbx, %%rsp"
                     : "=a"(result), "+D"(with)
                     : "r"(area + sizeof(area)), "a"(call)
                     : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
    tell();
    return result;
}

/* Commands of the kernel call the others on this stack, too: only the outermost call changes it. */
static int inside(void)
{
    uint64_t here = (uint64_t)__builtin_frame_address(0);

    return here > (uint64_t)area && here <= (uint64_t)(area + sizeof(area));
}

int __wrap_pitot_command(const char *line)
{
    line = take_size(line);
    return inside() ? __real_pitot_command(line)
                    : (int)run_there((uint64_t)__real_pitot_command, (uint64_t)line);
}

const char *__wrap_pitot_start(const char *options)
{
    options = take_size(options);
    return inside() ? __real_pitot_start(options)
                    : (const char *)run_there((uint64_t)__real_pitot_start, (uint64_t)options);
}

static void mark(void)
{
    PITOT_MARK("here", size);
}

unsigned long long __wrap_pitot_stop(void)
{
    if (inside())
        return __real_pitot_stop();
    run_there((uint64_t)mark, 0);
    return run_there((uint64_t)__real_pitot_stop, 0);
}
