# SPDX-License-Identifier: BSD-2-Clause
#
# Everyday use of gdb, as scripted sessions with their expected results: breakpoints, watchpoints,
# steps, backtraces, threads, variables, calls, detaching and attaching again. The sessions are the
# same for each stub (Pitot::Gdb).
#
#     use Pitot::GdbHabits;
#
#     gdb_habits_ok('from outside', smp => 4);
#     gdb_habits_ok('from inside', smp => 4, door => \%door);
#
# A session is data: a run of the machine, parts with commands, and claims about gdb's output for a
# part. A claim is a pattern, or code that gets the output and the number of CPUs and returns
# nothing if they are right. The load works in three threads; on one CPU they preempt each other.
# `step` and `next` are tried only where a single thread runs: QEMU's stub keeps a CPU's step
# pending when another CPU stops first.
package Pitot::GdbHabits;

use strict;
use warnings;

use Exporter qw(import);
use Test::More;

use Pitot::Files;
use Pitot::Gdb;

our @EXPORT = qw(gdb_habits_ok);

my $load = 'fs-stress --threads 3 1000000; poweroff';
# gdb numbers CPUs where there are several, and may have names for them.
my $hit = qr/^(?:Thread \d+(?:\.\d+)? (?:".*?" )?hit )?/m;

