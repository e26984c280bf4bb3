# SPDX-License-Identifier: BSD-2-Clause
#
# The real perf's output as names and values, for any version: columns and remarks change between
# versions, and no test depends on them.
#
#     use Pitot::PerfText;
#
#     same_lines_ok(script_lines($ours), script_lines($theirs), 'the scripts are equal');
#     is(attributes_of($evlist)->{'cpu-clock'}{freq}, 1, 'a frequency was asked for');
package Pitot::PerfText;

use strict;
use warnings;

use Exporter qw(import);

use Pitot::Versions;

our @EXPORT = qw(script_lines script_head attributes_of);

# Parses the first line of a sample of `perf script -F comm,tid,cpu,time,period,event...`: comm,
# tid, cpu, time, period, event, and the rest. Returns an empty list for other lines.
sub script_head
{
    my ($line) = @_;
    return $line =~ /^\s*(\S.*?)\s+(\d+)\s+\[(\d+)\]\s+(\d+\.\d+):\s+(\d+)\s+(\S+):(?:\s(.*))?$/;
}

# A function of a program, with the address before it.
my $in_program = qr/^\s+[0-9a-f]{1,12} (?=\S+\+0x|\[unknown\])/;

# The lines of perf script, without blanks at their ends, and with single blanks between the fields
# of a sample's first line.
sub script_lines
{
    my ($text) = @_;
    my $named_only = differs('`perf script` prints where code of a program lies in memory');
    return [map {
        my ($comm, $tid, $cpu, $time, $period, $event, $rest) = script_head($_);
        my $line = defined $comm
            ? "$comm $tid [$cpu] $time: $period $event: " . ($rest // '') =~ s/^\s+//r : $_;
        $named_only ? $line =~ s/$in_program/ /r : $line
    } map { s/\s+$//r } split(/\n/, $text)];
}

# The attributes of each event in `perf evlist -v`: {EVENT => {NAME => VALUE}}, without the
# modifiers that perf adds to an event's name, and what it explains in parentheses.
sub attributes_of
{
    my ($text) = @_;
    my %events;
    for my $line (split(/\n/, $text)) {
        my ($event, $list) = $line =~ /^(\S+?)(?::[a-zA-Z]+)?: (type: .*)$/ or next;
        $list =~ s/ \([^()]*\)//g;
        my %values;
        while ($list =~ /\G(?:\{ ([^}]*) \}|([\w:]+)): ([^,]*)(?:, |$)/g) {
            $values{$_} = $3 for split(/, /, $1 // $2);
        }
        $events{$event} = \%values;
    }
    return \%events;
}

1;
