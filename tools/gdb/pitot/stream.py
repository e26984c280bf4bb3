# SPDX-License-Identifier: BSD-2-Clause
#
# Writes the recording as a stream for perf, by tools/postmortem, which has the kernel's own code:
# from a dump's file, or through gdb, which it uses like QEMU's stub. So the format has one source,
# and gdb may have its machine from anywhere.

import os
import re
import select
import socket
import subprocess
import tempfile

from pitot import Refusal
from pitot.kernel import objfile
from pitot.memory import Unreadable

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAM = "host/postmortem"
PACKET = re.compile(rb"\$([^#]*)#..")
CHECK_AFTER = 1  # seconds, whether the program has exited


def program(kernel):
    """Beside the kernel, or where `make postmortem` puts it."""
    for folder in (os.path.dirname(os.path.abspath(kernel)), os.path.join(ROOT, "build")):
        path = os.path.join(folder, PROGRAM)
        if os.access(path, os.X_OK):
            return path
    raise Refusal("there is no %s beside the kernel: `make gdb` and `make postmortem` build it"
                  % PROGRAM)


def write_stream(memory, path):
    """Returns the findings, in lines."""
    if os.path.isdir(path):
        raise Refusal("%s is a folder: give the name of a file" % path)
    kernel = objfile().filename
    line = [program(kernel), "-k", kernel, "-o", path]
    if memory.dump:
        done = subprocess.run(line + [memory.dump.path], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        return outcome(done.returncode, done.stderr, memory.dump.path)
    with tempfile.TemporaryDirectory(prefix="pitot.") as folder:
        place = os.path.join(folder, "stub")
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(place)
            door.listen(1)
            with subprocess.Popen(line + [place], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as tool:
                try:
                    serve(door, tool, memory)
                except OSError:
                    pass  # it has exited; its status shows why
                return outcome(tool.wait(), tool.stderr.read(), place)


def serve(door, tool, memory):
    """Answers the program until it disconnects."""
    while not select.select([door], [], [], CHECK_AFTER)[0]:
        if tool.poll() is not None:
            return
    stub, _ = door.accept()
    with stub:
        waiting = b""
        while True:
            received = stub.recv(65536)
            if not received:
                return
            waiting += received
            while found := PACKET.search(waiting):
                waiting = waiting[found.end() :]
                stub.sendall(packet(answer(memory, found.group(1))))


def answer(memory, question):
    """Like a stub of a stopped machine: the manual of gdb, "Remote Protocol"."""
    if question == b"?":
        return b"S05"
    if question == b"qC":
        return b"QC1"
    asked = re.fullmatch(rb"m([0-9a-f]+),([0-9a-f]+)", question)
    if not asked:
        return b""
    try:
        return memory.read(*(int(number, 16) for number in asked.groups())).hex().encode()
    except Unreadable:
        return b"E14"


def packet(body):
    return b"+$%s#%02x" % (body, sum(body) & 0xFF)


def outcome(status, said, source):
    lines = [line.replace("postmortem: %s: " % source, "").replace("postmortem: ", "")
             for line in said.decode("utf-8", "replace").splitlines()]
    if status != 0:
        raise Refusal(lines[-1] if lines else "%s failed: status %d" % (PROGRAM, status))
    return lines
