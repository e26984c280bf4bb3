/* SPDX-License-Identifier: BSD-2-Clause */
/* Turning sites on and off (arch/x86_64/cpu/site.h). For core/tracepoint. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/cpu/site.h"

/*
 * Returns 0 if the site is now, or already was, in that state. Otherwise nothing has changed:
 * returns -EINVAL if the text holds neither the nop nor the jump, -ETIMEDOUT if the other CPUs
 * could not be parked. Task context.
 */
int arch_site_set(const struct arch_site *site, bool on);

/* Writes up to eight bytes of code by one store; interrupts off, all other CPUs parked. */
void arch_text_write(uintptr_t address, const uint8_t *code, size_t length);

/*
 * Makes eight bytes of code writable, and returns where; or ends that. By the kernel's page tables
 * (kernel/x86_64/memory/image.c), or in spite of them (arch/embed/kernel.c).
 */
void *arch_text_open(uintptr_t address);
void arch_text_close(void);
