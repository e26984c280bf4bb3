/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug port whose bytes QEMU (-debugcon) and Bochs (port_e9_hack) print: the last resort
 * without a serial port, harmless on other machines. Any context.
 */
#pragma once

#include <stddef.h>

void port_e9_send(const char *bytes, size_t length);
