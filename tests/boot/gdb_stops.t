#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/gdb, arch/x86_64/debug/stop
#
# Stops of the kernel's own stub for gdb at awkward moments (docs/gdb.md): during a change for which
# all CPUs are parked, while text is printed to gdb, in endless steps, and with a CPU that does not
# answer; and which CPU resumes when only one is continued. Some parts implement the protocol
# themselves. Run from the root of the tree:
#
#     prove tests/boot/gdb_stops.t
use strict;
use warnings;
no warnings qw(portable);    # numbers have 64 bits here
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Gdb;
use Pitot::GdbInside;
use Pitot::Stopped qw(debug_values);
use Pitot::Stub;

plan skip_all => "COM3 is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/gdb_stops";

sub session
{
    my ($name, $options, @parts) = @_;
    my ($machine, $said) = gdb_session({smp => 4, %$options}, '', @parts);
    $machine->wait_end;
    my $last = last_part($said, @parts);
    ok(exists $said->{end}, "$name: gdb comes to the end of its script")
        or diag($last, substr($said->{$last}, -2000), $machine->tail);
    return ($machine, $said);
}

# Starts a machine whose COM3 is that file; returns it and a client of the protocol, once it waits
# there.
sub start_at
{
    my ($path, %options) = @_;
    return Pitot::Machine->new(flags => 'gdb=wait', com3 => "unix:$path", %options);
}

sub speak
{
    my ($machine, $path) = @_;
    my $stub = Pitot::Stub->new($path);
    await_said($machine->console_path, qr/^gdb: waiting at COM3/m);
    $stub->attach_inside;
    return $stub;
}

# While QEMU's stub has stopped the machine: repeats the command until QEMU's answer is `is`.
sub await_answer
{
    my ($outside, $command, $is) = @_;
    my $deadline = time + $patience;
    my $said = '';
    while (time < $deadline) {
        $said = $outside->monitor($command);
        return if $said =~ $is;
    }
    die("$command: $said\n");
}

# Waits until what was sent has arrived at COM3, by its line status register. The port interrupts at
# once for 14 bytes together, later for fewer.
sub await_byte
{
    my ($outside) = @_;
    await_answer($outside, 'i /xb 0x3ed', qr/= 0x[0-9a-f][13579bdf]\s*$/);
}

# The ends of the instructions that access that variable, as FUNCTION+0xOFFSET.
sub behind_accesses
{
    my ($name) = @_;
    my ($function, $start, $names, @ends);
    for (split(/\n/, `objdump -d --no-show-raw-insn $build/pitot.elf`)) {
        ($function, $start) = ($2, hex($1)) if /^([0-9a-f]+) <(.+)>:$/;
        next if !/^ *([0-9a-f]+):\t/;
        push(@ends, sprintf('%s+0x%x', $function, hex($1) - $start)) if $names;
        $names = /<\Q$name\E>/;
    }
    return @ends;
}

my ($machine, $said);

# --- A change ------------------------------------------------------------------------------------

# `ps` stops all CPUs while it reads a thread.
($machine, $said) = session('a change',
    { run => 'ps; poweroff', door => gdb_at_com3() },
    stop => "break thread_stack_used\ncontinue\nbt 2\n",
    step => "python\nfor i in range(70):\n    gdb.execute('stepi')\nend\n",
    alone => "delete\nset scheduler-locking on\nthread 2\nset \$there = \$pc\nstepi\n"
        . "thread 2\nprint \$pc == \$there\nset scheduler-locking off\nthread 1\n",
    again => "break thread_stack_used\ncontinue\ndelete\n",
    end_of_it => "continue\n");
like($said->{stop}, qr/^#0 .*thread_stack_used(?:.*\n)#1 .* describe /m,
    'a breakpoint in a change that has parked all CPUs is hit');
like($said->{alone}, qr/^CPU 0 has parked the others to make a change: it has to continue first$/m,
    '... where no other CPU is let go');
