#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: ports/c, core/embed, arch/embed, core/sample, core/event, core/unwind
#
# The cost of a watch's hit in a kernel that is not Pitot's own: the instructions from the entry of
# its debug traps to their `iretq`, counted from QEMU's log. docs/porting.md has the numbers. Run
# from the root of the tree:
#
#     prove tests/boot/ports_cost.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Port;
use Pitot::Versions;

plan skip_all => "it is started by QEMU's -kernel" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/ports_cost";
my $differs = differs('a hit takes up to 5 % more instructions than in [bench](bench.md)')
    || differs('a hit takes up to 12 % fewer instructions than in [bench](bench.md)');
my ($qemu) = `qemu-system-x86_64 --version` =~ /version (\d+)/;
my @each = $qemu < 9 ? '-singlestep' : ('-accel', 'tcg,one-insn-per-tb=on');

make_path($logs);

# Returns how many hits took how many instructions. Addresses are compared as strings.
sub costs
{
    my ($kernel, $options) = @_;
    my %at = reverse(`nm $kernel` =~ /^([\da-f]+) \w (embed_debug_entry|text_start|text_end)$/mg);
    my %returns = map { ($_ => 1) } `objdump -d $kernel` =~ /^([\da-f]+):.*\tiretq/mg;
    my ($status) = boot_port($kernel, $options, 1, $logs, @each, '-d', 'exec,nochain',
        '-dfilter', "0x$at{text_start}..0x$at{text_end}", '-D', "$logs/instructions");
    is($status, 1, "$options: the kernel runs to its end");
    my ($count, %costs);
    open(my $log, '<', "$logs/instructions") or die("$logs/instructions: $!\n");
    while (<$log>) {
        my ($ip) = m{/([\da-f]{16})/} or next;
        $count = 0 if $ip eq $at{embed_debug_entry};
        next if !defined($count);
        $count++;
        next if !$returns{$ip};
        $costs{$count}++;
        $count = undef;
    }
    close($log);
    unlink("$logs/instructions");
    return %costs;
}

my $told = slurp('docs/porting.md');
for (['a plain sample', 'level2', '', qr/a plain sample takes (\d+)/],
    ['one with a chain of four', 'level2-tables', ' -g', qr/with a chain of four callers (\d+)/])
{
    my ($name, $port, $more, $tells) = @$_;
    my $kernel = "$build/ports/c-$port.elf";
    my ($watched) = `nm $kernel` =~ /^([\da-f]+) \w jobs_done$/m;
    my %costs = costs($kernel, "-e mem:0x$watched/8:w$more");
    my ($usual) = sort { $costs{$b} <=> $costs{$a} || $a <=> $b } keys %costs;
    my ($number) = $told =~ $tells;
    cmp_ok(abs(($usual // 0) - ($number // 0)), '<=', ($number // 0) * ($differs ? 0.15 : 0.03),
        "docs/porting.md tells what $name costs: $usual");
}

done_testing();
