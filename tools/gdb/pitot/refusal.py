# SPDX-License-Identifier: BSD-2-Clause
#
# Raised anywhere, printed by commands.py: one line with what is wrong and what would be right.


class Refusal(Exception):
    """The reason, a sentence without an end."""
