# SPDX-License-Identifier: BSD-2-Clause
#
# Parses a command's arguments. Wrong ones are refused in one line with the usage.

import gdb

from pitot import Refusal

MOST = 1 << 32


class Arguments:
    """`numbers` and `flags`: letters of options; `word`: the name of one more word."""

    def __init__(self, usage, line, numbers="", flags="", word=None):
        self.usage, self.word = usage, None
        self.given = {}
        waiting = gdb.string_to_argv(line)
        while waiting:
            argument = waiting.pop(0)
            letter = argument[1:]
            if argument[:1] == "-" and len(argument) == 2 and letter in numbers:
                self.given[letter] = self.number(argument, waiting.pop(0) if waiting else None)
            elif argument[:1] == "-" and len(argument) == 2 and letter in flags:
                self.given[letter] = True
            elif word and self.word is None and argument[:1] != "-":
                self.word = argument
            else:
                self.refuse("what is %s?" % argument)
        if word and self.word is None:
            self.refuse("%s is missing" % word)

    def number(self, option, text):
        if text is None or not text.isdecimal() or int(text) >= MOST:
            self.refuse("%s takes a number%s" % (option, ", not %s" % text if text else ""))
        return int(text)

    def get(self, letter, otherwise=None):
        return self.given.get(letter, otherwise)

    def refuse(self, why):
        then = " The" if why.endswith("?") else ": the"
        raise Refusal("%s%s usage is %s" % (why, then, self.usage))
