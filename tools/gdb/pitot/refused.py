# SPDX-License-Identifier: BSD-2-Clause
#
# Prints why the kernel's stub refused a breakpoint or watchpoint. gdb shows the reason only for
# `hbreak`, so it is requested before each prompt, by a packet that other stubs do not know.

import gdb


def reason():
    """None without a reason or a stub."""
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