like($said->{alone}, qr/^\$\d+ = 1$/m, '... nor goes');
like($said->{again}, qr/hit Breakpoint 2, thread_stack_used/, '... and the change goes on');
like($said->{end_of_it}, qr/exited normally\]$/m, '... to its end') or diag($machine->tail);

# --- Text ----------------------------------------------------------------------------------------

# One CPU prints all the time, another stops at each tick (how many depends on the host, but at
# least two); at COM1 both go to gdb.
my $stops = $ENV{SOAK} ? 50 : 20;
my @scripts = ('perf script') x ($ENV{SOAK} ? 4 : 2);
($machine, $said) = session('text',
    { run => join('; ', 'perf record -a -e mem:kernel_flag:w -c 4 -- fs-stress', @scripts,
            'poweroff'),
        door => gdb_at_com1() },
    begin => "hbreak script_print_sample\ncontinue\ndelete\n",
    stops => "watch 'kernel/time/ticks.c'::timers[1].served\npython\nfor i in range($stops):\n"
        . "    if gdb.selected_inferior().pid:\n"
        . "        gdb.execute('continue')\n        print('---')\nend\ndelete\n",
    end_of_it => "python\nif gdb.selected_inferior().pid:\n    gdb.execute('continue')\nend\n");
my @served = $said->{stops} =~ /^New value = (\d+)$/mg;
cmp_ok(scalar(@served), '>=', 2, 'ticks stop the machine, whatever another CPU prints');
is("@served", join(' ', map { $served[0] + $_ } 0 .. $#served), '... each of them');
like($said->{stops} . $said->{end_of_it}, qr/exited normally\]$/m, '... also the last one');
my $printed = join('', map { s/\n\z//r } @$said{qw(begin stops end_of_it)})
    =~ s/\n(?:Hardware w|Thread \d.* hit Hardware w)atchpoint \d+: .*\n\nOld (?:.*\n)*?---\n//gr
    =~ s{\[Switching to [Tt]hread .*\n}{}gr;
my ($kept) = $said->{begin} =~ /^\[ perf record: (\d+) records? kept/m;
my $lines = () = $printed =~ /^ +fs-stress .*:w:  [0-9a-f]{16} (?:un)?lock_kernel\+0x\w+$/mg;
is($lines, @scripts * ($kept // -1), 'and no line of what it prints is lost');

# --- The console's port --------------------------------------------------------------------------

$machine = start(smp => 4, run => '');
for my $time (qw(first second)) {
    $machine->expect(qr/^pitot> $/m, $patience, "the console answers, before the $time time");
    $machine->send("gdb\n");
    $machine->expect(qr/^gdb: waiting at COM1: .*\n/m, $patience);
    $said = gdb_says($machine->lend,
        refused => "bt\npython\ntry:\n    gdb.execute('monitor ps')\nexcept gdb.error as why:\n"
            . "    print(why)\nend\n",
        lent => "tbreak input_wait\ncontinue\nmonitor perf stat -a -e mem:ticks:w -- fs-stress\n",
        leave => "detach\n");
    $machine->connect;
    like($said->{refused}, qr/^#\d+ .* gdb_run (?:.*\n)+#\d+ .* boot_entry_high /m,
        'gdb comes where its command is');
    like($said->{refused}, qr/^the console is running a command: let it end first$/m,
        '... which no other can interrupt');
    like($said->{lent}, qr/^fs-stress: \d+ operations, all verified$/m,
        'at the prompt gdb runs commands, though it has the port');
    ok(exists $said->{end}, '... and leaves') or diag(values %$said);
    $machine->send("\n");
}
$machine->expect(qr/^pitot> $/m, $patience, 'the console has its port again');
$machine->send("poweroff\n");
$machine->wait_end;
ended_ok($machine);

# --- One alone -----------------------------------------------------------------------------------

(undef, $said) = session('one alone',
    { run => 'fs-stress --threads 3 1000000', door => gdb_at_com3() },
    stop => "tbreak stress_leave\ncontinue\n",
    alone => <<'GDB',
set scheduler-locking on
python
def others():
    here = gdb.selected_thread()
    places = []
    for thread in gdb.selected_inferior().threads():
        if thread.num != here.num:
            thread.switch()
            places.append((int(gdb.parse_and_eval("$pc")), int(gdb.parse_and_eval("$sp"))))
    here.switch()
    return places
served = "'kernel/time/ticks.c'::timers[%d].served"
before = others()
other = gdb.selected_thread().num % 4
ticks = int(gdb.parse_and_eval(served % other))
for i in range(3):
    gdb.execute("stepi")
print("steps: others stand still: %s" % (others() == before))
gdb.execute("thbreak strlen")
gdb.execute("continue")
print("others stand still: %s" % (others() == before
    and int(gdb.parse_and_eval(served % other)) == ticks))
end
GDB
    all => <<'GDB',
set scheduler-locking off
python
gdb.execute("watch " + served % other)
gdb.execute("continue")
print("others have gone on: %s" % (int(gdb.parse_and_eval(served % other)) > ticks))
end
GDB
    steps => <<'GDB',
delete
tbreak stress_leave
continue
python
own = gdb.selected_thread().num - 1
on, before = 0, int(gdb.parse_and_eval(served % own))
for i in range(100):
    on += "IF" in str(gdb.parse_and_eval("$eflags"))
    gdb.execute("stepi", to_string=True)
taken = int(gdb.parse_and_eval(served % own)) - before
print("steps with interrupts on: %s, taken: %d" % (on > 20, taken))
end
GDB
    kill => "kill\n");
like($said->{steps}, qr/^steps with interrupts on: True, taken: 0$/m,
    'no interrupt comes in steps');
like($said->{alone}, qr/^steps: others stand still: True$/m, 'a step alone is one');
like($said->{alone}, qr/^others stand still: True$/m, '... and `continue` by itself, too');
like($said->{all}, qr/^others have gone on: True$/m, '... until all may go on');

# --- A step is one instruction -------------------------------------------------------------------

# Interrupts turn on with `sti`, where QEMU traps one instruction late.
{
    my ($sti) = debug_values("$build/pitot.elf", '&arch_idle');
    $machine = start_at("$logs/idle.com3", smp => 1, run => '');
    my $stub = speak($machine, "$logs/idle.com3");
    $stub->ask_ok(sprintf('Z1,%x,1', $sti));
    like($stub->ask('vCont;c'), qr/^T05/, 'an idle CPU is at its sti, hlt, ret');
    $stub->ask_ok(sprintf('z1,%x,1', $sti));
    my @steps;
    for (1 .. 3) {
        my $there = $stub->registers;
        push(@steps, sprintf('%d:%d', $there->{rip} - $sti, ($there->{eflags} >> 9) & 1));
        $stub->ask('vCont;s:1');
    }
    is("@steps", '0:0 1:1 2:1', '... and each step executes one of them');
    ok(abs($stub->register('rip') - $sti) > 3, '... the last one of which returns');

    # After `pause` QEMU traps one instruction late.
    my ($pause) = `objdump -d $build/pitot.elf` =~ /^([0-9a-f]{16}):\tf3 90 +\tpause/m;
    $stub->ask_ok('P10=' . unpack('H*', pack('Q<', hex($pause))));
    $stub->ask('vCont;s:1');
    is($stub->register('rip') - hex($pause), 2, 'a step over pause executes nothing else');
    $stub->put('k');
    $machine->wait_end;
}

# A load that overwrites its own address register, as `mov rax, [rax + 8]`: QEMU has data watches
# off during a step.
{
    my $load = qr/^([0-9a-f]{16}):\tmov +(0x[0-9a-f]+)?\(%(r[abcd]x|r[sd]i)\),%\3$/;
    my ($function, %load) = ('');
    for (split(/\n/, `objdump -d --no-show-raw-insn $build/pitot.elf`)) {
        $function = $1 if /^[0-9a-f]{16} <(\w+)>:$/;
        next if $function !~ /^(?:timer|thread)/ || !/$load/;
        @{$load{$1}}{qw(offset register)} = (hex($2 // 0), $3);
    }
    cmp_ok(scalar(keys %load), '>', 3, 'there are loads over their own addresses');
    $machine = start_at("$logs/load.com3", smp => 1, run => 'ps');
    my $stub = speak($machine, "$logs/load.com3");
    $stub->ask_ok("Z0,$_,1") for keys %load;
    like($stub->ask('vCont;c'), qr/^T05/, '... one of which is run');
    my $at = $load{sprintf('%x', $stub->register('rip'))};
    my $watched = sprintf('%x', $stub->register($at->{register}) + $at->{offset});
    $stub->ask_ok("z0,$_,1") for keys %load;
    $stub->ask_ok("Z4,$watched,8");
    like($stub->ask('vCont;s:1'), qr/^T05awatch:$watched;/, '... which a step reports as a read');
    $stub->put('k');
    $machine->wait_end;
}

# --- Endless steps -------------------------------------------------------------------------------

# A step range that contains all addresses; interrupts are held off meanwhile.
for my $cpus (1, 4) {
    my $com3 = "$logs/steps$cpus.com3";
    $machine = start_at($com3, smp => $cpus, run => 'crash hang');
    my $stub = speak($machine, $com3);
    $stub->put('vCont;r0,ffffffffffffffff:1;c');
    is($stub->get(0.1), undef, "$cpus CPUs: a step that has no end goes on");
    my @stops;
    for (1 .. 20) {
        $stub->interrupt;
        push(@stops, $stub->get =~ s/;.*//r);
        $stub->put('vCont;r0,ffffffffffffffff:1;c');
    }
    is(join(' ', @stops), join(' ', ('T02thread:1') x 20), '... until gdb sends a stop');
    $stub->interrupt;
    $stub->get;
    $stub->put('k');
    $machine->wait_end;
    is($machine->status, 0, '... and k is the end of the machine');
}

# What gdb sends while a step's trap decides whether it is the last one: QEMU's stub stops the
# machine there, and the byte arrives at the port.
for my $place (qw(debugger_may_stop rendezvous_ask_no_more)) {
    my ($address) = debug_values("$build/pitot.elf", "&$place");
    my $outside = Pitot::Stub->new("$logs/$place.gdb");
    $machine = start_at("$logs/$place.com3", gdb => "$logs/$place.gdb", smp => 1,
        run => 'crash hang');
    $outside->attach;
    $outside->put('c');
    my $stub = speak($machine, "$logs/$place.com3");
    $stub->put('vCont;r0,ffffffffffffffff:1;c');
    $outside->interrupt;
    $outside->note_stop($outside->get);
    ok($outside->run_to($address), "$place: the trap of a step comes there");
    $stub->interrupt;
    await_byte($outside);
    $outside->put('c');
    like($stub->get($patience), qr/^T02thread:1;/, '... and a stop that gdb sends there arrives');
    $machine->stop;
}

# A ^C that arrives while a CPU is already in the trap of a hit: the first stop reports the hit, the
# next one ^C, whether an NMI of the line or the stop itself has read it. If gdb sends a command
# first, ^C is dropped.
my $at_once = 'x' x 13 . "\x03";    # see await_byte
for (['Z0', 'stop_break', $at_once], ['Z1', 'debugger_wants', $at_once],
    ['Z0', 'gdb_server_stopped', "\x03"], ['Z0', 'stop_break', "\x03", 'ps'])
{
    my ($point, $place, $bytes, $command) = @$_;
    my ($waits, $trap) = debug_values("$build/pitot.elf", '&input_wait', "&$place");
    my $name = "$place, " . length($bytes) . ' sent';
    my $outside = Pitot::Stub->new("$logs/late.gdb");
    $machine = start_at("$logs/late.com3", gdb => "$logs/late.gdb", smp => 1, run => 'help');
    $outside->attach;
    $outside->put('c');
    my $stub = speak($machine, "$logs/late.com3");
    $stub->ask_ok(sprintf('%s,%x,1', $point, $waits));
    $outside->interrupt;
    $outside->note_stop($outside->get);
    $stub->put('vCont;c');
    ok($outside->run_to($trap), "$name: a breakpoint traps");
    $stub->say($bytes);
    await_byte($outside);
    $outside->put('c');
    like($stub->get, qr/^T05/, '... and tells its stop, though ^C has come meanwhile');
    if ($command) {
        my ($answer, $said) = ($stub->ask('qRcmd,' . unpack('H*', $command)), '');
        while ($answer =~ /^O(?:[0-9a-f]{2})*$/) {
            $said .= pack('H*', substr($answer, 1));
            $answer = $stub->get;
        }
        is($answer, 'OK', '... a command ends');
        like($said, qr{ idle/0 }, '... after it has run');
    } else {
        $stub->ask_ok(sprintf('%s,%x,1', lc($point), $waits));
        $stub->put('vCont;c');
        like($stub->get($patience / 2) // 'nothing', qr/^T02/, '... and ^C when it resumes');
    }
    $stub->put('k');
    $machine->wait_end;
}

# While QEMU's stub has stopped the machine: gdb disappears without a word, and a new one connects,
# whose first packet has arrived when the machine resumes.
sub succeed
{
    my ($gone, $outside, $com3) = @_;
    if ($gone) {
        $gone->leave;
        await_answer($outside, 'info chardev', qr/^com3: .*disconnected/m);
    }
    my $stub = Pitot::Stub->new($com3);
    $stub->come;
    $stub->put('qSupported');
    await_byte($outside);
    $outside->put('c');
    like($stub->get, qr/^PacketSize=/, '... where a gdb that has come is answered');
    like($stub->ask('?'), qr/^T05thread:1;/, '... and told of that stop');
    return $stub;
}

# A gdb that connects while a CPU is about to stop is served in that stop: its first byte requests
# no other.
for my $place (qw(gdb_text_send_rest stop_break)) {
    my ($once, $there) = debug_values("$build/pitot.elf", '&poweroff_run', "&$place");
    my $outside = Pitot::Stub->new("$logs/$place.gdb");
    my $com3 = "$logs/$place.com3";
    my $gone;
    $machine = start_at($com3, gdb => "$logs/$place.gdb", smp => 1, run => 'poweroff',
        extra => ['-S']);
    $outside->attach;
    if ($place eq 'stop_break') {
        $outside->put('c');
        $gone = speak($machine, $com3);
        $gone->ask_ok(sprintf('Z0,%x,1', $once));
        $outside->interrupt;
        $outside->note_stop($outside->get);
        $gone->put('vCont;c');
    }
    ok($outside->run_to($there), "$place: a CPU stops");
    my $stub = succeed($gone, $outside, $com3);
    $stub->ask_ok(sprintf('z0,%x,1', $once));
    like($stub->ask('vCont;s:1;c'), qr/^T05thread:1;/, '... a step ends as one') if !$gone;
    is($stub->ask('vCont;c'), 'W00', '... and no other stop comes');
    $machine->wait_end;
}

# The same, but gdb then steps an instruction whose access is recorded.
{
    my ($leave, $trap) = debug_values("$build/pitot.elf", '&stress_leave', '&stop_break');
    my ($writes) = `objdump -d --no-show-raw-insn --disassemble=lock_kernel $build/pitot.elf` =~
        /^([0-9a-f]+):\t.*<kernel_flag>$/m or die('lock_kernel does not write kernel_flag');
    my $outside = Pitot::Stub->new("$logs/watched.gdb");
    my $com3 = "$logs/watched.com3";
    $machine = start_at($com3, gdb => "$logs/watched.gdb", smp => 1,
        run => 'perf record -a -e mem:kernel_flag:w -- fs-stress; poweroff');
    $outside->attach;
    $outside->put('c');
    my $gone = speak($machine, $com3);
    $gone->ask_ok(sprintf('Z0,%x,1', $leave));
    like($gone->ask('vCont;c'), qr/^T05/, 'a recording is under way');
    $gone->ask_ok(sprintf('z0,%x,1', $leave));
    $gone->ask_ok("Z0,$writes,1");
    $outside->interrupt;
    $outside->note_stop($outside->get);
    $gone->put('vCont;c');
    ok($outside->run_to($trap), '... and what it watches is about to be written');
    my $stub = succeed($gone, $outside, $com3);
    $stub->put('vCont;s:1;c');
    like($stub->get($patience / 2) // 'nothing', qr/^T05thread:1;/,
        '... the step that writes it ends as one');
    is($stub->ask('vCont;c'), 'W00', '... and no other stop comes');
    $machine->wait_end;
}

# Before each 64th step the other CPUs run; what they then write to a watched word counts as theirs.
$machine = start_at("$logs/writers.com3", smp => 4,
    run => 'perf record -a -e mem:kernel_flag:w -- fs-stress --threads 3 30; perf script; '
        . 'poweroff');
my $writers = speak($machine, "$logs/writers.com3");
my $leave = sprintf('%x', debug_values("$build/pitot.elf", '&stress_leave'));
$writers->ask_ok("Z0,$leave,1");
$writers->put('vCont;c');
my ($stepped) = $writers->get($patience) =~ /^T05.*thread:(\d+);/;
$writers->ask_ok("z0,$leave,1");
my @ticks = debug_values("$build/pitot.elf",
    map { "&'kernel/time/ticks.c'::timers[$_].served" } grep { $_ != $stepped - 1 } 0 .. 3);
my @before = map { $writers->memory($_, 8) } @ticks;
my %ends;
for (1 .. 640) {
    $writers->put("vCont;s:$stepped;c");
    $ends{$writers->get =~ s/;.*//r}++;
}
is_deeply(\%ends, {"T05thread:$stepped" => 640}, 'each step is reported');
my @after = map { $writers->memory($_, 8) } @ticks;
cmp_ok(scalar(grep { $before[$_] ne $after[$_] } 0 .. 2), '>=', 1, '... while others take ticks');
$writers->put('vCont;c');
$machine->wait_end;
my @samples = $machine->console =~ /:w:  [0-9a-f]{16} (\w+\+0x\w+)$/mg;
cmp_ok(scalar(@samples), '>', 1000, '... and write');
my %behind = map { $_ => 1 } behind_accesses('kernel_flag');
is_deeply([grep { !$behind{$_} } @samples], [], '... of which nothing is told of the stepped one');

# --- D -------------------------------------------------------------------------------------------

# Sends `D` after these bytes, while the machine runs.
sub leave_running
{
    my ($stub, $bytes) = @_;
    $stub->put('vCont;c');
    $stub->get(0.1);
    $stub->say($bytes);
    $stub->put('D');
    1 until $stub->get eq 'OK';
}

# Bytes that arrive during one stop raise NMIs, which stay pending until the end of the stop in
# which gdb leaves.
for my $cpus (1, 2) {
    for my $bytes ('', "\x03\x03") {
        my $com3 = "$logs/leaves.com3";
        $machine = start_at($com3, smp => $cpus, run => 'fs-stress 1000000');
        my $stub = speak($machine, $com3);
        for (1 .. 4) {
            eval { leave_running($stub, $bytes); $stub->attach_inside('again'); 1 } or last;
        }
        is($@, '', "$cpus CPUs: gdb leaves the running machine, and comes again");
        $stub->put('k') if !$@;
        $machine->wait_end;
        is($machine->status, 0, '... which has run on') or diag($machine->tail);
    }
}

# --- R -------------------------------------------------------------------------------------------

$machine = start_at("$logs/again.com3", run => 'poweroff', reboot => 1);
my $stub = speak($machine, "$logs/again.com3");
$stub->put('R00');
await_said($machine->console_path, qr/(?:^gdb: waiting at COM3(?:.*\n)*){2}/m);
pass('R starts the machine anew');
$stub->attach_inside('again');
$stub->ask_ok('D');
$machine->wait_end;
is($machine->status, 0, '... which does what it is told to then');

# --- A CPU that does not answer ------------------------------------------------------------------

# QEMU's stub stops that CPU, as nothing in the machine can.
$machine = start_at("$logs/absent.com3", smp => 4, run => 'fs-stress --threads 3 1000000',
    gdb => "$logs/absent.stub");
my $outside = Pitot::Stub->new("$logs/absent.stub");
$outside->attach;
$outside->put('vCont;c');
$stub = speak($machine, "$logs/absent.com3");
my %symbol = reverse map { /^(\S+) \S (\S+)$/ ? ($1, $2) : () } split(/\n/, `nm $build/pitot.elf`);
my $watched = "2,$symbol{fault_handler},8";
$stub->ask_ok("Z$watched");
my $byte = unpack('H2', $stub->memory(hex($symbol{crash_spin}), 1));
$stub->ask_ok("Z0,$symbol{crash_spin},1");
is($stub->ask("m$symbol{crash_spin},1"), $byte, 'gdb reads what stands under its breakpoints');
$stub->put('vCont;c');
await_said($machine->console_path, qr/^pitot> fs-stress/m);
$outside->interrupt;
$outside->note_stop($outside->get);
is(unpack('H2', $outside->memory(hex($symbol{crash_spin}), 1)), 'cc', '... which are instructions');
$outside->put('vCont;c:1;c:2;c:3');
$stub->interrupt;
my ($told, $answer) = ('');
$told .= pack('H*', substr($answer, 1)) while ($answer = $stub->get) =~ /^O/;
is($told, "CPU 3 does not answer: it continues to run\n", 'a CPU that does not answer is reported');
like($answer, qr/^T02.*thread:1;/, '... and the others stop');
is($stub->ask("Z1,$symbol{fs_close},1"),
    'E.pitot.CPU 3 does not answer: nothing was changed', '... no point is set then');
like($stub->ask('vCont;s:4'), qr/^O/, '... and it cannot be stepped');
like($stub->get, qr/^T02.*thread:1;/, '... which is reported, too');
$stub->ask_ok('D');
my ($door) = `gdb -nx -batch -ex 'print &gdb_session.door' $build/pitot.elf 2>&1` =~ /(0x\w+)/
    or die('gdb does not know where the door is');
while (1) {
    $outside->interrupt;
    $outside->note_stop($outside->get);
    last if unpack('Q<', $outside->memory(hex($door), 8)) == 0;    # it has left
    $outside->put('vCont;c:1;c:2;c:3');
    $outside->get(0.01);    # no stop: what is sent with the next 0x03 lets no CPU run
}
is(unpack('H2', $outside->memory(hex($symbol{crash_spin}), 1)), $byte, '... and are gone with gdb');
$outside->put('vCont;c');
$stub->attach_inside('again');
$stub->put('qSupported:');
1 until $stub->get =~ /^PacketSize/;
$stub->ask_ok("Z$watched");
pass('gdb may leave, and come back when it answers again');
$stub->put('k');
$machine->wait_end;
is($machine->status, 0, '... and nothing has failed') or diag($machine->tail);

done_testing();
