/* SPDX-License-Identifier: BSD-2-Clause */
/* See port_e9.h. */
#include "drivers/port_e9.h"

#include <stdint.h>

#include "arch/x86_64/cpu/port.h"

#define PORT_E9 0xe9

void port_e9_send(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        port_write8(PORT_E9, (uint8_t)bytes[i]);
}
