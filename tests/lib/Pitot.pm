# SPDX-License-Identifier: BSD-2-Clause
#
# For tests that boot Pitot. Run by prove from the root of the tree:
#
#     use lib 'tests/lib';
#     use Test::More;
#     use Pitot;
#
#     my $machine = boot(run => 'perf list; poweroff');       # waits for the end
#     ended_ok($machine);
#     like($machine->console, qr/mem:/, 'perf list names breakpoint events');
#
#     ktap_ok(boot(kernel => 'pitot-test', run => 'ktap-unwind; poweroff'));
#
#     my $machine = start();                                  # a person at the console
#     $machine->expect(qr/^pitot> $/m, $patience, 'there is a prompt');
#     $machine->send("help\n");
#
#     like(perf_report($machine, '--no-children', '-F', 'sample,sym'), qr/.../);
#
# The options are the variables of tools/machine in small letters (tests/lib/Pitot/Machine.pm).
package Pitot;

use strict;
use warnings;

use Exporter qw(import);

use Pitot::Ktap;
use Pitot::Machine;
use Pitot::Patience;
use Pitot::Perf;

our @EXPORT = qw(boot start ended_ok ktap_ok perf_report perf_script perf_run
    $patience);

# Boots and waits for the end, which the test must check.
sub boot
{
    my $machine = Pitot::Machine->new(@_);
    $machine->wait_end;
    return $machine;
}

# Boots with the console under the test's control: $machine->send, ->expect, ->wait_end.
sub start
{
    return Pitot::Machine->new(@_, interactive => 1);
}

# One test: the guest switched the machine off.
sub ended_ok
{
    my ($machine, $name) = @_;
    my $builder = Test::More->builder;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $good = $builder->is_num($machine->status, 0, $name // 'the machine is switched off');
    $builder->diag($machine->tail) if !$good;
    return $good;
}

# Each result of the suites on the console becomes a test, and so does their completeness.
sub ktap_ok
{
    my ($machine) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $complete = Pitot::Ktap::report($machine->console);
    return ended_ok($machine, 'the suites end with the machine switched off') && $complete;
}

*perf_report = \&Pitot::Perf::report;
*perf_script = \&Pitot::Perf::script;
*perf_run = \&Pitot::Perf::run;

1;
