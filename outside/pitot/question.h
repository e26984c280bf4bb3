/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answer to one question, as text or, with --html, as a page: the same lines, and beside each
 * that is about code its source, where the kernel has debug information. Called by
 * outside/pitot/blame.c, blame_text.c and graph.c.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "outside/pitot/kernel.h"
#include "outside/pitot/profile.h"

/*
 * Creates the page's file. Without this an answer is text. `input`: what is read, and so not
 * replaced; NULL: the kernel's file alone. `path` is kept.
 */
int question_open(const struct kernel *kernel, const char *input, const char *path,
                  struct refusal *why);

/* Where to print the answer: `text`, unless there is a page. */
FILE *question_out(FILE *text);

/* The line that is printed is about the instruction, or the function, at this run-time address. */
void question_place(uint64_t address);
void question_function(uint64_t address);

/*
 * Writes the page and reports it. `asked`: what was asked, of the command `name`; `profile`: for a
 * flame graph, whose `samples` are counted in `counted`; NULL: none.
 */
int question_write(const char *name, const char *asked, const struct profile *profile,
                   const char *counted, struct refusal *why);

/* Removes a page that was not written. */
void question_drop(void);
