# SPDX-License-Identifier: BSD-2-Clause
#
# Reads the rings of a stopped machine without Pitot's code: fields from the compiler's debug
# information, records by the description of claims in docs/ring.md. It also reads the records in a
# stream. The output of tools/postmortem is compared with both.
#
#     my @rings = stopped_rings($stub, 'build/pitot.elf');   # of CPUs that record
#     my $walk = ring_walk($rings[0]);    # {fault, records => [[position, bytes]...], unfinished,
#                                         #  inside}
#     my $stream = stream_parse($path);   # {fault, records => [bytes...], others => [bytes...]}
package Pitot::Stopped;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(stopped_rings ring_walk stream_parse record_type record_time
    debug_values);

my @fields = qw(size head published tail nest produced dropped overwritten);
my $levels = 4;
my $header = 8;    # size of the smallest record
my $largest = 65528;

# Types in perf's pipe format (core/abi/perf_pipe.h, <linux/perf_event.h>).
my %of_ring = map { $_ => 1 } 5, 6, 9;    # THROTTLE, UNTHROTTLE, SAMPLE
my $sample = 9;
my $tracing_data = 66;

# The values of expressions that gdb computes from the kernel's file alone, in order.
my %values;
sub debug_values
{
    my ($kernel, @expressions) = @_;
    my @unknown = grep { !defined $values{$kernel}{$_} } @expressions;
    my $line = join(' ', map { qq{-ex "output/x (unsigned long)($_)" -ex 'echo \\n'} } @unknown);
    my @said = @unknown ? split(/\n/, `gdb -nx -q -batch $line $kernel 2>&1`) : ();
    for my $expression (@unknown) {
        my $said = shift(@said) // '';
        die("$kernel: $expression: $said\n") if $said !~ /^0x([0-9a-f]+)$/;
        $values{$kernel}{$expression} = unpack('Q>', pack('H16', sprintf('%016s', $1)));
    }
    return map { $values{$kernel}{$_} } @expressions;
}

sub stopped_rings
{
    my ($stub, $kernel) = @_;
    my $rings = "'core/recording/recording.c'::rings";
    my @known = (@fields, qw(claims bytes mode));
    my ($place, $size, $stride, @offsets) = debug_values($kernel, "&$rings", "sizeof($rings)",
        "sizeof($rings\[0])", map { "&((struct ring *)0)->$_" } @known);
    my %offset = map { $known[$_] => $offsets[$_] } 0 .. $#known;
    my $all = $stub->memory($place, $size);
    my @found;
    for my $cpu (0 .. length($all) / $stride - 1) {
        my $raw = substr($all, $cpu * $stride, $stride);
        my $bytes = unpack("x$offset{bytes} Q<", $raw) or next;
        my %ring = (cpu => $cpu, map { $_ => unpack("x$offset{$_} Q<", $raw) } @fields);
        my @claims = unpack("x$offset{claims} Q<" . 2 * $levels, $raw);
        $ring{claims} = [map { [@claims[2 * $_, 2 * $_ + 1]] } 0 .. $levels - 1];
        $ring{mode} = unpack("x$offset{mode} L<", $raw);
        $ring{laps} = $stub->memory($bytes, $ring{size}) x 2;    # in one piece where it wraps
        push(@found, \%ring);
    }
    return @found;
}

sub bytes_at
{
    my ($ring, $position, $size) = @_;
    return substr($ring->{laps}, $position % $ring->{size}, $size);
}

# The size of the valid claim at this position: the deepest one's.
sub claim_at
{
    my ($ring, $position) = @_;
    my ($claim) = grep { $_->[1] >= $header && $_->[0] == $position } reverse(@{$ring->{claims}});
    return $claim ? $claim->[1] : undef;
}

sub ring_walk
{
    my ($ring) = @_;
    my %walk = (records => [], unfinished => 0, inside => 0);
    my ($at, $head, $time) = ($ring->{tail}, $ring->{head}, 0);
    return {fault => 'tail and head'} if $at > $head || $head - $at > $ring->{size};
    while ($at < $head) {
        my $size = claim_at($ring, $at);
        if (defined $size) {
            $walk{unfinished}++;
        } else {
            $size = unpack('x6 S<', bytes_at($ring, $at, $header));
            return {%walk, fault => "no record at $at: size $size"}
                if $size < $header || $size % 8 || $size > $head - $at;
            my $record = bytes_at($ring, $at, $size);
            my $later = record_time($record);
            return {%walk, fault => "time runs backwards at $at"} if $later < $time;
            $time = $later;
            push(@{$walk{records}}, [$at, $record]);
            $walk{inside}++ if $walk{unfinished};
        }
        $at += $size;
    }
    $walk{fault} = 'a claim reaches past the head' if $at != $head;
    return \%walk;
}

sub record_type { return unpack('L<', $_[0]) }

# The time of the claim. SAMPLE: identifier, ip, tid, time. THROTTLE: time, id, stream, tid, time;
# the first time is from before the claim.
sub record_time
{
    my ($record) = @_;
    return record_type($record) == $sample ? unpack('x32 Q<', $record) : unpack('x40 Q<', $record);
}

sub stream_parse
{
    my ($path) = @_;
    open(my $file, '<:raw', $path) or return {fault => "$path: $!"};
    my $stream = do { local $/; <$file> };
    my %parsed = (records => [], others => []);
    return {fault => 'no head of a stream'}
        if substr($stream, 0, 16) ne pack('a8 Q<', 'PERFILE2', 16);
    my $at = 16;
    while ($at < length($stream)) {
        return {%parsed, fault => "cut at $at"} if $at + $header > length($stream);
        my ($type, undef, $size) = unpack('L< S< S<', substr($stream, $at, $header));
        return {%parsed, fault => "size $size at $at"}
            if $size < $header || $size > $largest || $at + $size > length($stream);
        my $record = substr($stream, $at, $size);
        # The tracepoints' descriptions follow their record.
        $record .= substr($stream, $at + $size, unpack('x8 L<', $record)) if $type == $tracing_data;
        push(@{$parsed{$of_ring{$type} ? 'records' : 'others'}}, $record);
        $at += length($record);
    }
    return \%parsed;
}

1;
