/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells on a terminal how far long work is, in one line that is gone at the end. Nothing is printed
 * in the first second, nor where stderr is no terminal. Called by what reads or writes large files.
 */
#pragma once

#include <stdint.h>

/* `what` is kept. `whole`: how much there is to do; 0: not known, then `unit` is told. */
void progress_begin(const char *what, uint64_t whole, const char *unit);

/* So much is done. Cheap, for each record. */
void progress_at(uint64_t done);

/* Removes the line. */
void progress_end(void);
