# SPDX-License-Identifier: BSD-2-Clause
#
# Loads Pitot's commands into gdb: `source tools/gdb/commands.py`. tools/gdb/pitot.gdb does so. The
# commands themselves are in the folder beside, and `help pitot` lists them.

import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
if FOLDER not in sys.path:
    sys.path.insert(0, FOLDER)

# Nothing is left in the tree.
KEPT, sys.dont_write_bytecode = sys.dont_write_bytecode, True
from pitot import commands, refused  # noqa: E402, after the path
sys.dont_write_bytecode = KEPT

commands.register()
refused.register()
