/* SPDX-License-Identifier: BSD-2-Clause */
/* As in the C library, which host programs use. Compilers call the first four. Any context. */
#pragma once

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int byte, size_t length);
int memcmp(const void *left, const void *right, size_t length);

size_t strlen(const char *text);
int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t length);
char *strchr(const char *text, int character);
char *strstr(const char *text, const char *part);
