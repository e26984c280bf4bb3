# SPDX-License-Identifier: BSD-2-Clause
#
# The part of tests/boot/gdb_pitot.t and gdb_stopped.t that runs inside gdb: chains of Pitot's
# commands beside gdb's own, and what the commands print about overwritten memory. Sourced into gdb,
# with a stopped machine.

import random
import re

import gdb

MASK = (1 << 64) - 1
STANDING = ("rip", "rsp", "rbp")
THERE = (2, 3, 4)  # THREAD_RUNNABLE, THREAD_RUNNING, THREAD_SLEEPING


class Try(gdb.Command):
    """Goes on behind what is refused. A fault of a command's own would be called an exception, or
    an error that occurred in Python."""

    def __init__(self):
        super().__init__("try", gdb.COMMAND_USER)

    def invoke(self, line, from_tty):
        try:
            gdb.execute(line)
        except gdb.error as why:
            print("refused: %s" % why)


Try()


def gdb_chain():
    """Addresses; what gdb shows as inlined functions is one frame with what they are part of."""
    frame, found = gdb.newest_frame(), []
    while frame is not None and frame.is_valid():
        if frame.type() != gdb.INLINE_FRAME:
            found.append(frame.pc())
        frame = frame.older()
    return found


def pitot_chain(option):
    said = gdb.execute("pitot bt " + option, to_string=True)
    return [int(one, 16) for one in re.findall(r"^#\d+ +(0x[0-9a-f]+) in", said, re.M)]


def compare(title, ours, gdbs):
    words = tuple(" ".join("%x" % one for one in chain) for chain in (ours, gdbs))
    outcome = len(ours) if ours == gdbs else "ours %s, gdb's %s" % words
    print("chain of %s: %s" % (title, outcome))


def all_cpus(place):
    kept = gdb.selected_thread()
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        compare("a CPU, " + place, pitot_chain(""), gdb_chain())
    kept.switch()


def at(place):
    """At its next coming there, and some instructions on."""
    gdb.execute("tbreak *(char *)&" + place, to_string=True)
    gdb.execute("continue", to_string=True)
    all_cpus(place)
    for i in range(random.randrange(20)):
        gdb.execute("stepi", to_string=True)
    all_cpus(place)


def number(expression):
    return int(gdb.parse_and_eval("(unsigned long)(%s)" % expression)) & MASK


def sleepers():
    """gdb is shown the registers of each thread that does not run, in place of a CPU's."""
    threads = "'kernel/sched/thread.c'::threads"
    resume = number("*(unsigned long *)&switch_resume")
    kept = [number("$" + name) for name in STANDING]
    for i in range(number("sizeof(%s) / sizeof(%s[0])" % (threads, threads))):
        pid, state, sp = (number("%s[%d].%s" % (threads, i, field))
                          for field in ("pid", "state", "sp"))
        ours = pitot_chain("-t %d" % pid) if pid and state in THERE else []
        if ours[:1] != [resume]:
            continue
        set_registers((resume, sp, sp + 48))
        compare("a thread", ours, gdb_chain())
        set_registers(kept)


def set_registers(values):
    for name, value in zip(STANDING, values):
        gdb.execute("set $%s = %#x" % (name, value))


COMMANDS = ("ring", "ring -g -n 1000", "bt", "ps", "cpus", "bp", "bt -t 1", "bt -t 0", "bt -t 5")


def said_by(command):
    try:
        return gdb.execute("pitot " + command, to_string=True)
    except gdb.error as why:
        return str(why) + "\n"


def with_memory(changes, run):
    """What comes of it while memory is changed, and then it is as before."""
    inferior, kept = gdb.selected_inferior(), []
    for address, changed in changes:
        kept.append((address, bytes(inferior.read_memory(address, len(changed)))))
        inferior.write_memory(address, changed)
    found = run()
    for address, old in reversed(kept):
        inferior.write_memory(address, old)
    return found


def damaged(name, command, address, changed):
    damaged_all(name, command, [(address, changed)])


def damaged_all(name, command, changes):
    print("damaged %s: %s" % (name, with_memory(changes, lambda: said_by(command))))


def same_memory(first, size):
    """What the commands read of a dump is what gdb reads, where it knows the kernel's addresses:
    pages that begin with something."""
    from pitot.memory import Memory
    ours, inferior = Memory(), gdb.selected_inferior()
    theirs = {at: bytes(inferior.read_memory(at, 64)) for at in range(first, first + size, 4096)}
    used = [at for at in theirs if any(theirs[at])]
    same = [at for at in used if ours.read(at, 64) == theirs[at]]
    print("of %d pages %d are the same" % (len(used), len(same)))


VARIABLES = ("'core/recording/recording.c'::rings", "recorder", "recorder_tasks",
             "'core/recording/recording.c'::events", "'core/recording/recording.c'::event_count",
             "'core/recording/recording.c'::banks", "'core/recording/tasks.c'::tasks[0]",
             "'core/recording/tasks.c'::count", "'kernel/sched/thread.c'::threads[0]",
             "'kernel/sched/thread.c'::threads", "'kernel/sched/scheduler.c'::schedulers[0]",
             "'core/breakpoint/breakpoint.c'::table", "'kernel/x86_64/entry/stacks.c'::of_boot_cpu",
             "stack_slots[1]", "percpu[0]", "pitot_tracepoint_lock_acquire")


def places():
    """Addresses and sizes of all that the commands read."""
    found = [(number("&" + name), number("sizeof(%s)" % name)) for name in VARIABLES]
    ring = number("'core/recording/recording.c'::rings[0].bytes")
    found.append((ring, number("'core/recording/recording.c'::rings[0].size")))
    found.append((number("&unwind_table_start"), 4096))
    stack = number("$rsp") & ~7
    found.append((stack, 4096 - stack % 4096))
    return found


def any_damage(rounds, seed):
    """Words at random places, of random kinds. Whatever is said, no command may break."""
    chance, known = random.Random(seed), places()
    for i in range(rounds):
        changes = []
        for j in range(chance.randrange(1, 6)):
            start, size = chance.choice(known)
            value = chance.choice((0, 1, chance.getrandbits(64), (1 << 64) - 1, start, 1 << 63,
                                   chance.getrandbits(16), start + chance.randrange(1 << 20)))
            place = start + chance.randrange(0, max(size - 7, 1), 8)
            changes.append((place, value.to_bytes(8, "little")))
        said = with_memory(changes, lambda: [said_by(command) for command in COMMANDS])
        broken = [one for one in said if "Python" in one or "Traceback" in one or not one]
        words = ["%x=%s" % (address, value.hex()) for address, value in changes]
        print("any damage: %s" % (" ".join(words + broken) if broken else len("".join(said)) > 0))
