/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32 of IEEE 802.3, as in gzip and zip (reflected polynomial 0xedb88320). Pure: any context. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Continues a CRC over `bytes`; `crc` is the CRC of the bytes before, 0 if there are none. */
uint32_t crc32_update(uint32_t crc, const void *bytes, size_t length);
