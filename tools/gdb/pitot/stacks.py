# SPDX-License-Identifier: BSD-2-Clause
#
# The kernel's stacks, as in arch/x86_64/entry/stacks.c: those of the boot CPU, and the slots of
# threads and other CPUs.

from pitot.layout import variable

STACKS_C = "'arch/x86_64/entry/stacks.c'::"


class Stack:
    def __init__(self, memory, described):
        self.guard, self.low, self.high = described.guard, described.low, described.high
        self.address = described.lies_at
        self.name = memory.text(described.name) if described.name else ""

    def has(self, address):
        """Includes the top, the pointer of an empty stack."""
        return self.guard < address <= self.high


def stacks(memory):
    described = [variable(memory, STACKS_C + "task")]
    described += variable(memory, STACKS_C + "of_boot_cpu")
    described += variable(memory, "stack_slots")
    return [Stack(memory, one) for one in described if one.high]
