#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: ports/rust, core/embed, core/pitot.h, arch/embed
#
# A Rust kernel uses build/lib/pitot.o by ports/rust/pitot.rs (docs/porting.md): the real perf reads
# its tracepoint, its variable and its tasks. The declarations in pitot.rs must match core/pitot.h.
# Run from the root of the tree:
#
#     prove tests/boot/ports_rust.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Copy qw(copy);
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Port;
use Pitot::Transcript;

plan skip_all => "it is started by QEMU's -kernel" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/ports_rust";
my %kernel = ('without tables' => "$build/ports/rust.elf",
    'with tables' => "$build/ports/rust-tables.elf");
my $trips = 20; # of each ferry: TRIPS of ports/rust/main.rs
my @ferries = qw(anna berta clara);

make_path($logs);

sub records
{
    my ($which, $options, $count) = @_;
    my ($status, $console) = boot_port($kernel{$which}, $options, 1, $logs);
    is($status, 1, "$which, $options: it runs to its end") or diag($console);
    like($console, qr/^$count records\n${\($trips * @ferries)} crossings$/m,
        '... with all its records');
}

sub perf_says
{
    my ($which, @line) = @_;
    return perf_of_port($kernel{$which}, $logs, 'script', '--demangle-kernel', @line);
}

sub chains
{
    my ($which) = @_;
    my %chains;
    # rustc 1.97 names a method <kernel::Ferry>::cross.
    $chains{"$_->{event}: @{$_->{chain}}" =~ s/<(\w+(?:::\w+)*)>::/$1::/gr}++
        for samples(perf_says($which, '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff'));
    return \%chains;
}

# The tasks take turns.
my @turns = map { my $trip = $_; map { "$ferries[$_ - 1] $_ $trip" } 1 .. @ferries }
    0 .. $trips - 1;
my $way = 'kernel::Ferry::cross kernel::Ferry::poll kernel::run kernel_main first';

# --- Level 0 and 1 --------------------------------------------------------------------------------

for my $which (sort keys %kernel) {
    records($which, '-e ferry:crossed -g', scalar(@turns));
    is_deeply(chains($which), {"ferry:crossed: $way" => scalar(@turns)},
        'perf script: the way to each crossing, by the names that Rust has');
}
my $fields = qr{^ *(\w+) +(\d+) +ferry:crossed: trip=(\d+) name=(\w+)$}m;
my $text = perf_says('with tables', '-F', 'comm,tid,event,trace');
my (@found, @names);
while ($text =~ /$fields/g) {
    push(@found, "$1 $2 $3");
    push(@names, $4) if $4 ne $1;
}
is_deeply(\@found, \@turns, '... each with its task and its trip, in their order');
is_deeply(\@names, [], '... and its name');

# --- Level 2 --------------------------------------------------------------------------------------

records('with tables', '-e mem:CROSSINGS:w -e ferry:crossed -g', 2 * @turns);
is_deeply(chains('with tables'),
    {map { ("$_: $way" => scalar(@turns)) } qw(mem:CROSSINGS:w ferry:crossed)},
    'a breakpoint on a static of Rust, by its name');
my ($status, $console) = boot_port($kernel{'with tables'}, '-e cpu-clock -g', 1, $logs);
is($status, 1, 'cpu-clock: it runs to its end');
is_deeply([map { s/^\S+ //r } keys(%{chains('with tables')})],
    ['kernel::wait_for_ticks kernel_main first'], '... what the timer has interrupted');

# --- Refusals -------------------------------------------------------------------------------------

for (['-e ferry:cross', qr/^refused: .*crossed/m],
    ['-e mem:CROSSING:w', qr/^refused: .*CROSSINGS/m]) {
    ($status, $console) = boot_port($kernel{'with tables'}, $_->[0], 1, $logs);
    is($status, 5, "$_->[0]: refused");
    like($console, $_->[1], '... by what is near');
}

# --- The header, as pitot.rs has it ---------------------------------------------------------------

sub layout_of
{
    my ($include) = @_;
    my $program = "$logs/layout";
    my $said = `gcc -I$include tests/host/rust_layout.c -o $program 2>&1 && $program`;
    return [split(/\n/, $said)];
}

my @ours = split(/\n/, `$build/ports/rust/layout`);
cmp_ok(scalar(@ours), '>', 40, 'pitot.rs has sizes and places');
is_deeply(\@ours, layout_of('.'), '... which are those of core/pitot.h');
make_path("$logs/moved/core");
open(my $out, '>', "$logs/moved/core/pitot_kernel.h") or die("$logs/moved/core: $!\n");
print $out slurp('core/pitot_kernel.h')
    =~ s/^    const void \*text, \*text_end;/    const void *text_end, *text;/mr;
close($out) or die("$logs/moved/core: $!\n");
copy("core/$_", "$logs/moved/core") or die("$_: $!\n") for qw(pitot.h pitot_trace.h);
my $moved = layout_of("$logs/moved");
is_deeply([grep { $ours[$_] ne $moved->[$_] } 0 .. $#ours], [1, 2],
    '... and two members that change places show');

# --- The glue's lines -----------------------------------------------------------------------------

my %lines = `ports/count ports/rust` =~ /^level (\d): (\d+) lines/mg;
my %told = slurp('docs/porting.md') =~ /^\| (\d) \| .* \| \d+ \| (\d+) \|$/mg;
is_deeply(\%told, \%lines, 'docs/porting.md says how many lines each level takes in Rust');

done_testing();
