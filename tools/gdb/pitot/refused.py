# SPDX-License-Identifier: BSD-2-Clause
#
# Prints why the kernel's stub refuses a breakpoint or watchpoint. gdb shows the reason only for
# `hbreak`, so it is requested before each prompt; and gdb sets a breakpoint only when the machine
# resumes, so what the stub will refuse is requested when a person makes one. Other stubs do not
# know these packets.

import gdb


def ask(packet):
    """None without an answer or a stub."""
    connection = gdb.selected_inferior().connection
    if not isinstance(connection, gdb.RemoteTargetConnection):
        return None
    thread = gdb.selected_thread()
    if thread is None or thread.is_running():
        return None
    answer = connection.send_packet(packet)
    return bytes.fromhex(answer.decode("ascii")).decode("utf-8", "replace") if answer else None


def tell(packet="qPitot.Refused"):
    try:
        why = ask(packet)
    except (gdb.error, ValueError):
        return
    if why:
        gdb.write("Pitot: %s\n" % why)


KINDS = {gdb.BP_BREAKPOINT: 0, getattr(gdb, "BP_HARDWARE_BREAKPOINT", None): 1}


def tell_made(made):
    """Has locations since gdb 13."""
    if made.type in KINDS and made.visible and made.enabled:
        for place in getattr(made, "locations", ()):
            tell("qPitot.Refuses,%x,%x" % (KINDS[made.type], place.address))


def register():
    if hasattr(gdb, "RemoteTargetConnection"):    # since gdb 12
        gdb.events.before_prompt.connect(tell)
        gdb.events.breakpoint_created.connect(tell_made)
