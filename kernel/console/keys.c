/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes keys (kernel/console/line.h) byte by byte, for the line editor. Pure. */
#include "kernel/console/line.h"

#include <stdbool.h>

/*
 * Longer sequences are not keys. Their bytes count as text, which a stray ESC would otherwise
 * swallow.
 */
#define SEQUENCE_MOST 16

/* Letters sent by xterm and compatible terminals (xterm's "PC-Style Function Keys"). */
static int key_of_letter(uint8_t letter)
{
    static const int8_t keys[] = {
        ['A'] = KEY_CONTROL('P'), ['B'] = KEY_CONTROL('N'), ['C'] = KEY_CONTROL('F'),
        ['D'] = KEY_CONTROL('B'), ['F'] = KEY_CONTROL('E'), ['H'] = KEY_CONTROL('A')};

    return letter < sizeof(keys) && keys[letter] ? keys[letter] : KEY_UNKNOWN;
}

/* ESC [ NUMBER ~: Delete, and Home and End as on the Linux console (1, 4) and rxvt (7, 8). */
static int key_of_number(unsigned number)
{
    static const int8_t keys[] = {[1] = KEY_CONTROL('A'),
                                  [3] = KEY_CONTROL('D'),
                                  [4] = KEY_CONTROL('E'),
                                  [7] = KEY_CONTROL('A'),
                                  [8] = KEY_CONTROL('E')};

    return number < sizeof(keys) && keys[number] ? keys[number] : KEY_UNKNOWN;
}

static int end_sequence(struct keys *keys, int key)
{
    keys->state = KEYS_PLAIN;
    return key;
}

static bool is_final(uint8_t byte)
{
    return byte >= '@' && byte < KEY_DELETE;
}

static int take_after_escape(struct keys *keys, uint8_t byte)
{
    if (byte == '[')
        keys->state = KEYS_CONTROL_SEQUENCE;
    else if (byte == 'O')
        keys->state = KEYS_SINGLE_SHIFT;
    else
        return end_sequence(keys, KEY_BROKEN);
    keys->parameter = 0;
    keys->length = 0;
    return KEY_NONE;
}

static int take_in_control_sequence(struct keys *keys, uint8_t byte)
{
    if (byte < ' ' || byte >= KEY_DELETE || ++keys->length > SEQUENCE_MOST)
        return end_sequence(keys, KEY_BROKEN);
    if (byte >= '0' && byte <= '9' && keys->parameter < 1000)
        keys->parameter = keys->parameter * 10 + (unsigned)(byte - '0');
    if (!is_final(byte))
        return KEY_NONE;
    return end_sequence(keys, byte == '~' ? key_of_number(keys->parameter) : key_of_letter(byte));
}

int keys_take(struct keys *keys, uint8_t byte)
{
    switch (keys->state) {
    case KEYS_ESCAPE:
        return take_after_escape(keys, byte);
    case KEYS_CONTROL_SEQUENCE:
        return take_in_control_sequence(keys, byte);
    case KEYS_SINGLE_SHIFT:
        return end_sequence(keys, is_final(byte) ? key_of_letter(byte) : KEY_BROKEN);
    default:
        if (byte != KEY_ESCAPE)
            return byte;
        keys->state = KEYS_ESCAPE;
        return KEY_NONE;
    }
}
