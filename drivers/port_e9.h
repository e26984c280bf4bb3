/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The byte port that QEMU (-debugcon) and Bochs (port_e9_hack) print: what is left when there is no
 * serial port. Writing to it is harmless where nothing listens. Any context.
 */
#pragma once

#include <stddef.h>

void port_e9_send(const char *bytes, size_t length);
