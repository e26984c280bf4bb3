/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inspects each block that QEMU translates, and registers callbacks where something must be
 * followed or counted (run.h). Runs in any of QEMU's threads.
 */
#include <stdlib.h>
#include <string.h>

#include "outside/plugin/blame.h"
#include "outside/plugin/code.h"
#include "outside/plugin/events.h"
#include "outside/plugin/run.h"
#include "outside/plugin/track.h"

#define RESET_VECTOR  0xfffffff0
#define INTERNED_BITS 16

#if QEMU_API >= 4
#define RUN_CALL_STORE run_store
#else
#define RUN_CALL_STORE run_call_store
#endif

static bool begun;

/* --- What callbacks point at --- */

/*
 * It stays valid until QEMU exits, because translated code keeps it; equal values share one copy,
 * so code that is translated again and again takes no more memory. A hash table with chains.
 */
struct interned {
    struct interned *next;
    size_t size;
    _Alignas(8) uint8_t value[];
};

static struct interned *interned[1u << INTERNED_BITS];

/* Values must have no padding. Their first word is an address in the kernel. */
static const void *intern(const void *value, size_t size)
{
    uint64_t first;
    struct interned **place, *entry;

    memcpy(&first, value, sizeof(first));
    place = &interned[(first * 0x9e3779b97f4a7c15u) >> (64 - INTERNED_BITS)];
    for (entry = *place; entry; entry = entry->next)
        if (entry->size == size && memcmp(entry->value, value, size) == 0)
            return entry->value;
    entry = malloc(sizeof(*entry) + size);
    if (!entry)
        return NULL;
    *entry = (struct interned){.next = *place, .size = size};
    memcpy(entry->value, value, size);
    *place = entry;
    return entry->value;
}

/* Return the copy; NULL: no memory. */
static const struct code *interned_code(const struct code *code)
{
    struct code copy;

    memset(&copy, 0, sizeof(copy)); /* its padding, too */
    copy.ip = code->ip;
    copy.next = code->next;
    copy.target = code->target;
    copy.kind = code->kind;
    return intern(&copy, sizeof(copy));
}

static const struct block *interned_block(const struct block *block)
{
    struct block copy;

    memset(&copy, 0, sizeof(copy));
    copy.start = block->start;
    copy.end = block->end;
    copy.count = block->count;
    return intern(&copy, sizeof(copy));
}

/* --- Blocks --- */

static size_t copy_bytes(const struct qemu_plugin_insn *instruction, uint8_t *bytes)
{
    size_t size = qemu_plugin_insn_size(instruction);

    if (size > CODE_INSTRUCTION_MOST)
        size = CODE_INSTRUCTION_MOST;
#if QEMU_API >= 3
    return qemu_plugin_insn_data(instruction, bytes, size);
#else
    memcpy(bytes, qemu_plugin_insn_data(instruction), size);
    return size;
#endif
}

/* Copies the code of a block; the bytes after it are zeros. */
static void copy_block(const struct qemu_plugin_tb *translated, struct code_block *code)
{
    size_t count = qemu_plugin_tb_n_insns(translated);

    memset(code, 0, sizeof(*code));
    for (; code->count < count && code->count < CODE_BLOCK_MOST; code->count++) {
        const struct qemu_plugin_insn *instruction =
            qemu_plugin_tb_get_insn(translated, code->count);

        if (code->count == 0) {
            code->start = qemu_plugin_insn_vaddr(instruction);
            code->host = (uintptr_t)qemu_plugin_insn_haddr(instruction);
        }
        code->sizes[code->count] = (uint8_t)copy_bytes(instruction, code->bytes + code->size);
        code->size += code->sizes[code->count];
    }
}

void code_slid(uint64_t by)
{
    events_slide(by);
    window_slide(by);
    blame_slide(by);
    judges_slide(by);
    track_slide(by);
}

bool translate_has_begun(void)
{
    return __atomic_load_n(&begun, __ATOMIC_RELAXED);
}

/* Firmware runs again, before the kernel. */
static void on_reset(unsigned cpu, void *own)
{
    begun = false;
    run_reset(cpu, own);
}

/* Flags for callbacks that may take a sample. */
static int sample_flags(void)
{
    return run.registers ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS;
}

/* Returns the callback for the stores of an instruction; NULL: it has none. */
static qemu_plugin_mem *store_callback(const struct instruction *instruction)
{
    switch (instruction->code->kind) {
    case DECODED_CALL:
    case DECODED_CALL_FAR:
        return RUN_CALL_STORE;
    case DECODED_RETURN: /* what QEMU 7.2 reports for these are frames of interrupts after them */
    case DECODED_RETURN_FAR:
    case DECODED_INTERRUPT_RETURN:
    case DECODED_JUMP:
    case DECODED_JUMP_IF:
    case DECODED_JUMP_FAR:
    case DECODED_LEAVE:
        return NULL;
    default:
        return decode_is_atomic(instruction->bytes) ? run_atomic_store : run_store;
    }
}

