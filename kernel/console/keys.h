/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes terminal input: a character, a control key, or an escape sequence, returned as the
 * equivalent control key (Up is ^P, Delete is ^D). Pure: any context.
 */
#pragma once

#include <stdint.h>

#define KEY_CONTROL(letter) ((letter) - '@')
#define KEY_ESCAPE          KEY_CONTROL('[')
#define KEY_DELETE          0x7f /* what most terminals send for Backspace */

/* In addition to bytes, keys_take returns: */
#define KEY_NONE    (-1) /* the sequence is incomplete */
#define KEY_UNKNOWN (-2) /* a complete sequence, of a key that is not supported */
#define KEY_BROKEN  (-3) /* an ESC that begins no sequence; the byte was not taken: pass it again */

/* Position in a sequence (ECMA-48, "Control sequences"). */
enum keys_state { KEYS_PLAIN, KEYS_ESCAPE, KEYS_CONTROL_SEQUENCE, KEYS_SINGLE_SHIFT };

struct keys {
    enum keys_state state; /* initially 0 */
    unsigned parameter;
    unsigned length;
};

int keys_take(struct keys *keys, uint8_t byte);
