#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/outside, tools/stub
#
# build/host/outside watches kernels through QEMU's stub, with no code in them. It is a referee as
# well: in one boot whose clock is its instructions, Pitot inside watches a lock's flag and outside
# watches which thread holds it, which the same functions write as often (an address is watched from
# one side at a time: QEMU tells of it once). Both must have found the same callers in the same
# order. Then a kernel that has none of tools/machine, one without CFI, several CPUs, every way to
# end, and what is refused. Run from the root of the tree:
#
#     prove tests/boot/outside.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use IO::Socket::UNIX;
use IPC::Open3 qw(open3);
use POSIX ();
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Patience;
use Pitot::Perf;
use Pitot::Stub;
use Pitot::Transcript;

plan skip_all => "a stub for gdb is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside";
my $kernel = "$build/pitot.elf";
my $out = "$logs/out.perf";
my $whole = '2144df1c';    # docs/stream.md
make_path($logs);

# What it says, and its status.
sub outside
{
    my (@words) = @_;
    unlink($out);
    my $said = `$build/host/outside @words -o $out 2>&1 </dev/null`;
    return ($said, $? >> 8);
}

# It ends well, and so does its stream.
sub watched_ok
{
    my ($name, $said, $status) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($status, 0, $name) or diag($said);
    my $crc = -e $out ? `gzip -c < $out | tail -c8 | od -An -tx4 -N4` : '';
    like($crc, qr/^\s*$whole\s*$/, '... and the stream is whole');
}

# perf's samples of a stream, for this kernel's file.
sub samples_of
{
    my ($stream, $elf) = @_;
    my @line = ('perf', '--no-pager', 'script', '-i', '-', "--vmlinux=$elf", '-F',
        'comm,tid,cpu,time,period,event,ip,sym,symoff');
    my $status = Pitot::Perf::run_between("$logs/script", "$logs/err", $stream, @line);
    is($status, 0, 'perf reads it') or diag(slurp_if_there("$logs/err"));
    return slurp_if_there("$logs/script");
}

