# SPDX-License-Identifier: BSD-2-Clause
#
# Which memory is a stack, as arch/x86_64/entry/stacks.c tells the kernel: those of the boot CPU,
# and the slots of threads and of other CPUs.

from pitot.layout import variable

STACKS_C = "'arch/x86_64/entry/stacks.c'::"


class Stack:
    def __init__(self, memory, described):
        self.guard, self.low, self.high = described.guard, described.low, described.high
        self.address = described.lies_at
        self.name = memory.text(described.name) if described.name else ""

    def has(self, address):
        """The top counts as inside: an empty stack's pointer is there."""
        return self.guard < address <= self.high


def stacks(memory):
    """All that there are."""
    described = [variable(memory, STACKS_C + "task")]
    described += variable(memory, STACKS_C + "of_boot_cpu")
    described += variable(memory, "stack_slots")
    return [Stack(memory, one) for one in described if one.high]
