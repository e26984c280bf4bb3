#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: kernel/user/signals, kernel/user/jobs, kernel/user/process
# of: tests/programs/calls, kernel/fs/ls_command
#
# Programs that are stopped and continued: `kill -STOP` and `-CONT`, what runs meanwhile, and what
# ends a stopped program. Run from the root of the tree:
#
#     prove tests/boot/signals.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $prompt = qr/^pitot> $/m;

# A command's output, up to the next prompt.
sub typed
{
    my ($machine, $command, $until, $name) = @_;
    $machine->send("$command\n");
    return $machine->expect(qr/\Q$command\E\n.*?^$until.*^pitot> $/ms, $patience,
        $name // $command);
}

# A program prints this line, before or after the prompt.
sub tells
{
    my ($machine, $command, $line) = @_;
    $machine->send("$command\n");
    return $machine->expect(qr/\Q$command\E\n.*?^(?:pitot> )?$line$/ms, $patience, $command);
}

# A thread in `ps`: its state, and what it waits for.
sub state_of
{
    my ($machine, $pid) = @_;
    my $said = typed($machine, 'ps', qr/ +pid +cpu/, "ps: $pid");
    my ($state, $reason) = $said =~ /^ +$pid +\d+ +(\w+(?: ended)?) .*  (\S.*)$/m;
    return $state // 'gone';
}

# The same, once it is that state. A thread that is stopped or continued notices when it next runs,
# and a killed one is removed after the console was notified; the host determines whether that
# happens before the next command.
sub state_within
{
    my ($machine, $pid, $state) = @_;
    my $deadline = time + $patience;
    my $seen;
    1 until ($seen = state_of($machine, $pid)) eq $state || time > $deadline;
    return $seen;
}

# Its system calls while the file system's load runs. On several CPUs the host may not run the
# thread's CPU meanwhile.
sub calls_of
{
    my ($machine, $pid) = @_;
    my $said = typed($machine, "perf stat -e raw_syscalls:sys_enter -p $pid -- fs-stress 3",
        qr/.*time elapsed/, "calls of $pid");
    my ($calls) = $said =~ /^ +(\d+) +raw_syscalls:sys_enter$/m;
    return $calls // -1;
}

# True if it makes a call in one of several loads.
sub goes_on
{
    my ($machine, $pid) = @_;
    my $deadline = time + $patience;
    until (calls_of($machine, $pid) > 0) { return 0 if time > $deadline }
    return 1;
}

# Parking four CPUs again and again, with one always in system calls, needs the host's clock.
for my $smp (1, 4) {
    my $machine = start(smp => $smp, $smp > 1 ? (icount => '') : ());
    $machine->expect($prompt, $patience, 'there is a prompt');
    my $spin = $machine->run_beside('spin calls', qr/spin: until/);
    tells($machine, "kill -STOP $spin", qr/spin \(pid $spin\): stopped by signal 19/);
    is(state_within($machine, $spin, 'stopped'), 'stopped',
        "$smp CPUs: ps shows that it is stopped");
    is(calls_of($machine, $spin), 0, '... it does nothing, while others run');
    typed($machine, "kill -CONT $spin", qr//);
    ok(goes_on($machine, $spin), '... SIGCONT lets it go on, as before');
    isnt(state_of($machine, $spin), 'stopped', '... as ps shows, too');

    # A program that sleeps in a call is stopped there, and then sleeps on.
    my $sleeper = $machine->run_beside('calls sleep', qr/calls: sleeps/);
    typed($machine, "kill -STOP $sleeper", qr//);
    is(state_within($machine, $sleeper, 'stopped'), 'stopped',
        'one that sleeps in a call is stopped there');
    typed($machine, "kill -CONT $sleeper", qr//);
    is(state_within($machine, $sleeper, 'sleeps'), 'sleeps', '... and sleeps on');

    # Other programs and the console continue, and a stopped program can be killed.
    tells($machine, "kill -19 $spin", qr/spin \(pid $spin\): stopped by signal 19/);
    typed($machine, "kill -STOP $sleeper", qr//);
    typed($machine, 'run fs-load 3', qr/fs-load: \d+ system calls, all verified/,
        'another program runs meanwhile');
    tells($machine, "kill $spin", qr/spin \(pid $spin\): killed by signal 15/);
    is(state_within($machine, $spin, 'gone'), 'gone', 'kill ends one that is stopped');
    $machine->send("wait\n");
    $machine->expect(qr/wait\n/, $patience, 'wait is for one that is stopped');
    $machine->send("\x03");
    $machine->expect(qr/^\^C\n.*^pitot> $/ms, $patience, '... up to ^C');
    tells($machine, "kill -KILL $sleeper", qr/calls \(pid $sleeper\): killed by signal 9/);

    # The console continues if its program stops itself.
    my $said = typed($machine, 'run calls stop', qr/calls is stopped as \d+/,
        'a program that stops itself leaves the console to others');
    like($said, qr/^calls \(pid (\d+)\): stopped by signal 19\n.*: kill -CONT \1 continues it/m,
        '... and is reported');
    my ($pid) = $said =~ /is stopped as (\d+)/;
    is(state_of($machine, $pid), 'stopped', '... as is to be seen');
    unlike($said, qr/goes on/, '... it has not gone on');
    typed($machine, "kill -CONT $pid; wait", qr/calls \(pid $pid\): exit status 0/,
        '... until it is let');

    for (['-HALT 3', qr/give kill \[-SIGNAL\] PID; the signal is .* below 64, or .*CONT STOP/],
        ['-STOP', qr/give kill \[-SIGNAL\] PID; .*/], ['-CONT 1', qr/no program runs as 1; .*/]) {
        like(typed($machine, "kill $_->[0]", qr/kill: /), qr/^kill: $_->[1]$/m,
            "refused: kill $_->[0]");
    }
    $machine->send("run calls; poweroff\n");
    $machine->wait_end;
    ended_ok($machine, "$smp CPUs");
    unlike($machine->console, qr/not ok/, 'programs stop and continue each other');
}

# The files of a program remain when it is killed, and `ls` lists them.
my $killed = boot(smp => 1, run => 'run fs-load 1000000 &; sleep 0.1; kill 4; wait; ls; poweroff');
ended_ok($killed);
like(said($killed, 'ls'), qr{^ +\d+ +4  fs-load\.4/$}m, 'ls lists the files of a killed program');

done_testing();
