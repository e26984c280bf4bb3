# SPDX-License-Identifier: BSD-2-Clause
#
# The commands. Each reads the machine anew, and refuses in one line.

import re

import gdb

from pitot import Refusal
from pitot.arguments import Arguments
from pitot.kernel import cpus, machine, registers, words_of
from pitot.recorder import events, names, recorder
from pitot.ring import rings
from pitot.sample import in_words, parse
from pitot.stream import write_stream
from pitot.symbols import caller_of, line_of, place_of
from pitot.threads import Threads
from pitot.tracepoint import Tracepoints
from pitot.unwind import Unwinder
from pitot.watches import arbiter, real

RECORDS = 10


class Pitot(gdb.Command):
    """What Pitot's kernel knows, read from a stopped machine, or from its dump."""

    def __init__(self):
        super().__init__("pitot", gdb.COMMAND_DATA, prefix=True)


class PitotCommand(gdb.Command):
    """A subclass has its usage in its docstring, and `run`, which yields lines."""

    def __init__(self):
        self.name = type(self).__name__.lower()
        self.usage = re.search("^Usage: (.*)", self.__doc__, re.M).group(1)
        super().__init__("pitot " + self.name, gdb.COMMAND_DATA, self.completes)

    completes = gdb.COMPLETE_NONE

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        try:
            for line in self.run(argument):
                gdb.write(line + "\n")
        except Refusal as why:
            raise gdb.GdbError("pitot %s: %s" % (self.name, why))
        except gdb.error as why:
            raise gdb.GdbError("pitot %s: gdb says: %s" % (self.name, why))


class Ring(PitotCommand):
    """The newest records of the rings of all CPUs, in order of time.
Usage: pitot ring [-n NUMBER] [-c CPU] [-g]
-n  records of each CPU, 10 by default
-c  only of this CPU
-g  with their call chains
Unfinished records are counted; whole ones inside them are shown."""

    def run(self, line):
        wanted = Arguments(self.usage, line, numbers="nc", flags="g")
        if wanted.get("n") == 0:
            wanted.refuse("-n takes a number from 1 on")
        memory = machine()
        described = recorder(memory)
        of = events(memory, described)
        found = rings(memory, described)
        if not found:
            raise Refusal("no recording there: it was just being started")
        if "c" in wanted.given:
            recording = [ring.cpu for ring in found]
            found = [ring for ring in found if ring.cpu == wanted.get("c")]
            if not found:
                raise Refusal("CPU %d does not record: %s" % (wanted.get("c"),
                                                             words_of(recording)))
        return self.lines(memory, described, of, found, wanted)

    def lines(self, memory, described, of, found, wanted):
        known, complaint = names(memory, described)
        tracepoints = Tracepoints(memory, described)
        newest = []
        for ring in found:
            newest += newest_of(ring, of, wanted.get("n", RECORDS))
        newest.sort(key=lambda record: record.time)
        for record in newest:
            yield from in_words(record, known, tracepoints, wanted.get("g"))
        for ring in found:
            yield from ring.account()
        if complaint:
            yield complaint


def newest_of(ring, of, most):
    """Parsed, oldest first. Counts the records of other recordings."""
    if ring.fault:
        return []
    parsed = [parse(record, of) for record in ring.records]
    ring.foreign = parsed.count(None)
    return [record for record in parsed if record][-most:]


class Bt(PitotCommand):
    """The call chain by the kernel's own unwind table.
Usage: pitot bt [-c CPU | -t THREAD]
-c  of this CPU; by default gdb's current one
-t  of this thread of the kernel, running or not: `pitot ps` lists them"""

    def run(self, line):
        wanted = Arguments(self.usage, line, numbers="ct")
        if len(wanted.given) > 1:
            wanted.refuse("a CPU or a thread, not both")
        memory = machine()
        if "t" not in wanted.given:
            known = registers(wanted.get("c", current_cpu()))
            yield from chain_in_words(*Unwinder(memory).chain(known))
            return
        threads = Threads(memory)
        found = threads.find(wanted.get("t"))
        for thread in found:
            if len(found) > 1:
                yield "%s:" % threads.name(thread)
            yield from chain_in_words(*threads.chain(thread))


def current_cpu():
    current = gdb.selected_thread()
    return next(cpu for cpu, thread in cpus().items() if thread.num == current.num)


def chain_in_words(frames, end):
    for number, frame in enumerate(frames):
        where = line_of(frame.place())
        name = place_of(frame.ip) if frame.exact else caller_of(frame.ip)
        yield "#%-2d 0x%016x in %s%s%s" % (number, frame.ip, name, " at " + where if where else "",
                                         " (interrupted)" if frame.exact and number else "")
    if end != "outermost frame":
        yield "    %s" % end


class Ps(PitotCommand):
    """The kernel's threads, and where each is.
Usage: pitot ps"""

    def run(self, line):
        Arguments(self.usage, line)
        threads = Threads(machine())
        if not threads.all:
            raise Refusal("the kernel has no threads yet")
        yield "  pid  cpu  state      name             waits for         stands in"
        for thread in threads.all:
            yield "%5d  %3d  %-9s  %-15s  %-16s  %s" % (
                thread.pid, thread.cpu, threads.state(thread), threads.name(thread),
                threads.waits_for(thread), threads.stands_in(thread))


class Cpus(PitotCommand):
    """What each CPU does.
Usage: pitot cpus"""

    def run(self, line):
        Arguments(self.usage, line)
        threads = Threads(machine())
        yield "  cpu    pid  thread           at"
        for cpu, (frames, _) in threads.chains.items():
            thread = threads.on[cpu]
            yield "%5d  %5s  %-15s  %s" % (cpu, thread.pid if thread else "-",
                                          threads.name(thread) if thread else "-",
                                          place_of(frames[0].ip))


class Bp(PitotCommand):
    """The owners of the debug registers, and their contents on each CPU.
Usage: pitot bp"""

    def run(self, line):
        Arguments(self.usage, line)
        memory = machine()
        yield from arbiter(memory)
        yield from real(memory)


class Perf(PitotCommand):
    """The recording, written to a file as a stream for the real perf.
Usage: pitot perf FILE"""

    completes = gdb.COMPLETE_FILENAME

    def run(self, line):
        path = Arguments(self.usage, line, word="FILE").word
        memory = machine()
        yield from write_stream(memory, path)
        yield "perf report -i %s --vmlinux=%s" % (path, gdb.current_progspace().filename)


def register():
    """Defines the commands, or redefines them."""
    Pitot()
    for command in (Ring, Bt, Ps, Cpus, Bp, Perf):
        command()