# Each chain of `perf script` as words: where it begins, and the return addresses.
sub chains
{
    my ($script) = @_;
    return map {
        my (undef, @frames) = split(/\n/, $_);
        my ($place) = $frames[0] =~ /^\s*[0-9a-f]+ (\w+)/;
        [$place, map { /^\s*([0-9a-f]+) / } @frames[1 .. $#frames]]
    } split(/\n\n+/, $script);
}

# A machine that stands at its start, and the place of its stub.
my $machines = 0;
sub machine
{
    my (%options) = @_;
    my $socket = "$logs/" . ++$machines . '.stub';
    my $machine = Pitot::Machine->new(gdb => $socket, icount => 8, %options);
    my $stub = Pitot::Stub->new($socket);
    $stub->attach;    # it listens
    $stub->leave;
    return ($machine, $socket);
}

# --- The referee ----------------------------------------------------------------------------------

my $record = 'perf record -g -e mem:kernel_flag:w -- fs-stress';
my ($machine, $socket) = machine(run => "$record; poweroff");
my ($said, $status) = outside('--kernel', $kernel, '--gdb', $socket,
    qw(-g -e mem:holder:w --from workload_run --until recording_stop));
$machine->wait_end;
ended_ok($machine, 'a machine that was watched from both sides');
watched_ok('... from outside to the end of its load', $said, $status);
my ($kept) = said($machine, $record) =~ /^\[ perf record: (\d+) records? kept \]$/m;
my $speed = qr/in \d+\.\d{3} s, \d+ hits a second/;
like($said, qr/\Aoutside: $kept hits of mem:holder:w\noutside: $kept samples $speed\n\z/,
    'as many hits outside as inside, and what they cost is told');
cmp_ok($kept, '>', 1000, '... and not a few');
my @inside = chains(samples_of($machine->com2, $kernel));
my @outside = chains(samples_of($out, $kernel));
is(scalar(@inside), $kept, 'perf shows all from inside');
is(scalar(grep { @$_ > 5 } @outside), $kept, '... and each from outside with its callers');
is_deeply(\@outside, \@inside, 'the same functions, by the same callers, in the same order');

# --- Another kernel -------------------------------------------------------------------------------

# tests/port is started by QEMU alone, and switches itself off.
sub port
{
    my ($elf, @words) = @_;
    my $socket = "$logs/" . ++$machines . '.stub';
    my $pid = fork() // die("fork: $!\n");
    if ($pid == 0) {
        open(STDOUT, '>', "$logs/port") or die("$logs/port: $!\n");
        exec('timeout', $patience, 'qemu-system-x86_64', '-machine', 'pc', '-accel', 'tcg',
            '-cpu', 'max', '-m', '64M', '-kernel', "$build/port.elf", '-display', 'none',
            '-monitor', 'none', '-no-reboot', '-serial', 'stdio', '-serial', 'null',
            '-device', 'isa-debug-exit,iobase=0xf4,iosize=1',
            '-gdb', "unix:$socket,server=on,wait=off", '-S');
    }
    my $stub = Pitot::Stub->new($socket);
    $stub->attach;
    $stub->leave;
    my @result = outside('--kernel', $elf, '--gdb', $socket, @words);
    waitpid($pid, 0);
    like(slurp_if_there("$logs/port"), qr/^port: 40 writes, 40 hits, 80 records$/m,
        'another kernel runs as it does unwatched');
    return @result;
}

($said, $status) = port("$build/port.elf", qw(-g -e mem:port_writes:w -e mem:port_middle:x));
watched_ok('... and is watched to its end', $said, $status);
my @told = map { "outside: $_" } '40 hits of mem:port_writes:w', '20 hits of mem:port_middle:x',
    '60 samples ';
like($said, qr/\A$told[0]\n$told[1]\n$told[2]$speed; the machine has ended\n\z/,
    '... each write, and each call');
my %ways;
$ways{"$_->{event}: @{$_->{chain}}"}++ for samples(samples_of($out, "$build/port.elf"));
my $way = 'port_middle port_load port_main port_enter';
is_deeply(\%ways, {"mem:port_writes:w: port_leaf $way" => 40, "mem:port_middle:x: $way" => 20},
    '... with the way that led there');

my $bare = "$logs/bare.elf";
system('objcopy', '-R', '.eh_frame', '-R', '.debug_frame', '--strip-debug', "$build/port.elf",
    $bare);
($said, $status) = port($bare, qw(-g -c 4 -e mem:port_writes:w));
watched_ok('a kernel without CFI', $said, $status);
like($said, qr/: 10 samples .*\noutside: 10 chains end where no caller was found/,
    '... of whose chains it is said that they are cut');
my @tenth = samples(samples_of($out, $bare));
is(scalar(grep { $_->{period} == 4 && $_->{chain}[0] eq 'port_leaf' } @tenth), 10,
    '... and -c 4 takes each fourth hit, which stands for four');

# --- CPUs, and ends -------------------------------------------------------------------------------

($machine, $socket) = machine(run => 'lock-stress; poweroff', smp => 2, icount => '');
($said, $status) = outside('--kernel', $kernel, '--gdb', $socket,
    qw(-g -e mem:thread_main:x --hits 2));
is($status, 0, 'two CPUs') or diag($said);
$machine->wait_end;
ended_ok($machine, '... after so many hits the machine is let go, and runs to its end');
my @both = samples(samples_of($out, $kernel));
is(scalar(@both), 2, '... when these had been seen');
is(scalar(grep { $_->{comm} eq "cpu$_->{cpu}" =~ s/cpu0*(?=\d)/cpu/r } @both), 2,
    '... a CPU is the task that was hit');

($machine, $socket) = machine(icount => '');    # at its prompt it waits for a person to type
($said, $status) = outside('--kernel', $kernel, '--gdb', $socket,
    qw(-e mem:0x1000/1:w --seconds 1));
$machine->stop;
watched_ok('nothing is hit, and time ends it', $said, $status);
like($said,
    qr/\Aoutside: 0 hits of .*\noutside: 0 samples in (?:0\.9|[1-9]\d*\.)\d+ s, 0 hits a second/,
    '... which is told, counted from when the points were set');

# Once the kernel shows its prompt, outside has let it run.
($machine, $socket) = machine(icount => '', interactive => 1);
my $pid = open3(my $input, my $told, undef, "$build/host/outside", '--kernel', $kernel, '--gdb',
    $socket, '-e', 'mem:kernel_main:x', '-o', $out);
$machine->expect('pitot> ');
kill('INT', $pid);
$said = join('', <$told>);
waitpid($pid, 0);
watched_ok('^C ends it', $said, $? >> 8);
like($said, qr/^outside: 1 hits of mem:kernel_main:x$/m, '... with what it saw');
$machine->send("poweroff\r");
$machine->wait_end;
ended_ok($machine, '... and the machine runs on');

# A stub whose machine ends as it is let go: that its answer has come can no longer be told to it.
# While the process `pressed` waits for an answer, a person presses ^C.
sub serve_once
{
    my ($listener, $pressed) = @_;
    my %answers = ('?' => 'T05thread:01;', qC => 'QC01', g => '0' x 400, c => '');
    my $stub = $listener->accept or die("accept: $!\n");
    my $input = '';
    while (sysread($stub, $input, 4096, length($input))) {
        while ($input =~ s/^[^\$\x03]*(?:(\x03)|\$([^#]*)#..)//s) {
            my ($break, $asked) = ($1, $2);
            syswrite($stub, '$T02thread:01;#00') if $break;
            next if $break;
            if ($pressed) {
                kill('INT', $pressed);
                select(undef, undef, undef, 0.05);
            }
            shutdown($stub, 0) if $asked eq 'D';
            my $answer = $answers{$asked} // 'OK';
            syswrite($stub, "\$$answer#00") if length($answer);
        }
    }
}

$socket = "$logs/once.stub";
my $listener = IO::Socket::UNIX->new(Local => $socket, Listen => 1, Timeout => $patience)
    or die("$socket: $!\n");
$pid = fork() // die("fork: $!\n");
if ($pid == 0) {
    serve_once($listener);
    POSIX::_exit(0);
}
($said, $status) = outside('--kernel', $kernel, '--gdb', $socket,
    qw(-e mem:0x1000/1:w --seconds 1));
watched_ok('a machine that ends as it is let go', $said, $status);
waitpid($pid, 0);

$pid = open3($input, $told, undef, "$build/host/outside", '--kernel', $kernel, '--gdb', $socket,
    qw(-e mem:0x1000/1:w -o), $out);
my $stub = fork() // die("fork: $!\n");
if ($stub == 0) {
    serve_once($listener, $pid);
    POSIX::_exit(0);
}
$said = join('', <$told>);
waitpid($pid, 0);
watched_ok('^C ends it in whatever it asks', $said, $? >> 8);
like($said, qr/^outside: 0 hits of mem:0x1000/m, '... with what it saw');
waitpid($stub, 0);

# --- What is refused ------------------------------------------------------------------------------

sub refused_ok
{
    my ($pattern, $status, @words) = @_;
    my ($said, $got) = outside(@words);
    ok($got == $status && $said =~ /\Aoutside: .*$pattern.*\n\z/ && !-s $out, "refused: $pattern")
        or diag("$got: $said");
}

my @known = ('--kernel', $kernel, '--gdb', "$logs/none");
refused_ok('are wanted', 2);
refused_ok('are wanted', 2, @known);
refused_ok('a number from 1 on', 2, @known, qw(-e mem:holder:w -c 0));
refused_ok('no stub of QEMU', 1, @known, qw(-e mem:holder:w));
refused_ok('no stub of QEMU', 1, '--kernel', $kernel, qw(--gdb localhost:1 -e mem:holder:w));
refused_ok('no symbol "no_such"', 1, @known, qw(-e mem:no_such:w));
refused_ok('no symbol "no_such"', 1, @known, qw(-e mem:holder:w --until no_such));
refused_ok('is none of w, rw, x', 1, @known, qw(-e mem:holder:r));
refused_ok('1 to 4096 can be watched', 1, @known, qw(-e mem:holder/0:w));
refused_ok('the length "x" is no number', 1, @known, qw(-e mem:holder/x:w));
refused_ok('of code 1', 1, @known, qw(-e mem:lock_kernel/8:x));
refused_ok('holder has 8 bytes', 1, @known, qw(-e mem:holder+8:w));
refused_ok('an offset is a number', 1, @known, qw(-e mem:holder+x:w));
refused_ok('mem:ADDR', 1, @known, qw(-e cpu-clock));
refused_ok('overlap', 1, @known, qw(-e mem:holder:w -e mem:holder+4/4:rw));
refused_ok('symbols "\w+": an address says which', 1, @known, '-e', 'mem:' . twice() . ':x');
refused_ok('no ELF file of x86-64|not a valid ELF|invalid', 1, '--kernel', 'Makefile', @known[2, 3],
    qw(-e mem:holder:w));
refused_ok('not linked at the addresses', 1, '--kernel', "$build/host/outside", @known[2, 3],
    qw(-e mem:main:x));

# A name that several of the kernel's functions have.
sub twice
{
    my %count;
    $count{$_}++ for `nm $kernel` =~ /^\S+ [tT] (\w+)$/mg;
    my ($name) = sort grep { $count{$_} > 1 } keys %count;
    return $name;
}

done_testing();
