# SPDX-License-Identifier: BSD-2-Clause
#
# A console's output, command by command, and its comparison with the real perf's.
#
#     use Pitot::Transcript;
#
#     my $list = said($machine, 'perf list');               # up to the next prompt
#     same_lines_ok(report_lines($ours), report_lines($theirs), 'the reports are equal');
#
#     my @samples = samples(said($machine, 'perf script'));  # or of perf_script($machine)
#     is($samples[0]{chain}[-1], 'boot_entry_high', ...);
package Pitot::Transcript;

use strict;
use warnings;

use Carp qw(croak);
use Exporter qw(import);
use Test::More ();

use Pitot::Difference;
use Pitot::PerfText;

our @EXPORT = qw(said samples report_lines script_lines same_lines_ok address_of);

my $prompt = 'pitot> ';

# The text between `command`, at its prompt, and the next prompt; for a command that was given
# several times, the `nth` (from 1). If the command never ran, the test dies.
sub said
{
    my ($machine, $command, $nth) = @_;
    my $console = "\n" . $machine->console;
    my $start = -1;
    for (1 .. $nth // 1) {
        $start = index($console, "\n$prompt$command\n", $start + 1);
        croak("`$command` did not run\n" . $machine->tail) if $start < 0;
    }
    $start += length("\n$prompt$command\n");
    my $end = index($console, "\n$prompt", $start - 1);
    return substr($console, $start, $end < 0 ? length($console) : $end + 1 - $start);
}

# The samples in the output of `perf script`, with or without call chains: {comm, tid, cpu, time,
# period, event, chain, registers}. The chain holds functions, innermost first.
sub samples
{
    my ($text) = @_;
    my @samples;
    for my $line (split(/\n/, $text)) {
        if (my ($comm, $tid, $cpu, $time, $period, $event, $rest) = script_head($line)) {
            push(@samples, {comm => $comm, tid => $tid, cpu => $cpu, time => $time,
                period => $period, event => $event, chain => [], registers => ''});
            $line = $rest // '';
        }
        next if !@samples;
        push(@{$samples[-1]{chain}}, $1) if $line =~ /^\s*[0-9a-f]+ ([^\s+]+)/;
        $samples[-1]{registers} = $1 if $line =~ /\b(ABI:.*?)\s*$/;
    }
    return @samples;
}

# The lines that the kernel's report and the real one must share: without perf's advice and count of
# losses, blanks at line ends, and repeated empty lines.
sub report_lines
{
    my ($text) = @_;
    my @lines = map { s/\s+$//r } split(/\n/, $text);
    my @shared = grep { !/^#/ || /^# (Samples|Event count|Overhead|\.\.\.)/ } @lines;
    return [grep { /\S/ } @shared];
}

# One test: ours and perf's lines are the same, and not empty.
sub same_lines_ok
{
    my ($ours, $theirs, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return same_ok($ours, $theirs, $name, 'pitot', 'perf') if @$ours || @$theirs;
    my $builder = Test::More->builder;
    my $good = $builder->ok(0, $name);
    $builder->diag('there are no lines to compare');
    return $good;
}

# The address of a kernel symbol, as "0x...".
sub address_of
{
    my ($elf, $symbol) = @_;
    my ($address) = `nm $elf` =~ /^([0-9a-f]+) . \Q$symbol\E$/m;
    return defined $address ? "0x$address" : croak("no symbol $symbol in $elf");
}

1;
