/* SPDX-License-Identifier: BSD-2-Clause */
/* See crc32.h. Four bits per step: the table is small, and the serial line is still far slower. */
#include "core/lib/crc32.h"

/* remainder_of_nibble[n]: n after four steps of division by the polynomial. */
static const uint32_t remainder_of_nibble[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t crc32_update(uint32_t crc, const void *bytes, size_t length)
{
    const uint8_t *byte = bytes;

    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= byte[i];
        crc = (crc >> 4) ^ remainder_of_nibble[crc & 15];
        crc = (crc >> 4) ^ remainder_of_nibble[crc & 15];
    }
    return ~crc;
}
