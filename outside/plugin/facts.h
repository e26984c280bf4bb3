/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the follower (follow.h) has to know, and how QEMU tells it: facts_values.c from QEMU 9.2 on,
 * where a plugin reads rsp, cr3 and memory; facts_places.c before. Called by outside/plugin/
 * translate.c, for each instruction that it translates.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"
#include "outside/plugin/clock.h"
#include "outside/plugin/decode.h"
#include "outside/request.h"

/* An instruction; the same for all translations of it. */
struct code {
    uint64_t ip, next;
    uint64_t target; /* of a call; 0: not known */
    enum decoded kind;
};

struct instruction {
    struct qemu_plugin_insn *qemu;
    const struct code *code;
    const uint8_t *bytes;
    struct qemu_plugin_insn *after; /* the next one in its block; NULL: it is the last */
    bool near_load;                 /* an instruction of its block loads rsp */
};

/* Before the machine runs. */
void facts_begin(qemu_plugin_id_t id, const struct request *request);

/* True if the instruction changes what the follower knows, or tells it. */
bool facts_want(const struct instruction *instruction);

/* Registers the callbacks that the follower needs. */
void facts_watch(const struct instruction *instruction);

/* Registers what a block's beginning tells, if anything. */
void facts_watch_block(struct qemu_plugin_tb *translated, uint64_t start);

/* Before QEMU 9.2: a block begins. */
void facts_block(unsigned cpu, const struct block *block);

/* This CPU's memory is what stacks are compared with from now on. Needs the lock. */
void facts_for(unsigned cpu);

/* Before a sample: frames that code has dropped without a return are gone. Needs the lock. */
void facts_settle(unsigned cpu);

/* The machine was reset. */
void facts_reset(unsigned cpu);

/* At the end. */
void facts_end(void);

/*
 * --- The interrupt tables of the machine's CPUs: idt.c ---
 *
 * QEMU 9.2 and later; idt_has is used before 10.2, which tells interrupts by itself.
 */

/* `lidt` has read its operand. */
void idt_set_limit(unsigned cpu, uint16_t limit);
void idt_set_base(unsigned cpu, uint64_t base);

/* True if a handler begins at this address, by the tables as they are in memory now. */
bool idt_has(uint64_t address);

/*
 * Returns the vector whose handler begins there, of those whose exceptions have an error code or
 * not; RUN_VECTOR_UNKNOWN if there are several.
 */
int idt_vector(unsigned cpu, uint64_t entry, bool has_error);
