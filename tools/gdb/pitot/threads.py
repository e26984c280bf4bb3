# SPDX-License-Identifier: BSD-2-Clause
#
# The kernel's threads, their positions and CPUs. The scheduler's `current` is wrong for a moment
# during a switch, so a CPU is on the thread in whose stack its chain ends.

from pitot import Refusal
from pitot.kernel import cpus, registers
from pitot.layout import variable
from pitot.memory import printable
from pitot.symbols import function_of, place_of, source_of
from pitot.unwind import Unwinder, switched

NOT_YET = ("THREAD_FREE", "THREAD_MAKING")
NOWHERE = NOT_YET + ("THREAD_ENDED",)
WORDS = {"THREAD_RUNNABLE": "ready", "THREAD_RUNNING": "runs", "THREAD_SLEEPING": "sleeps",
         "THREAD_ENDING": "ends", "THREAD_ENDED": "has ended"}
WAITING = ("kernel/sched/", "kernel/x86_64/cpu/switch.asm")  # all waiting threads are there


class Threads:
    def __init__(self, memory):
        self.memory, self.unwinder = memory, Unwinder(memory)
        listed = variable(memory, "'kernel/sched/thread.c'::threads")
        self.all = [thread for thread in listed if thread.state not in NOT_YET]
        self.chains = {cpu: self.unwinder.chain(registers(cpu)) for cpu in sorted(cpus())}
        self.on = {cpu: self.thread_on(cpu) for cpu in self.chains}

    def thread_on(self, cpu):
        """The thread in whose stack the CPU's chain ends; in user mode, where no switch is active,
        the scheduler's. None before there are threads."""
        frames, _ = self.chains[cpu]
        stack = frames[-1].stack
        if frames[0].user:
            known = variable(self.memory, "'kernel/sched/scheduler.c'::schedulers")[cpu].current
            return next((thread for thread in self.all if thread.lies_at == known), None)
        for thread in self.all:
            if stack and thread.stack == stack.address:
                return thread
        return None

    def cpu_on(self, thread):
        """The CPU on this thread, or None."""
        for cpu, other in self.on.items():
            if other is thread:
                return cpu
        return None

    def find(self, pid):
        """All idle threads are 0."""
        found = [thread for thread in self.all if thread.pid == pid]
        if not found:
            raise Refusal("there is no thread %d: `pitot ps` lists them" % pid)
        return found

    def chain(self, thread):
        cpu = self.cpu_on(thread)
        if cpu is not None:
            return self.chains[cpu]
        if thread.state in NOWHERE or not thread.sp:
            return [], "it %s" % self.state(thread)
        return self.unwinder.chain(switched(self.memory, thread.sp))

    def state(self, thread):
        if thread.stopped:
            return "stopped"
        return WORDS.get(thread.state, "state %s" % thread.state)

    def name(self, thread):
        return printable(thread.name.split(b"\0")[0])

    def waits_for(self, thread):
        if not thread.waits_on:
            return "-"
        queue = self.memory.u64(thread.waits_on)  # its first field is its name
        return self.memory.text(queue)

    def stands_in(self, thread):
        """Where it was interrupted, or its innermost function outside the scheduler."""
        frames, _ = self.chain(thread)
        if not frames:
            return "-"
        if self.cpu_on(thread) is not None:
            return place_of(frames[0].ip)
        for frame in frames[1:]:
            if frame.exact:
                return place_of(frame.ip)
        for frame in frames:
            if not source_of(frame.place()).startswith(WAITING):
                return function_of(frame.place())
        return function_of(frames[-1].place())
