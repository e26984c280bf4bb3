/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a terminal sends, told apart: a character, a control key, or the escape sequence of a key
 * without a character, which comes out as the control key that means the same (Up is ^P, Delete
 * is ^D). Pure: any context.
 */
#pragma once

#include <stdint.h>

#define KEY_CONTROL(letter) ((letter) - '@')
#define KEY_ESCAPE          KEY_CONTROL('[')
#define KEY_DELETE          0x7f /* what most terminals send for Backspace */

/* Beside bytes, keys_take returns: */
#define KEY_NONE    (-1) /* the sequence continues */
#define KEY_UNKNOWN (-2) /* a whole sequence, of a key that means nothing here */
#define KEY_BROKEN  (-3) /* an ESC that began nothing; the byte was not taken: ask again with it */

/* Where in a sequence the bytes are (ECMA-48, "Control sequences"). */
enum keys_state { KEYS_PLAIN, KEYS_ESCAPE, KEYS_CONTROL_SEQUENCE, KEYS_SINGLE_SHIFT };

struct keys {
    enum keys_state state; /* 0 to begin with */
    unsigned parameter;
    unsigned length;
};

int keys_take(struct keys *keys, uint8_t byte);
