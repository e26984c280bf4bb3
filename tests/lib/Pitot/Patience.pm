# SPDX-License-Identifier: BSD-2-Clause
#
# How long a test waits, by the host's clock, for one answer of what it has started: a machine's
# console, a stub, a gdb, a make. A hang detector: a host that is busy, or has one slow CPU for many
# tests, may take minutes for what else takes a moment, and that is no failure. A test that waits
# for more than one answer gives a multiple of it.
#
#     use Pitot;               # or Pitot::Patience
#     $machine->expect(qr/^pitot> $/m, $patience, 'there is a prompt');
package Pitot::Patience;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw($patience);

our $patience = 600;    # seconds

1;
