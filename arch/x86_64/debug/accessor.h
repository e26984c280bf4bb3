/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which instruction made the access that a debug trap tells of. See arch_watch_accessor in
 * arch/watch.h, which is this with the kernel's own map, and for the kernel's own memory: the
 * watched bytes, and the page that they lie in, are read.
 */
#pragma once

#include "arch/regs.h"
#include "arch/watch.h"
#include "arch/x86_64/debug/insn_map.h"

struct arch_accessor accessor_find(const struct insn_map *map, const struct regs *regs,
                                   const struct arch_watch *watch);

/* See arch_watch_made. */
unsigned accessor_made(const struct insn_map *map, const struct regs *regs,
                       const struct arch_watch *watch, struct arch_made made[ARCH_MADE_MAX]);
