/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32 of IEEE 802.3, the one of gzip and zip (reflected polynomial 0xedb88320). Pure: any
 * context. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The CRC of some bytes whose first part had the CRC `crc`; 0 is the CRC of none. */
uint32_t crc32_update(uint32_t crc, const void *bytes, size_t length);
