# SPDX-License-Identifier: BSD-2-Clause
#
# Loads Pitot's commands into gdb: `source tools/gdb/commands.py`, as tools/gdb/pitot.gdb does.
# `help pitot` lists them.

import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
if FOLDER not in sys.path:
    sys.path.insert(0, FOLDER)

# Leaves no files in the tree.
KEPT, sys.dont_write_bytecode = sys.dont_write_bytecode, True
from pitot import commands, refused  # noqa: E402, after the path
sys.dont_write_bytecode = KEPT

commands.register()
refused.register()