static void watch_stores(const struct instruction *instruction)
{
    qemu_plugin_mem *callback = store_callback(instruction);

    if (blame_watch() && callback)
        qemu_plugin_register_vcpu_mem_cb(instruction->qemu, callback, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_W,
                                         (void *)(uintptr_t)instruction->code->ip);
}

/* Before the instruction: the next store asks again where its page is. */
static void watch_mappings(const struct instruction *instruction)
{
    enum decoded kind = instruction->code->kind;

    if (blame_watch() && (kind == DECODED_SPACE || kind == DECODED_REMAP))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, run_remap, QEMU_PLUGIN_CB_NO_REGS,
                                               NULL);
}

static void watch_accesses(const struct instruction *instruction)
{
    if (events_watch())
        qemu_plugin_register_vcpu_mem_cb(
            instruction->qemu, decode_is_atomic(instruction->bytes) ? run_atomic : run_access,
            sample_flags(), QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)instruction->code->ip);
}

/* The callbacks where instructions begin. `left`: those of its block from this one on. */
static void watch_begin(const struct instruction *instruction, size_t left, uint64_t slide)
{
    uint64_t ip = instruction->code->ip;

    if (window_border(ip)) { /* before run_function: decides if a hit here counts */
        const struct code border = {.ip = ip, .next = left};

        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, run_border,
                                               QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)(uintptr_t)interned_code(&border));
    }
    if (events_call(ip - slide))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, run_function, sample_flags(),
                                               (void *)(uintptr_t)ip);
}

/*
 * Registers an instruction's callbacks. Its accesses belong to the function that it is in, so they
 * come before what it changes in the chain. But QEMU 7.2 skips all callbacks after one for stores
 * only, if the access is a load: of those, a call's alone come before.
 */
static void watch_instruction(struct instruction *instruction, size_t left, uint64_t slide)
{
    bool first = decode_is_call(instruction->code->kind);

    watch_accesses(instruction);
    watch_mappings(instruction);
    judges_watch(instruction);
    if (first)
        watch_stores(instruction);
    if (run.chains && facts_want(instruction)) {
        instruction->code = interned_code(instruction->code);
        facts_watch(instruction);
    }
    if (!first)
        watch_stores(instruction);
    watch_begin(instruction, left, slide);
}

/* What the instructions of a block are, for the follower. */
struct decoded_block {
    struct code codes[CODE_BLOCK_MOST];
    bool loads; /* one of them loads rsp */
};

static void decode_block(const struct code_block *code, struct decoded_block *decoded)
{
    const uint8_t *bytes = code->bytes;
    uint64_t ip = code->start;

    decoded->loads = false;
    for (size_t i = 0; i < code->count; bytes += code->sizes[i], ip += code->sizes[i], i++) {
        struct code *at = &decoded->codes[i];

        *at = (struct code){.ip = ip, .next = ip + code->sizes[i]};
        at->kind = decode(bytes, code->sizes[i], ip, &at->target);
        if (at->kind == DECODED_SPACE)
            at->target = decode_space_source(bytes);
        if (at->kind == DECODED_LOADS && decode_is_adjustment(code->bytes, code->sizes, i))
            at->kind = DECODED_OTHER;
        decoded->loads |= at->kind == DECODED_LOADS;
    }
}

static void watch_block(struct qemu_plugin_tb *translated, const struct code_block *code,
                        uint64_t slide)
{
    struct block block = {code->start, code->start + code->size, (uint32_t)code->count};
    struct decoded_block decoded;
    const uint8_t *bytes = code->bytes;

    decode_block(code, &decoded);
    if (run.chains) /* before the block counts: a handler pays for its own */
        facts_watch_block(translated, code->start);
    clock_watch(translated, interned_block(&block));
    for (size_t i = 0; i < code->count; bytes += code->sizes[i++]) {
        struct instruction instruction = {
            .qemu = qemu_plugin_tb_get_insn(translated, i),
            .bytes = bytes,
            .after = i + 1 < code->count ? qemu_plugin_tb_get_insn(translated, i + 1) : NULL,
            .near_load = decoded.loads,
            .code = &decoded.codes[i]};

        watch_instruction(&instruction, code->count - i, slide);
    }
}

/* Nothing is followed or counted before the kernel's first block is translated. */
void translate_block(struct qemu_plugin_tb *translated)
{
    struct code_block code;
    uint64_t slide;

    copy_block(translated, &code);
    plugin_lock();
    begun |= code_check(&code, &slide);
    if (cover_watch())
        cover_block(translated, slide);
    if (code.start == RESET_VECTOR)
        qemu_plugin_register_vcpu_tb_exec_cb(translated, on_reset, QEMU_PLUGIN_CB_NO_REGS, NULL);
    if (begun && !cover_watch() && code.count > 0)
        watch_block(translated, &code, slide);
    plugin_unlock();
}
