#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/postmortem
#
# build/host/postmortem in use: from a dump and through QEMU's stub, compared with the stream that
# the kernel itself writes of the same recording; its refusals, and its messages about overwritten
# memory. tests/boot/stopped.t stops machines at random. Run from the root of the tree:
#
#     prove tests/boot/postmortem.t
use strict;
use warnings;
use lib 'tests/lib';
use MIME::Base64 qw(decode_base64);
use Test::More;
use Pitot;
use Pitot::Stopped;
use Pitot::Stub;

plan skip_all => "a stub for gdb is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $kernel = "$build/pitot.elf";
my $logs = "$build/logs/postmortem";
my ($lost, $lost_samples, $checksum) = (2, 13, 65);    # PERF_RECORD_*, PERF_PIPE_EVENT_TYPE

my @places = qw(sample_write_otherwise stress_all stream_begin_recording build_id_note recorder);
my ($head, $bytes, $produced, $nest, $rings, @addresses) = debug_values($kernel,
    (map { "&((struct ring *)0)->$_" } qw(head bytes produced nest)),
    "&'core/recording/recording.c'::rings", map { "&$_" } @places);
my %address = map { $places[$_] => $addresses[$_] } 0 .. $#places;

# A new machine, stopped where it first reaches the place.
my $machines = 0;
sub stopped_at
{
    my ($place, $run, %options) = @_;
    my $socket = "$logs/" . ++$machines . '.stub';
    my $machine = Pitot::Machine->new(gdb => $socket, mem => '32M', smp => 4, run => $run,
        %options);
    my $stub = Pitot::Stub->new($socket);
    $stub->attach;
    run_to($stub, $place) if $place;
    return ($machine, $stub);
}

sub run_to
{
    my ($stub, $place) = @_;
    $stub->run_to($address{$place}, $patience) or die("the machine did not come to $place\n");
}

# Its messages and its status; the stream goes to a file.
sub postmortem
{
    my ($from, @options) = @_;
    unlink("$logs/out.perf");
    my $said = `$build/host/postmortem -k $kernel -o $logs/out.perf @options $from 2>&1 </dev/null`;
    return ($said, $? >> 8);
}

# The same for a machine whose stub this test uses.
sub postmortem_of
{
    my ($stub, @options) = @_;
    $stub->leave;
    my @result = postmortem($stub->{path}, @options);
    $stub->attach;
    return @result;
}

# One test: the tool prints one line, which matches, and writes no file.
sub refused_ok
{
    my ($result, $pattern, $name) = @_;
    my ($said, $status) = @$result;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $good = ok($status == 1 && $said =~ /\Apostmortem: .*$pattern.*\n\z/ && !-e "$logs/out.perf",
        "refused: $name");
    diag("status $status: $said") if !$good;
}

sub slurp
{
    my ($path) = @_;
    open(my $file, '<:raw', $path) or return "$path: $!";
    local $/;
    return scalar(<$file>);
}

# --- A dump --------------------------------------------------------------------------------------

# Stops inside the record that the watch on the ring's head interrupts: the hit's own record is the
# inner one. The ring wraps within the first hundred.
my $events = "-e mem:kernel_flag:w -e mem:rings+$head/8:w -e lock:*,irq:* -R -g";
my $dump = "$logs/dump";
my ($machine, $stub) = stopped_at('stress_all',
    "perf record -a --overwrite -m 16K $events -- fs-stress 100000", flags => 'perf.rate=0');
my ($stops, $inner) = (0, 0);
while ($stops < 100 || !$inner) {
    die("no record inside a record in $stops\n") if ++$stops > 1000;
    run_to($stub, 'sample_write_otherwise');
    $inner = $stub->cpu == 0 && unpack('Q<', $stub->memory($rings + $nest, 8)) == 1;
}
my ($back) = unpack('Q<', $stub->memory($stub->register('rsp'), 8));
$stub->run_to($back);
my $nested = qr/\d+ records, 1 of them inside an unfinished one/;
for my $how ('', '-p ') {
    unlink($dump);
    $stub->monitor("dump-guest-memory $how$dump");
    my ($said, $status) = postmortem($dump);
    is($status, 0, "a dump is read: dump-guest-memory ${how}FILE") or diag($said);
    like($said, qr/\ACPU 0: $nested; 1 unfinished, [1-9]\d* overwritten, 0 dropped$/m,
        '... and what was found is reported');
    rename("$logs/out.perf", "$logs/dump.perf");
    ($said, $status) = postmortem_of($stub);
    is($status, 0, '... as is the machine itself, through its stub') or diag($said);
    ok(slurp("$logs/dump.perf") eq slurp("$logs/out.perf"), '... the stream is the same');
}
my $found = @{stream_parse("$logs/out.perf")->{records}};
my ($script, $complaints, $status) = perf_script("$logs/out.perf");
is($status, 0, 'the real perf reads it');
like($complaints, qr/\A(?:Warning:\nProcessed \d+ samples and lost [\d.]+%!\s*)?\z/, '... gladly');
is(scalar(() = $script =~ /^[^\s:]\S* +\d+ \[\d+\] /mg), $found,
    '... every sample, by the name of its thread');
