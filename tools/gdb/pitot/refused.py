# SPDX-License-Identifier: BSD-2-Clause
#
# Why the kernel's own stub has refused a breakpoint or a watchpoint. It tells gdb, which keeps that
# to itself but for `hbreak`; so it is asked once more before each prompt, by a packet that other
# stubs do not know.

import gdb


def reason():
    """None where there is nothing to say, or nobody to ask."""
    connection = gdb.selected_inferior().connection
    if not isinstance(connection, gdb.RemoteTargetConnection):
        return None
    thread = gdb.selected_thread()
    if thread is None or thread.is_running():
        return None
    answer = connection.send_packet("qPitot.Refused")
    return bytes.fromhex(answer.decode("ascii")).decode("utf-8", "replace") if answer else None


def tell():
    try:
        why = reason()
    except (gdb.error, ValueError):
        return
    if why:
        gdb.write("Pitot: %s\n" % why)


def register():
    if hasattr(gdb, "RemoteTargetConnection"):    # since gdb 12
        gdb.events.before_prompt.connect(tell)