# The first line of a source that matches, after the first match of another pattern.
sub line_of
{
    my ($path, $after, $pattern) = @_;
    my @lines = split(/\n/, slurp($path));
    my ($from) = grep { $lines[$_] =~ $after } 0 .. $#lines;
    my ($line) = grep { $lines[$_] =~ $pattern } ($from // @lines) .. $#lines;
    return defined $line ? $line + 1 : die("$path: no such line: $pattern\n");
}

my $file = 'kernel/fs/file.c';
my $unlock = "$file:" . line_of($file, qr/^int64_t fs_write/, qr/unlock_kernel/);

# A machine that was continued may end before gdb's request is acknowledged.
my ($kill, $detach) = map { <<"GDB" } 'kill', 'detach';
python
try:
    gdb.execute("$_")
except gdb.error as gone:
    print(gone)
end
GDB

# The functions of a backtrace, innermost first.
sub frames
{
    my ($text) = @_;
    return $text =~ /^#\d+ +(?:0x[0-9a-f]+ in )?(<signal handler called>|[^ ]+)/mg;
}

# Returns nothing if the backtrace begins with these functions and ends where a kernel thread
# begins.
sub whole
{
    my ($text, @inner) = @_;
    my @frames = frames($text);
    return "it is @frames" if "@frames[0 .. $#inner]" ne "@inner";
    return "it ends with $frames[-1]"
        if $frames[-1] !~ /^(?:boot_entry_high|ap_entry_high|thread_start)$/;
    return;
}

# Values that gdb has printed, as `$1 = 12`.
sub values_of { return $_[0] =~ /^\$\d+ = (-?\w+)/mg }

# --- Stops and steps -----------------------------------------------------------------------------

my %stops = (
    name => 'stops and steps',
    parts => [
        'break' => "break fs_write\ncontinue\nbt\ndelete\n",
        'a condition' => <<'GDB',
break fs_write if length > 2000
continue
print length
continue
print length
delete
GDB
        'finish' => "tbreak fs_write\ncontinue\nprint length\nfinish\n",
        'step' => <<'GDB',
tbreak client_editor
continue
step
while $_caller_is("client_editor", 0)
step
end
bt 2
GDB
        'and back' => "finish\n",
        'next' => "tbreak client_editor\ncontinue\nnext\nnext\nnext\nbt 1\n",
        'until a line' => "tbreak fs_write\ncontinue\nuntil $unlock\nbt 1\n",
        'until a loop is done' => <<'GDB',
tbreak *stress_leave
continue
step
while $_caller_is("stress_leave", 0)
step
end
print $_strlen(text)
set $count = 0
while $_caller_is("strlen", 0)
until
set $count = $count + 1
end
print $count
bt 1
GDB
        'hbreak' => "hbreak fs_close\ncontinue\nbt 1\ndelete\n",
        'an instruction' => "tbreak fs_close\ncontinue\nx/2i \$pc\nstepi\nprint \$pc\n",
        'an interrupt' => "tbreak ticks_count\ncontinue\nbt\n",
        'what was interrupted' => "frame function trap_dispatch\nup\nup\nup\n",
        'kill' => $kill,
    ],
    claims => [
        ['break', qr/${hit}Breakpoint \d+, fs_write \(fd=.* length=.*\d\) at/,
            'a breakpoint is hit, and its arguments can be read'],
        ['break', sub { whole($_[0], 'fs_write') }, 'the backtrace goes to where a thread begins'],
        ['a condition', sub {
            my @lengths = values_of($_[0]);
            return @lengths == 2 && !grep({ $_ <= 2000 } @lengths) ? () : "lengths @lengths";
        }, 'a conditional breakpoint stops where the condition is true, each time'],
        ['finish', sub {
            my ($length) = values_of($_[0]);
            return if defined $length && $_[0] =~ /^Value returned is \$\d+ = $length$/m;
            return 'it is another value';
        }, 'finish shows what the function returns'],
        ['step', sub {
            my @frames = frames($_[0]);
            return @frames == 2 && $frames[1] eq 'client_editor' ? () : "it is @frames";
        }, 'step goes into a function'],
        ['and back', qr/^(?:Run till.*\n)?(?:0x\w+ in )?client_editor \(.*\n(?:.*\n)?Value ret/m,
            'finish comes back from it'],
        ['next', sub {
            my @lines = $_[0] =~ /^(\d+)\t/mg;
            my ($function) = frames($_[0]);
            return if $function eq 'client_editor' && @lines == 4 && $lines[-1] > $lines[0];
            return "$function, lines @lines";
        }, 'next goes on in the source and stays in the function'],
        ['until a line', qr/^(?:#0 .*)?fs_write \(.*\n(?:.*\n)*#0 +(?:0x\w+ in )?fs_write /m,
            'until goes to a line'],
        ['until a loop is done', sub {
            my ($length, $count) = values_of($_[0]);
            return 'it did not come so far' if !defined $count;
            return if $length > 12 && $count < $length && (frames($_[0]))[0] eq 'stress_leave';
            return "$count times for a loop of $length";
        }, 'until goes out of a loop, and then of the function'],
        ['hbreak', qr/^Hardware assisted breakpoint (\d+) at(?:.*\n)+${hit}Breakpoint \1, fs_c/m,
            'hbreak, too'],
        ['an instruction', sub {
            my ($next) = $_[0] =~ /^=> .*\n +(0x[0-9a-f]+) </m;
            return $_[0] =~ /^\$\d+ = .* \Q${\($next \/\/ 'next')}\E </m ? () : 'it is elsewhere';
        }, 'stepi goes to the next instruction'],
        ['an interrupt', sub {
            my @frames = frames($_[0]);
            return "@frames" if "@frames[0, 1]" ne 'ticks_count tick';
            return 'no trap is in it' if !grep { $_ eq '<signal handler called>' } @frames;
            return whole($_[0]);
        }, 'a backtrace leads from an interrupt to where the interrupted thread begins'],
        ['what was interrupted', qr/^#\d+ +<signal handler called>\n#\d+ /m,
            '... and one can go there'],
    ],
    end => sub { $_[0]->wait_end; return $_[0]->console =~ /all verified/ ? 'the load ended' : () },
    ends => 'kill ends the machine',
);

# --- Data ----------------------------------------------------------------------------------------

my $working = "tbreak fs_write\ncontinue";
my $holder = q{'kernel/lock/kernel_lock.c'::holder};      # of the lock that all threads use;
my $waiting = q{'kernel/lock/kernel_lock.c'::waiting};    # ... how many wait for it
my $name = q{'kernel/sched/thread.c'::threads[0].name};    # of the command's thread
my $registers = join(' ', 'rip', map({ "r$_" } qw(ax bx cx dx si di bp sp), 8 .. 15), 'eflags');
my $change = qr/^Old value = (.*)\nNew value = (.*)\n(?:0x\w+ in )?(\w+) \(/m;

my %data = (
    name => 'data',
    parts => [
        'watch' => "$working\nwatch $holder\ncontinue\nbt\ncontinue\ndelete\n",
        'a local variable' => <<'GDB',
tbreak fs_stat if $_caller_is("step_expect_size")
continue
up
watch status.size
continue
bt 3
continue
bt 1
delete
GDB
        # QEMU 7.2 also reports string moves that only touch the same page (docs/breakpoints.md).
        'rwatch' => qq{rwatch stresses[1].rounds if \$_caller_is("stress_rounds", 0)\n}
            . "continue\nbt 1\ndelete\n",
        'awatch' => "awatch $waiting\ncontinue\ncontinue\ncontinue\ndelete\n",
        'a watch with a condition' => <<'GDB',
watch stresses[1].operations if stresses[1].operations % 100 == 0
continue
print stresses[1].operations
delete
GDB
        'a place by its address' => <<'GDB',
watch -l *(unsigned long *)stresses
continue
delete
GDB
        'print' => "print stresses[1].rounds\nprint stresses[1].path\nptype struct content\n",
        'call' => <<"GDB",
tbreak fs_close
continue
print arch_cpus()
info registers $registers
print strlen($name) == \$_strlen($name)
info registers $registers
bt
GDB
        'set var' => <<'GDB' . $detach,
set var stresses[0].rounds = stresses[0].round + 1
set var stresses[1].rounds = stresses[1].round + 1
set var stresses[2].rounds = stresses[2].round + 1
print stresses[1].rounds - stresses[1].round
GDB
    ],
    claims => [
        ['watch', sub {
            my @changes = $_[0] =~ /$change/g;
            return "@changes" if @changes != 6 || $changes[1] ne $changes[3];
            return "@changes" if "@changes[2, 5]" !~ /^(?:un)?lock_kernel (?:un)?lock_kernel$/;
            return whole($_[0]);
        }, 'a watchpoint shows who changes a variable'],
        ['a local variable', qr/^Hardware watchpoint \d+: status\.size\n(?:.*\n)*?New value = \d/m,
            'a local variable is watched by hardware'],
        ['a local variable', sub {
            my ($at_write) = $_[0] =~ /^New value = .*\n((?:.*\n)*?)Watchpoint/m;
            return 'it is not hit' if !grep { $_ eq 'step_expect_size' } frames($at_write // '');
            return if $_[0] =~ /^Watchpoint \d+ deleted because the program has left the block/m;
            return 'it stays for ever';
        }, '... also where another function writes it, until its function returns'],
        ['rwatch', qr/^Value = 1000000\n(?:.*\n)*#0 .*\bstress_rounds /m,
            'rwatch shows who reads a variable'],
        ['awatch', sub {
            my @stops = $_[0] =~ /^(?:New v|V)alue = \d+\n(?:0x\w+ in )?(\w+) \(/mg;
            return if @stops == 3 && !grep { !/^(?:un)?lock_kernel$|^kernel_lock_/ } @stops;
            return "the stops are in @stops";
        }, 'awatch stops at each access'],
        ['a watch with a condition', sub {
            my ($operations) = values_of($_[0]);
            return if $operations && $operations % 100 == 0;
            return 'it is ' . ($operations // 'not there');
        }, 'a watchpoint with a condition stops where it is true'],
        ['a place by its address', $change, 'a place is watched by its address'],
        ['print', qr/^\$\d+ = 1000000\n\$\d+ = ["'].*\ntype = struct content \{\n(?: .*\n)+\}$/m,
            'variables, strings and types are printed'],
        ['call', sub {
            my ($text, $cpus) = @_;
            my @values = values_of($text);
            return "it returns @values" if "@values" ne "$cpus 1";
            my ($before, $after) = $text =~ /^(rip (?:.*\n)*?)\$.*\n(rip (?:.*\n)*?)#/m;
            return 'registers differ' if !$before || $before ne $after;
            return whole($text, 'fs_close');
        }, 'functions of the kernel are called, and the stop is as it was'],
        ['set var', qr/^\$\d+ = 1$/m, 'variables are set'],
    ],
    end => sub {
        my ($machine) = @_;
        $machine->wait_end;
        my $all_done = qr/^fs-stress: \d+ operations in 3 threads, all verified; /m;
        return 'status ' . $machine->status if $machine->status != 0;
        return $machine->console =~ $all_done ? () : 'the load has not ended well';
    },
    ends => 'after detach the machine does what was set, and has lost nothing',
);

# --- Threads, detaching and attaching again ------------------------------------------------------

my %threads = (
    name => 'threads',
    parts => [
        'info threads' => "tbreak fs_write\ncontinue\ninfo threads\n",
        'thread apply all bt' => "thread apply all bt\n",
        'one of them' => "thread 1\nprint \$_thread\nbt\n",
        'leave and come back' => <<'GDB',
set $before = ticks
detach
attach-again
while ticks == $before
detach
attach-again
end
print ticks > $before
GDB
        # The first stop may still be that of attaching: the same place, SIGINT.
        'and go on' => <<"GDB",
break *fs_close
continue
if \$pc != (unsigned long)fs_close
continue
end
bt
delete
watch $holder
continue
GDB
        'kill' => "${kill}info threads\n",
    ],
    claims => [
        ['info threads', sub {
            my ($text, $cpus) = @_;
            my @threads = $text =~ /^([ *]) \d+ +Thread .*$/mg;
            my $current = grep { $_ eq '*' } @threads;
            return @threads == $cpus && $current == 1 ? () : "$current of " . @threads;
        }, 'CPUs are threads'],
        ['thread apply all bt', sub {
            my ($text, $cpus) = @_;
            my (undef, @chains) = split(/^Thread \d.*:$/m, $text);
            my @wrong = grep { defined } map { scalar(whole($_)) } @chains;
            return @chains . ' chains' if @chains != $cpus;
            return @wrong ? $wrong[0] : ();
        }, 'each has a backtrace to where a thread of the kernel begins'],
        ['one of them', sub {
            return (values_of($_[0]))[0] eq '1' ? whole($_[0]) : 'it is another';
        }, 'one can be chosen'],
        ['leave and come back', qr/^\$\d+ = 1$/m, 'between detach and attach the machine runs'],
        ['and go on', sub { whole($_[0], 'fs_close') }, 'a breakpoint is hit after coming back'],
        ['and go on', $change, '... and a watchpoint'],
        ['kill', qr/^No threads\.$/m, 'kill ends the session'],
    ],
    end => sub {
        my ($machine) = @_;
        $machine->wait_end;
        return $machine->console =~ /all verified/ ? 'the load came to its end' : ();
    },
    ends => '... and the machine',
);

# --- Everything ----------------------------------------------------------------------------------

# One test: `wrong` is the error in words, or nothing.
sub right_ok
{
    my ($wrong, $name, $text) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(!defined $wrong, $name) or diag($wrong, "\n", substr($text, -3000));
}

sub claim_ok
{
    my ($claim, $said, $cpus, $where) = @_;
    my ($title, $expected, $name) = @$claim;
    my $text = $said->{$title} // '';
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($wrong) = ref $expected eq 'CODE' ? $expected->($text, $cpus)
        : $text =~ $expected ? () : "$title: gdb did not print that";
    right_ok($wrong, "$where: $name", $text);
}

# `where` is part of each test's name; the options are the machine's, and `door`.
sub gdb_habits_ok
{
    my ($where, %options) = @_;
    my $cpus = $options{smp} // 1;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    $where .= $cpus == 1 ? ', one CPU' : ", $cpus CPUs";
    for my $session (\%stops, \%data, \%threads) {
        my @parts = @{$session->{parts}};
        my ($machine, $said) = gdb_session({%options, run => $load}, '', @parts);
        my $last = last_part($said, @parts);
        right_ok(exists $said->{end} ? undef : "it ended in: $last",
            "$where: $session->{name}: gdb comes to the end of its script", $said->{$last});
        claim_ok($_, $said, $cpus, $where) for @{$session->{claims}};
        my ($wrong) = $session->{end}->($machine);
        right_ok($wrong, "$where: $session->{ends}", $machine->tail);
    }
}

1;