like($script, qr/ lock:lock_acquire: 0x[0-9a-f]+ \w+$/m, '... the fields of tracepoints');
like($script, qr/ sample_write\w*\+0x/, '... and the names of functions');
like($script, qr/\bboot_entry_high\b/, '... to the outermost');
my ($report) = perf_report("$logs/out.perf", '--no-children');
like($report, qr/^ +[\d.]+% .*\bsample_write\w*\b/m,
    'perf report finds the hit inside the recording');
is(`gzip -c < $logs/out.perf | tail -c8 | od -An -tx4 -N4` =~ s/\s//gr, '2144df1c',
    'the stream is whole');

# --- Refusals ------------------------------------------------------------------------------------

refused_ok([postmortem("$logs/none")], 'No such file', 'nothing is there');
refused_ok([postmortem('Makefile')], 'no dump, and no socket of a stub', 'a file that is no dump');
refused_ok([postmortem($kernel)], 'an ELF file, but no dump', 'an ELF file that is no dump');
refused_ok([postmortem('tests')], 'neither a file nor a socket', 'a folder');
refused_ok([postmortem($dump, '-k Makefile')], 'not a 64-bit ELF file', 'a kernel that is none');
refused_ok([postmortem($dump, "-k $build/host/postmortem")], 'no section|no symbol',
    'a kernel that is another program');
refused_ok([postmortem($dump, "-k $build/pitot-test.elf")],
    'is not in that memory|a kernel of build id', 'another kernel of ours');
open(my $short, '>:raw', "$logs/short") or die("$logs/short: $!");
print {$short} substr(slurp($dump), 0, 1 << 20);
close($short);
refused_ok([postmortem("$logs/short")], 'is not in that memory', 'a dump that was cut');
refused_ok([postmortem($stub->{path})], 'another debugger has it',
    'a machine that is held, or runs');
my $usage = `$build/host/postmortem 2>&1`;
is($? >> 8, 2, 'without an argument it tells its usage');
like($usage, qr/^usage: postmortem .*FROM$/m, '... which names them');
is(`$build/host/postmortem -h`, $usage, '... as -h does');

# Runs `code` with changed guest memory, then restores it.
sub with_memory
{
    my ($address, $changed, $code) = @_;
    my $kept = $stub->memory($address, length($changed));
    $stub->set_memory($address, $changed);
    my @result = $code->();
    $stub->set_memory($address, $kept);
    return @result;
}

refused_ok([with_memory($address{build_id_note} + 16, 'x' x 20, sub { postmortem_of($stub) })],
    "a kernel of build id (?:78){20}; $kernel has [0-9a-f]{40}", 'a kernel of another build');
my ($version) = slurp('core/abi/recorder.h') =~ /^#define RECORDER_VERSION (\d+)$/m;
refused_ok([with_memory($address{recorder} + 8, pack('L<', 99), sub { postmortem_of($stub) })],
    "version 99; this program knows version $version", 'a description of another version');
refused_ok([with_memory($address{recorder}, "\0" x 8, sub { postmortem_of($stub) })],
    'what describes the recording is damaged', 'a description that was written over');

# --- Damage is reported, and the rest is kept ----------------------------------------------------

my ($ring) = stopped_rings($stub, $kernel);
my ($memory) = unpack('Q<', $stub->memory($rings + $bytes, 8));
my @records = map { $_->[0] } @{ring_walk($ring)->{records}};
my $others = $found - @records;    # those of other CPUs
my $tenth = $memory + $records[9] % $ring->{size};

