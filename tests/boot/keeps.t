#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/recording, core/lib/cpus
#
# The last recording stays when the next one is refused, and no hit is lost on a machine with more
# CPUs than Pitot runs on.
use strict;
use warnings;

use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $record = 'perf record -a -e mem:kernel_flag:rw -g -- fs-stress 1';
my $stat = 'perf stat -a -e mem:kernel_flag:rw -- fs-stress 1';

# Each is refused at a different point: the spelling, the place, the registers, the ring, the
# memory.
my @refused = (
    'perf record -a -e mem:kernel_flog:w -- help',
    'perf record -a -e mem:ticks:w -e mem:0x10:w -- help',
    'perf record -a -e mem:boot/32:w -e mem:kernel_flag:w -- help',
    'perf record -a -e mem:kernel_flag:w -m 12k -- help',
);
my $machine = boot(run => join('; ', $record, 'perf report', @refused, 'perf report -g callee',
    'perf list', 'poweroff'));
ended_ok($machine);
my $before = said($machine, 'perf report');
like($before, qr/lock_kernel/, 'there is a recording');
like(said($machine, $_), qr/\Aperf record: .*\n\z/, "refused: $_") for @refused;
is(said($machine, 'perf report -g callee'), $before, '... and the last recording is still there');
is(() = said($machine, 'perf list') =~ /^  dr\d  free$/mg, 4, '... with all registers free');

for my $cpus (1, 2) {
    my $several = boot(machine => 'qemu', smp => $cpus, run => "$stat; $record; poweroff");
    ended_ok($several, "with SMP=$cpus the machine is switched off");
    my ($hits) = said($several, $stat) =~ /^ +(\d+) +mem:kernel_flag:rw$/m;
    my ($kept) = said($several, $record) =~ /(\d+) records? kept/;
    my $script = perf_script($several, '-F', 'event,ip,sym');
    my $samples = () = $script =~ /^\s+[0-9a-f]+ lock_kernel$/mg;
    cmp_ok($hits, '>', 100, '... there are hits');
    is($kept, $hits, '... each is recorded');
    is($samples, $hits / 2, '... and half of them are lock_kernel\'s, an atomic exchange each');
}

done_testing();
