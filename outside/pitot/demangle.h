/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readable names of C++ and Rust symbols, as perf shows them: without parameters and hashes. Called
 * by outside/pitot/elf_symbols.c.
 */
#pragma once

/*
 * Returns the readable name, which the caller frees; NULL: the symbol is not mangled, its readable
 * name is too long, or there is no memory.
 */
char *demangle(const char *mangled);
