#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/stream
#
# A machine's stream truncated at any byte, as by a crash or a bad cable: the real perf prints every
# sample that arrived complete, and no other, and does not crash. The stream is cut in each record
# within its header, after it, within the rest and before its last byte, and at every 13th byte. Run
# from the root of the tree:
#
#     prove tests/boot/stream.t
#
# SOAK=1 cuts at every byte, QUICK=1 at every 29th and where records end.
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $cut_path = "$build/logs/stream/cut";
my $header_size = 16;              # of the stream
my $record_header = 'LSS';         # type, misc, size
my $sample_type = 9;               # PERF_RECORD_SAMPLE
my $refused = 255;                 # perf's status when it gives up
my $crc_of_whole = '2144df1c';     # docs/stream.md
my @lines_only = ('-G', '-F', 'comm,tid,time,event,ip,sym,symoff');

# The stream's records, in order: begin, end and type of each.
sub records
{
    my ($stream) = @_;
    my @records;
    for (my $at = $header_size; $at < length $stream;) {
        my ($type, $misc, $size) = unpack($record_header, substr($stream, $at, 8));
        die("no record at $at\n") if $size < 8;
        push(@records, {at => $at, end => $at + $size, type => $type});
        $at += $size;
    }
    return @records;
}

# Lengths to cut the stream to, in order.
sub cuts
{
    my ($length, @records) = @_;
    my $each = $ENV{SOAK} ? 1 : $ENV{QUICK} ? 29 : 13;
    my %cuts = map { $_ => 1 } grep { $_ % $each == 0 } 0 .. $length - 1;
    for my $record (@records) {
        my ($at, $end) = @$record{qw(at end)};
        my @parts = $ENV{QUICK} ? ($end) : ($at + 4, $at + 8, ($at + $end) >> 1, $end - 1, $end);
        $cuts{$_} = 1 for grep { $_ < $length } @parts;
    }
    return sort { $a <=> $b } keys(%cuts);
}

# As docs/stream.md describes it.
sub crc32_of
{
    my ($path) = @_;
    return `gzip -c < $path | tail -c8 | od -An -tx4 -N4` =~ s/\s//gr;
}

# Ignores blanks: the column of events is as wide as the longest name that arrived.
sub lines
{
    my ($script) = @_;
    return map { s/\s+/ /gr } split(/\n/, $script);
}

# What perf does wrong with the first `length` bytes of the stream; nothing if all is right.
sub complaint_about_cut
{
    my ($stream, $length, $expected) = @_;
    write_bytes($cut_path, substr($stream, 0, $length));
    my ($script, $said, $status) = Pitot::Perf::script($cut_path, @lines_only);
    my @lines = lines($script);
    return "died at $length of signal " . ($status - 128) if $status > 128 && $status != $refused;
    return "prints other samples at $length: $said" if "@lines" ne "@$expected";
    return ();
}

# The period that gives four samples of an event in the load: enough, and each costs time.
sub quarters
{
    my ($event) = @_;
    my $machine = boot(run => "perf stat -a -e $event -- fs-stress; poweroff");
    my ($count) = $machine->console =~ /^ +(\d+) {6}\Q$event\E$/m or die($machine->tail);
    return int($count / 4);
}

# With chains, with registers, with neither.
my $hits = quarters('mem:kernel_flag:rw');
my $calls = quarters('mem:lock_kernel:x');
my $machine = boot(run => "perf record -a -e mem:kernel_flag:rw -c $hits -g -- fs-stress;"
    . " perf record -a -e mem:lock_kernel:x --intr-regs -c $calls -- fs-stress;"
    . " perf record -a -e mem:kernel_flag:w/period=$hits/ -e mem:unlock_kernel:x/period=$calls/"
    . ' -- fs-stress; poweroff');
ended_ok($machine);
my $stream = slurp($machine->com2);
my @records = records($stream);
my @ends = map { $_->{end} } grep { $_->{type} == $sample_type } @records;
my @samples = lines(scalar perf_script($machine, @lines_only));
cmp_ok(scalar(@ends), '>=', 16, 'a stream of three recordings has samples');
is(scalar(@samples), @ends, '... perf prints them all');
is(crc32_of($machine->com2), $crc_of_whole, '... the checksum tells that it is whole');

my @complaints;
my @cuts = cuts(length($stream), @records);
for my $length (@cuts) {
    my $arrived = grep { $_ <= $length } @ends;
    push(@complaints, complaint_about_cut($stream, $length, [@samples[0 .. $arrived - 1]]));
}
is_deeply(\@complaints, [], 'cut at ' . @cuts . ' bytes, it keeps its whole samples');

done_testing();
