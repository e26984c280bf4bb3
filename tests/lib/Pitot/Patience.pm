# SPDX-License-Identifier: BSD-2-Clause
#
# How long a test waits, by the host's clock, for one answer of a process that it has started: a
# machine's console, a stub, gdb, make. It is a hang detector: a busy or slow host may take minutes
# for what usually takes a moment, and that is no failure. A test that waits for several answers
# uses a multiple.
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
