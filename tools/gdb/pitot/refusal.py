# SPDX-License-Identifier: BSD-2-Clause
#
# What was asked for and cannot be had: one line, which says what is wrong and what would be right.
# Raised anywhere, told by commands.py; what can be told beside the rest is a note instead.


class Refusal(Exception):
    """The reason, a sentence without an end."""