# One test: the tool still writes a stream, with `kept` records, and reports the damage in one line.
sub damaged_ok
{
    my ($result, $pattern, $kept, $name) = @_;
    my ($said, $status) = @$result;
    my $records = @{stream_parse("$logs/out.perf")->{records} // []};
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $good = ok($status == 0 && $said =~ /^CPU 0: $pattern/m && $records == $kept, $name);
    diag("status $status, $records records of $kept: $said") if !$good;
}

damaged_ok([with_memory($tenth + 6, "\3\0", sub { postmortem_of($stub) })],
    "no record at $records[9]: the \\d+ bytes from there on were left out", 9 + $others,
    'a record with an impossible size: what is older is kept');
damaged_ok([with_memory($tenth + 8, "\xff" x 8, sub { postmortem_of($stub) })],
    '1 records of no event of this recording were left out', $found - 1,
    'a record with an impossible event: all others are kept');
damaged_ok([with_memory($rings + $head, "\xff" x 8, sub { postmortem_of($stub) })],
    'the ring is damaged: its tail is not within its size behind its head', $others,
    'a head that cannot be: no record of this CPU');
damaged_ok([with_memory($rings + $produced, pack('Q<', $ring->{produced} + 9),
    sub { postmortem_of($stub) })], 'the account does not close: \d+ were produced', $found,
    'an account that does not close is reported');
$machine->stop;

# --- Where there is no recording -----------------------------------------------------------------

($machine, $stub) = stopped_at(undef, 'poweroff');
refused_ok([postmortem_of($stub)], 'is not in that memory', 'a machine that has not booted');
unlink($dump);
$stub->monitor("dump-guest-memory $dump");
refused_ok([postmortem($dump)], '\(yet\)', 'a dump of it');
$machine->stop;

($machine, $stub) = stopped_at('stress_all', 'fs-stress 1; poweroff');
refused_ok([postmortem_of($stub)], 'no recording there: `perf record` did not run',
    'a machine without a recording');
$machine->stop;

($machine, $stub) = stopped_at('stress_all', 'perf stat -a -e lock:* -- fs-stress 1; poweroff');
refused_ok([postmortem_of($stub)], 'no recording there: `perf record` did not run',
    'a machine that only counts');
$machine->stop;

# --- Beside the kernel's own stream --------------------------------------------------------------

# The name that a stopped CPU records for itself is not known.
sub is_name_of_cpu
{
    my ($record) = @_;
    my ($feature, $cpudesc, $cpuid) = (80, 8, 9);
    return 0 if record_type($record) != $feature;
    my $which = unpack('x8 Q<', $record);
    return $which == $cpudesc || $which == $cpuid;
}

# A stream without the parts that depend on when it was closed, and on which CPU's records come
# first: perf sorts them.
sub timeless
{
    my ($stream) = @_;
    my %timed = map { $_ => 1 } $lost, $lost_samples, $checksum;
    return join('', grep({ !$timed{record_type($_)} && !is_name_of_cpu($_) } @{$stream->{others}}),
        sort(@{$stream->{records}}));
}

# Writes the console's block to a file.
sub decode
{
    my ($machine) = @_;
    my ($lines) = $machine->console =~ /^begin-base64 644 \S+\n(.*?)^====$/ms or return;
    open(my $file, '>:raw', "$logs/block.perf") or die("$logs/block.perf: $!");
    print {$file} decode_base64($lines);
    close($file);
}

# The kernel is about to write the stream, and then writes the same. Without a port it keeps
# everything to the end, also when it does not overwrite.
for my $options ("--overwrite -m 16K $events -- fs-stress 3", "-m 64K $events -- fs-stress 1") {
    my $overwrites = $options =~ /overwrite/;
    ($machine, $stub) = stopped_at('stream_begin_recording', "perf record -a $options; poweroff",
        flags => 'perf.rate=0', $overwrites ? () : (com2 => 'none'));
    $stub->leave;
    my ($said, $status) = postmortem($stub->{path}, '-c');
    is($status, 0, "perf record -a $options: read before the kernel writes it") or diag($said);
    $machine->wait_end;
    ended_ok($machine, '... with -c the machine goes on');
    decode($machine) if !$overwrites;
    my ($ours, $theirs) = map { stream_parse($_) } "$logs/out.perf",
        $overwrites ? $machine->com2 : "$logs/block.perf";
    is($ours->{fault} // $theirs->{fault}, undef, '... both streams can be read');
    cmp_ok(scalar(@{$ours->{records}}), '>', 20, '... there are records');
    ok(timeless($ours) eq timeless($theirs), '... and they are the same stream');
    # Both begin with the number of losses; LOST has the event's id before it.
    my $kind = $overwrites ? $lost_samples : $lost;
    my @losses = map { [map { unpack($overwrites ? 'x8 Q<' : 'x16 Q<', $_) }
        grep { record_type($_) == $kind } @{$_->{others}}] } $ours, $theirs;
    is_deeply($losses[0], $losses[1], "... and tell the same loss, @{$losses[1]}");
    cmp_ok($losses[1][0] // 0, '>', 0, '... which is one');
}

done_testing();
