#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/stream/base64, core/stream, tools/stream
#
# A machine without COM2 loses nothing: each recording is in the console's log, from which the real
# uudecode and tools/stream extract it for the real perf. Run from the root of the tree:
#
#     prove tests/boot/base64.t
use strict;
use warnings;
use lib 'tests/lib';
use Cwd qw(getcwd);
use File::Temp qw(tempdir);
use IO::Socket::UNIX;
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Transcript;

my $root = getcwd();
my $room = tempdir(CLEANUP => 1);
my $crc_of_whole = '2144df1c';    # docs/stream.md
my @columns = ('--no-children', '-F', 'overhead,sample,sym', '-g', 'caller');

my @records = (
    'perf record -a -e mem:kernel_flag:rw -g -- fs-stress',
    'perf record -a -e mem:lock_kernel:x -c 100 -g -- fs-stress 1',
);
my @blocks = ('pitot.perf', 'pitot-2.perf');
my $report = 'perf report -g caller -s sym';

# Runs a shell command, with the path of the log in $LOG, in the folder where the files are to
# appear.
sub shell_ok
{
    my ($log, $command, $name) = @_;
    local $ENV{LOG} = $log =~ m{^/} ? $log : "$root/$log";
    my $said = `cd $room && { $command; } 2>&1`;
    return is($?, 0, $name) || diag($said);
}

my $machine = boot(com2 => 'none',
    run => join('; ', map { ($_, $report) } @records) . '; poweroff');
ended_ok($machine);
ok(!-e $machine->com2, 'there is no second port');
my $log = $machine->console_path;
like(said($machine, $records[$_]), qr/^begin-base64 644 \Q$blocks[$_]\E\n([^\n]{1,60}\n)+====\n/m,
    "recording $_: a block, and nothing printed in between") for 0 .. $#records;

shell_ok($log, 'uudecode "$LOG"', 'uudecode takes the first block out of the log');
shell_ok($log, q(sed -n '/^begin-base64 644 pitot-2/,$p' "$LOG" | uudecode), '... and the second');

for my $index (0 .. $#blocks) {
    my $number = $index + 1;
    shell_ok($log, "cd $root && BLOCK=$number tools/stream \"\$LOG\" | cmp - $room/$blocks[$index]",
        "tools/stream takes block $number: the same bytes");
}

for my $index (0 .. $#blocks) {
    my ($block, $path) = ($blocks[$index], "$room/$blocks[$index]");
    my $crc32 = `gzip -c < $path | tail -c8 | od -An -tx4 -N4` =~ s/\s//gr;
    is($crc32, $crc_of_whole, "$block: the checksum tells that it is whole");
    my ($theirs, $complaints) = perf_report($path, @columns);
    same_lines_ok(report_lines(said($machine, $report, $index + 1)), report_lines($theirs),
        "$block: perf's report is the kernel's");
    unlike($complaints, qr/lost|fail|unexpected|unknown/i, "$block: perf has no complaint");
}

my $first = slurp_if_there("$room/$blocks[0]");
unlink("$room/$blocks[0]");
shell_ok($log, q(sed 's/$/\r/' "$LOG" > crlf.log && tr -d '\r' < crlf.log | uudecode),
    'uudecode takes a block out of a log that has gained CR LF');
ok($first ne '' && $first eq slurp_if_there("$room/$blocks[0]"), '... the same bytes');

# A panic while a block is being written: the block is ended, and another one holds the recording.
my $path = ($ENV{BUILD} // 'build') . '/logs/base64/monitor';
$machine = start(com2 => 'none',
    extra => ['-chardev', "socket,id=monitor,path=$path,server=on,wait=off",
        '-monitor', 'chardev:monitor']);
$machine->expect(qr/pitot> /);
my $monitor = IO::Socket::UNIX->new(Peer => $path) or die("$path: $!");
$machine->send("$records[0]\r");
$machine->expect(qr/^begin-base64.*\r?\n(?:.*\n){50}/m);
$monitor->printflush("nmi\n");
$machine->wait_end;
$log = $machine->console_path;
my $text = q(tr -d '\\r' < "$LOG");
shell_ok($log, "$text | uudecode", 'a block that a panic cuts is one that uudecode takes');
shell_ok($log, "$text | sed -n '/^begin-base64 644 pitot-2/,\$p' | uudecode",
    '... and behind the report is another');
my ($kept) = scalar(() = Pitot::Perf::script("$room/pitot-2.perf") =~ /kernel_flag:rw/g);
my ($begun) = scalar(() = Pitot::Perf::script("$room/pitot.perf") =~ /kernel_flag:rw/g);
cmp_ok($begun, '<', $kept, '... with the whole recording');
cmp_ok($begun, '>', 0, '... of which the first has the beginning');
shell_ok($log, "cd $root && tools/stream \"\$LOG\" | cmp - $room/pitot-2.perf",
    'tools/stream takes that without being asked');
done_testing();
