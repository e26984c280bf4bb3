#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/stream, core/perf/option_table
#
# `perf record -z`: the real perf prints the same for the compressed stream as for the plain one of
# the same boot, from the port, from a block and from a truncated stream; a sample takes a few
# bytes. Run from the root of the tree:
#
#     prove tests/boot/compressed.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Spec;
use File::Temp qw(tempdir);
use List::Util qw(sum);
use Test::More;
use Pitot;
use Pitot::Versions;
use Pitot::Difference;
use Pitot::Files;
use Pitot::Transcript;

my $room = tempdir(CLEANUP => 1);
my $crc_of_whole = '2144df1c';    # docs/stream.md
my $compressed_type = 81;         # PERF_RECORD_COMPRESSED
my @fields = ('-F', 'comm,tid,cpu,event,ip,sym,symoff,addr');
my $load = '-m 4m -g -e mem:kernel_flag:rw -- fs-stress';

sub crc32_of
{
    my ($path) = @_;
    return `gzip -c < $path | tail -c8 | od -An -tx4 -N4` =~ s/\s//gr;
}

# The ends of the records of this type, and the bytes of all of them.
sub records_of
{
    my ($stream, $wanted) = @_;
    my ($bytes, @ends) = (0);
    for (my $at = 16; $at < length $stream;) {
        my ($type, undef, $size) = unpack('LSS', substr($stream, $at, 8));
        die("no record at $at\n") if $size < 8;
        $at += $size;
        next if $type != $wanted;
        $bytes += $size;
        push(@ends, $at);
    }
    return ($bytes, @ends);
}

my $plain = boot(run => "perf record $load; poweroff");
ended_ok($plain);
my $expected = perf_script($plain, @fields);
my $samples = scalar(samples_in($expected));
my $plain_bytes = -s $plain->com2;

my $packed = boot(run => "perf record -z $load; poweroff");
ended_ok($packed);
my ($script, $complaints, $status) = perf_script($packed, @fields);
is($status, 0, 'perf reads the compressed stream');
is($complaints, '', '... without a complaint');
same_ok($script, $expected, '... and prints what it prints of the plain one');
system("perf annotate -i - < @{[$packed->com2]} > /dev/null 2>&1");
is($? >> 8, differs('`perf annotate` reads a compressed stream') ? 0 : 139,
    '... and perf annotate ends as in docs/machines.md');
is(crc32_of($packed->com2), $crc_of_whole, 'its checksum is that of the bytes on the wire');

my $stream = slurp($packed->com2);
my ($bytes, @ends) = records_of($stream, $compressed_type);
cmp_ok($samples, '>', 500, 'there are samples');
my $each = sprintf('%.1f', $bytes / $samples);
diag("$samples samples: plain $plain_bytes bytes in all, compressed " . length($stream)
    . ", $each a sample in " . @ends . ' pieces');
cmp_ok($each, '<=', 13, 'at most 13 bytes a sample');

# A file made from it equals the file made from the plain stream, except for the event's id, which
# counts up.
sub perf_file
{
    my ($path, @options) = @_;
    unlink("$room/file");
    my $said = `tools/perf-file @options $path $room/file 2>&1`;
    return (-e "$room/file" ? scalar(script_of_file("$room/file")) : '', $said);
}

sub script_of_file
{
    my ($path) = @_;
    my $perf = 'PERF_CONFIG=/dev/null perf --no-pager script --vmlinux=' . $packed->elf;
    return scalar(`$perf -i $path @fields 2> $room/errors`);
}

my ($of_plain, $plain_said) = perf_file($plain->com2);
my ($of_packed, $packed_said) = perf_file($packed->com2);
is($plain_said . $packed_said, '', 'tools/perf-file takes both');
is(scalar(samples_in($of_plain)), $samples, '... with all samples');
same_ok($of_packed, $of_plain, '... and perf prints the same of both files');

# Truncated streams: all complete pieces are printed.
for my $index (0, int(@ends / 2)) {
    my $before = -1;
    for my $length ($ends[$index], $ends[$index] + 9, $ends[$index + 1] - 1) {
        write_bytes("$room/cut", substr($stream, 0, $length));
        my ($cut) = Pitot::Perf::script("$room/cut", @fields);
        my $count = scalar(samples_in($cut));
        my $same = $before < 0 || $count == $before;
        ok($same && $count > 0 && index($expected, $cut) == 0,
            "cut at $length: $count samples of the pieces before, as they were");
        $before = $count;
    }
}
my ($nothing, $refused) = perf_file("$room/cut");
is($nothing, '', 'tools/perf-file refuses one that is cut');
my ($rest, $warned) = perf_file("$room/cut", '-f');
is(scalar(samples_in($rest)), scalar(samples_in(scalar(Pitot::Perf::script("$room/cut", @fields)))),
    '... unless it is told to take what came: -f');
my $hurt = $stream;
substr($hurt, $ends[1] - 100, 60) = "\xff" x 60;
write_bytes("$room/hurt", $hurt);
like((perf_file("$room/hurt", '-f'))[1], qr{^\S+/hurt: is damaged: },
    'one that is damaged is refused');

# --- Without a second port, and a plain recording between two compressed ones --------------------

my $block = boot(com2 => 'none', run => "perf record -z $load; poweroff");
ended_ok($block);
my $log = File::Spec->rel2abs($block->console_path);
is(system("cd $room && uudecode $log"), 0, 'uudecode takes the block');
same_ok(scalar(Pitot::Perf::script("$room/pitot.perf", @fields)), $expected,
    'perf prints the same of a block');

my $short = '-e mem:kernel_flag:rw -- fs-stress 1';
my $mixed = boot(
    run => "perf record -z $short; perf record $short; perf record -z $short; poweroff");
ended_ok($mixed);
($script, $complaints, $status) = perf_script($mixed, @fields);
my @kept = $mixed->console =~ /^\[ perf record: (\d+) records? kept/mg;
is($status, 0, 'perf reads three recordings, one of them plain');
is(scalar(samples_in($script)), sum(@kept),
    '... all samples of all three');
($of_packed, $packed_said) = perf_file($mixed->com2);
is($packed_said, '', 'tools/perf-file takes the last');
is(scalar(samples_in($of_packed)), $kept[2], '... with its samples alone');

done_testing();

sub samples_in
{
    my ($text) = @_;
    my @heads = $text =~ / mem:kernel_flag:rw:/g;
    return @heads;
}
