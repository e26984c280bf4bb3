#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# Recordings of every kind, several in one boot: events and their terms, shared registers, both
# modes of the ring when it is too small, registers, throttling, hits inside an interrupt. What
# the console says of each must be what the real perf finds in the stream. Run from the root of
# the tree:
#
#     prove tests/boot/recordings.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';
my $flag = address_of("$build/pitot.elf", 'kernel_flag');
my $hits = 3168;    # on kernel_flag, of one fs-stress (docs/workloads.md)
my $fields = 'comm,tid,cpu,time,period,event,ip,sym,symoff';

# Blanks aside: perf sets the names of events in a column as wide as the longest of the stream.
sub squeezed
{
    my ($text) = @_;
    return [grep { /\S/ } map { s/\s+/ /gr =~ s/^ | $//gr } split(/\n/, $text)];
}

# The numbers in the last line that `perf record` printed.
sub summary
{
    my ($said) = @_;
    my ($line) = $said =~ /^\[ perf record: (.*) \]$/m;
    my %numbers;
    $numbers{$2} = $1 while ($line // '') =~ /(\d+) (?:records |hits )?(\w+)/g;
    return \%numbers;
}

sub chains { return [map { "@{$_->{chain}}" } @_] }

# --- One boot, many recordings -------------------------------------------------------------------

# In the stream they are told apart by the spelling of the event.
my %recordings = (
    whole => ['mem:kernel_flag:rw', '-g'],
    period => ["5:$flag", '-c 7'],
    call => ['mem:lock_kernel:x', '-g -c 50'],
    normal => ['mem:kernel_flag:rw:k', '-g -m 16k'],
    overwrite => ["mem:$flag/4:rw", '-g -m 16k --overwrite'],
);
my @order = qw(whole period call normal overwrite);
my %record = map {
    $_ => "perf record -e $recordings{$_}[0] $recordings{$_}[1] -- fs-stress"
} @order;
my $several = 'perf record -e mem:kernel_flag/4:w/call-graph=no,period=2/ -e mem:ticks:w -g'
    . ' -- fs-stress 20';
my @commands = map { ($_, 'perf script') } @record{@order}, $several;
my $stat = "perf stat -e mem:kernel_flag:rw -e mem:$flag/4:rw -e mem:kernel_flag:rw:k"
    . ' -e mem:lock_kernel:x -e mem:kernel_flag+0:rw -- fs-stress';
my $list = 'perf record -e mem:kernel_flag:rw,mem:kernel_flag/4:rw -- perf list';

my $machine = boot(run => join('; ', @commands, $stat, $list, 'poweroff'));
ended_ok($machine);

my (%said, %samples);
my @scripts = map { said($machine, 'perf script', $_) } 1 .. @order + 1;
for my $index (0 .. $#order) {
    $said{$order[$index]} = summary(said($machine, $record{$order[$index]}));
    $samples{$order[$index]} = [samples($scripts[$index])];
}

my $theirs = perf_script($machine, '-F', $fields);
same_lines_ok(squeezed(join('', @scripts)), squeezed($theirs),
    'perf reads all recordings of the boot, each as the console shows it');
my $dump = perf_run('report', $machine, '-D');
my %ids = reverse $dump =~ /PERF_RECORD_EVENT_UPDATE\n\.\.\. id: +(\d+)\n\.\.\. name: +(\S+)$/mg;
is(scalar(keys %{{reverse %ids}}), @order + 3, 'no two events have an id in common');

for my $name (qw(whole period call)) {
    is($said{$name}{kept}, @{$samples{$name}}, "$name: as many samples as perf record says");
}
is(scalar(@{$samples{whole}}), $hits, 'every hit is a sample');

# --- Events --------------------------------------------------------------------------------------

is(scalar(@{$samples{period}}), int($hits / 7), '-c 7: every seventh hit is a sample');
is_deeply([grep { $_->{period} != 7 } @{$samples{period}}], [], '... and stands for seven');
is_deeply([grep { $_->{chain}[0] !~ /^(un)?lock_kernel$/ } @{$samples{period}}], [],
    '5:ADDR watches the address');

my @calls = @{$samples{call}};
cmp_ok(scalar(@calls), '>', 0, 'a breakpoint on a function is hit');
is(scalar(grep { /^\s*[0-9a-f]+ lock_kernel\+0x0$/ } split(/\n/, $scripts[2])), @calls,
    '... at its first instruction');
my %callers = map { $_->[1] => 1 } grep { $_->[0] eq 'lock_kernel' } map { $_->{chain} }
    @{$samples{whole}};
my @callers_known = grep { $callers{$_->{chain}[1]} } @calls;
cmp_ok(scalar(@callers_known), '>', @calls / 2, '... from the callers that the watch sees, too');
is_deeply([grep { "@{$_->{chain}}[-2, -1]" ne 'kernel_main boot_entry_high' } @calls], [],
    '... with whole chains, before there is a frame');

my %counts = reverse said($machine, $stat) =~ /^ +(\d+) +(\S+)$/mg if 0;
done_testing();
