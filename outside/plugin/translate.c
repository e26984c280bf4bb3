/* SPDX-License-Identifier: BSD-2-Clause */
/* See translate.h. */
#include "outside/plugin/translate.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/blame.h"
#include "outside/plugin/code.h"
#include "outside/plugin/cover.h"
#include "outside/plugin/decode.h"
#include "outside/plugin/entry.h"
#include "outside/plugin/events.h"
#include "outside/plugin/locks.h"
#include "outside/plugin/run.h"
#include "outside/plugin/window.h"

#define RESET_VECTOR 0xfffffff0

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

        if (code->count == 0)
            code->start = qemu_plugin_insn_vaddr(instruction);
        code->sizes[code->count] = (uint8_t)copy_bytes(instruction, code->bytes + code->size);
        code->size += code->sizes[code->count];
    }
}

void code_slid(uint64_t by)
{
    events_slide(by);
    window_slide(by);
    blame_slide(by);
}

/* Flags for callbacks that may take a sample. */
static int sample_flags(void)
{
    return run.registers ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS;
}

/* True if the instruction accesses the slot that a return would read. */
static bool is_at_top(enum decoded decoded)
{
    return decoded == DECODED_PUSH || decoded == DECODED_REPLACES || decoded == DECODED_POP;
}

/*
 * Registers the callbacks of an instruction. `next`: the bytes after it; `loaded`: rsp was loaded
 * earlier in the block; `slide`: its run-time address minus its address in the file.
 */
static void watch_instruction(struct qemu_plugin_insn *instruction, const uint8_t *bytes,
                              const uint8_t *next, enum decoded decoded, bool loaded,
                              uint64_t slide)
{
    uint64_t ip = qemu_plugin_insn_vaddr(instruction);
    void *own = (void *)(uintptr_t)ip;

    if (run.chains && decoded == DECODED_LOADS)
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, run_load, QEMU_PLUGIN_CB_NO_REGS, NULL);
    if (run.chains && is_at_top(decoded) && loaded)
        qemu_plugin_register_vcpu_mem_cb(instruction, run_place, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, NULL);
    if (run.chains && decoded == DECODED_REPLACES && decode_is_way_out(next))
        qemu_plugin_register_vcpu_mem_cb(instruction, run_replace, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_W, NULL);
    /* These come before run_call, because a call's own store belongs to the caller. */
    if (blame_watch())
        qemu_plugin_register_vcpu_mem_cb(instruction,
                                         decode_is_atomic(bytes) ? run_atomic_store : run_store,
                                         QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, own);
    if (events_watch())
        qemu_plugin_register_vcpu_mem_cb(instruction,
                                         decode_is_atomic(bytes) ? run_atomic : run_access,
                                         sample_flags(), QEMU_PLUGIN_MEM_RW, own);
    if (run.chains && (decoded == DECODED_CALL || decoded == DECODED_CALL_FAR))
        qemu_plugin_register_vcpu_mem_cb(instruction, run_call, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_W, own);
    if (run.chains && entry_is_told(decoded))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, run_leaves, QEMU_PLUGIN_CB_NO_REGS,
                                               own);
    if (window_border(ip)) /* before run_function: decides if a hit here counts */
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, run_border, QEMU_PLUGIN_CB_NO_REGS,
                                               own);
    if (events_call(ip - slide))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, run_function, sample_flags(), own);
}

/*
 * `block` is never freed: QEMU's callbacks keep it until QEMU exits, and retranslated code gets
 * another. This takes a few megabytes.
 */
void translate_block(struct qemu_plugin_tb *translated)
{
    struct code_block code;
    struct block *block = cover_watch() ? NULL : calloc(1, sizeof(*block));
    const uint8_t *bytes = code.bytes;
    bool loaded = false, kernel;
    uint64_t slide;

    copy_block(translated, &code);
    locks_take_all();
    kernel = code_check(&code, &slide);
    if (cover_watch())
        cover_block(translated);
    locks_give_all();
    if (!block || code.count == 0) {
        free(block);
        return;
    }
    block->kernel = kernel;
    block->count = (uint32_t)code.count;
    block->start = code.start;
    if (code.start == RESET_VECTOR)
        qemu_plugin_register_vcpu_tb_exec_cb(translated, run_reset, QEMU_PLUGIN_CB_NO_REGS, NULL);
    qemu_plugin_register_vcpu_tb_exec_cb(translated, run_block, sample_flags(), block);
    for (size_t i = 0; i < code.count; bytes += code.sizes[i++]) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(translated, i);

        block->last = qemu_plugin_insn_vaddr(instruction);
        block->end = block->last + code.sizes[i];
        block->ends = decode(bytes, code.sizes[i], block->last, &block->target);
        watch_instruction(instruction, bytes, bytes + code.sizes[i], block->ends, loaded, slide);
        loaded |= block->ends == DECODED_LOADS;
        block->pushes |= block->ends == DECODED_PUSH || block->ends == DECODED_REPLACES;
    }
    block->plain = entry_is_plain(block);
}
