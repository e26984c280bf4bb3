#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md, tests/guests
#
# `pitot locks` on a kernel with one mistake of each kind, none of which causes a deadlock, and on
# the same kernel fixed (tests/guests/locks.c); and on four CPUs that wait for each other. QEMU
# before 9.2 is refused.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::FourCpus;
use Pitot::Guest;
use Pitot::Outside qw(no_registers_ok tells_registers);
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_locks";
make_path($logs);

# The stderr of `pitot locks`, and QEMU's status.
sub locks
{
    my ($words, @qemu) = @_;
    my ($status) = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", 'locks', @$words, '--', @qemu);
    return (slurp("$logs/said"), $status);
}

# --- One mistake of each kind --------------------------------------------------------------------

link_guest('locks', "$logs/wrong.elf");
link_guest('locks', "$logs/mended.elf", '-DMENDED');
my @small = ('qemu-system-x86_64', guest_machine(), '-icount', 'shift=3,sleep=off', '-kernel');

if (!tells_registers()) {
    no_registers_ok('locks', 'the locks', locks([], @small, "$logs/wrong.elf"));
    done_testing();
    exit;
}

# The reports, without offsets and the number of times the handler ran.
sub reports_of
{
    my ($said) = @_;
    my @reports = $said =~ /^(== .*\n(?:[ ].*\n)+)/mg;
    s/\b(\w+)\+0x[0-9a-f]+ ([<(])/$1 $2/g, s/\b(main|start)\+0x[0-9a-f]+/$1/g,
        s/by a handler \d+ times/by a handler/
        for @reports;
    return join('', @reports);
}

my $reports = <<'END';
== lock order: a and b
   a, then b: 1 time, by thread 1
 holds since      take_both < takes_ab < main < start
 asks at          take_both < takes_ab < main < start
   b, then a: 1 time, by thread 1
 holds since      take_both < takes_ba < main < start
 asks at          take_both < takes_ba < main < start
== lock order: siblings and siblings+0x4
   siblings, then siblings+0x4: 1 time, by thread 1
 holds since      take_both < takes_siblings < main < start
 asks at          take_both < takes_siblings < main < start
   siblings+0x4, then siblings: 1 time, by thread 1
 holds since      take_both < takes_siblings < main < start
 asks at          take_both < takes_siblings < main < start
== lock order: c, d and e
   c, then d: 1 time, by thread 1
 holds since      take_both < takes_cd < main < start
 asks at          take_both < takes_cd < main < start
   d, then e: 1 time, by thread 1
 holds since      take_both < takes_de < main < start
 asks at          take_both < takes_de < main < start
   e, then c: 1 time, by thread 1
 holds since      take_both < takes_ec < main < start
 asks at          take_both < takes_ec < main < start
== interrupt inversion: ticks: held with interrupts on 1 time, taken by a handler
 holds since      opens < main < start
 handler takes    handle_tick < tick < !main < start
== interrupt inversion: beats: held with interrupts on 1 time, taken by a handler
 holds since      turns_on < main < start
 turns them on    turns_on < main < start
 handler takes    handle_tick < tick < !main < start
== held at a thread switch: leaving, 1 time
 holds since      leaves < main < start
 left at          leaves < main < start
== held at hlt: halting, 1 time
 holds since      halts < main < start
 halts at         halts < main < start
END
my $at_the_end = "== held at the end: ending, by thread 1\n holds since      ends < main < start\n";
my ($said, $status) = locks([], @small, "$logs/wrong.elf");
is($status, $guest_ended, 'a kernel with a mistake of each kind') or diag($said);
is(reports_of($said), "$reports$at_the_end", '... each is told, with the chains of both sides');
like($said, qr/^ +0 +0 +0 +4 +52 +20  b$/m,
    '... and the table, whose numbers are instructions');
like($said, qr/^ {7}19999  from masks\+0x0 < main\S+ < start\S+\n {14}to   masks/m,
    '... and the longest time with interrupts off');

($said, $status) = locks([], @small, "$logs/mended.elf");
is($status, $guest_ended, 'the same kernel, mended') or diag($said);
is(reports_of($said), '', '... has no report');
like($said, qr/^\[ pitot locks: 0 reports; 20 locks, taken 41 times, 0 held at the end \]$/m,
    '... though it takes as many locks as often');
unlike($said, qr/unseen/, '... and gives back each');

# --- ... if no function takes locks ---------------------------------------------------------------

link_guest('locks', "$logs/inlined.elf", '-DINLINED');
link_guest('locks', "$logs/inlined_mended.elf", '-DINLINED', '-DMENDED');
($said, $status) = locks([], @small, "$logs/inlined.elf");
is($status, $guest_ended, 'the same mistakes, with spin locks that are inlined') or diag($said);
is(reports_of($said), $reports, '... are seen, but for a lock that is never given back');
like($said, qr/^pitot: functions of locks: mutex_lock mutex_unlock$/m,
    '... though no function names them');
like($said, qr/^ +0 +0 +0 +4 +\d+ +\d+  b \[seen\]$/m, '... and the table tells so');
($said, $status) = locks([], @small, "$logs/inlined_mended.elf");
is($status, $guest_ended, 'the same kernel, mended') or diag($said);
is(reports_of($said), '', '... has no report');
like($said, qr/^\[ pitot locks: 0 reports; 20 locks, taken 41 times, 0 held at the end \]$/m,
    '... though it takes as many locks as often');

# --- ... or if a lock is one bit ------------------------------------------------------------------

# The rows of the table, without times: {'word bit 3 [seen]' => number of acquisitions}
sub taken_of
{
    my ($said) = @_;
    return {reverse($said =~ /^ +\d+ +\d+ +\d+ +(\d+) +\d+ +\d+  (.*)$/mg)};
}

link_guest('lock_bits', "$logs/bits.elf");
($said, $status) = locks([], @small, "$logs/bits.elf");
is($status, $guest_ended, 'locks that are one bit of a word') or diag($said);
is_deeply(taken_of($said),
    {
        'word bit 3 [seen]' => 2,
        'word bit 20 [seen]' => 2,
        'map+0x8 bit 6 [seen]' => 1,
        'kept bit 0 [seen]' => 1,
        'wide+0x4 bit 8 [seen]' => 3,
    },
    '... are seen, and what is none is not') or diag($said);
is(reports_of($said), <<'END', '... and the order of two bits of one word') or diag($said);
== lock order: word bit 3 and word bit 20
   word bit 3, then word bit 20: 1 time, by thread 1
 holds since      takes_ab < main < start
 asks at          takes_ab < main < start
   word bit 20, then word bit 3: 1 time, by thread 1
 holds since      takes_ba < main < start
 asks at          takes_ba < main < start
END

# --- ... or with tickets --------------------------------------------------------------------------

link_guest('lock_queues', "$logs/queues.elf");
($said, $status) = locks([], @small, "$logs/queues.elf");
is($status, $guest_ended, 'locks whose waiters have an order') or diag($said);
is_deeply(taken_of($said), {'a [seen]' => 2, 'b+0x8 [seen]' => 2},
    '... are seen, if they give tickets') or diag($said);
is(reports_of($said), <<'END', '... and their order') or diag($said);
== lock order: a and b+0x8
   a, then b+0x8: 1 time, by thread 1
 holds since      takes_ab < main < start
 asks at          takes_ab < main < start
   b+0x8, then a: 1 time, by thread 1
 holds since      takes_ba < main < start
 asks at          takes_ba < main < start
END
like($said, qr/^pitot: 2 words taken by xadd or xchg, whose holder is not seen: --lock names/m,
    '... others are reported');

# --- Lookalikes -----------------------------------------------------------------------------------

link_guest('lock_lookalikes', "$logs/lookalikes.elf");
($said, $status) = locks([], @small, "$logs/lookalikes.elf");
is($status, $guest_ended, 'what is given back as no lock is, or unseen') or diag($said);
is_deeply(taken_of($said), {'t [seen]' => 3, 'added [seen]' => 3, 'cleared [seen]' => 3},
    '... is none') or diag($said);
is(reports_of($said), <<'END', '... and has no report') or diag($said);
== held at a thread switch: t, 1 time
 holds since      preempted < main < start
 left at          switches < preempted < main < start
END
like($said, qr/^pitot: 4 words taken by xadd or xchg, whose holder is not seen/m,
    '... words that give tickets are told, if they are not followed');

# --- Functions named by options -------------------------------------------------------------------

($said) = locks([qw(--lock spin_lock --trylock spin_trylock=0 --unlock spin_unlock)], @small,
    "$logs/mended.elf");
like($said, qr/^pitot: functions of locks: spin_lock spin_trylock spin_unlock$/m,
    'functions that are named are all');
like($said, qr/^pitot: 1 lock taken or given back unseen: /m,
    '... and a result that is taken wrongly is noticed');
($said) = locks([qw(--mutex takes_guarded:guard --unlock takes_ab:guard -n 1)], @small,
    "$logs/wrong.elf");
like($said, qr/^ +0 +0 +0 +1 .*  guard$/m, 'a lock that is no argument but a variable');

# --- Limits --------------------------------------------------------------------------------------

# Exchanges of 65,600 words, 64 more than are kept; then 26 locks held at a time, 2 more than the
# limit for a thread.
my $many = <<'END';
global spin_lock:function (spin_lock.end - spin_lock)
global spin_unlock:function (spin_unlock.end - spin_unlock)
spin_lock:
        mov eax, 1
        xchg [rdi], eax
        test eax, eax
        jnz spin_lock
        ret
.end:
spin_unlock:
        mov dword [rdi], 0
        ret
.end:
work:   mov edi, 0x1000000
.word:  xchg [rdi], eax
        add edi, 8
        cmp edi, 0x1000000 + 8 * 65600
        jb .word
        mov edi, 0x2000000
        mov ecx, 26
.take:  call spin_lock
        add edi, 8
        loop .take
        mov ecx, 26
.give:  sub edi, 8
        call spin_unlock
        loop .give
        ret
END
($said) = locks([], four_cpus("$logs/many", 1, $many, cpus => 1));
like($said, qr/^pitot: 64 exchanges without room: locks by sight may be missing$/m,
    'words that have no room are counted') or diag($said);
like($said, qr/^pitot: 2 locks taken by a thread that held 24: orders are missing$/m,
    '... and locks of one thread');

# Both orders of two locks, each time with eight different locks held, and a ninth common to both.
(my $guarded = $many) =~ s/^work:.*//ms;
$guarded .= <<'END';
take:   call spin_lock
        add edi, 8
        loop take
        ret
give:   sub edi, 8
        call spin_unlock
        loop give
        ret
orders: mov ecx, 8
        call take
        mov r8, rdi
        mov edi, 0x3000000
        call spin_lock
        mov rdi, r9
        call spin_lock
        mov rdi, r10
        call spin_lock
        call spin_unlock
        mov rdi, r9
        call spin_unlock
        mov edi, 0x3000000
        call spin_unlock
        mov rdi, r8
        mov ecx, 8
        call give
        ret
work:   mov edi, 0x1000000
        mov r9d, 0x3000008
        mov r10d, 0x3000010
        call orders
        mov edi, 0x2000000
        xchg r9, r10
        call orders
        ret
END
($said) = locks([], four_cpus("$logs/guarded", 1, $guarded, cpus => 1));
like($said, qr/^\[ pitot locks: 0 reports; 19 locks, taken 22 times, /m,
    'two orders under a lock that they share are no cycle, whatever else is held') or diag($said);

# --- Four CPUs -----------------------------------------------------------------------------------

# Each turn adds to a sum under a lock. Before that, CPU 0 takes `first` and `second`, then CPU 1
# takes them in the other order. CPU 2 holds `busy` until another CPU, which can only be CPU 3,
# waits for it.
my $turns = 20_000;
my $work = <<'END';
global spin_lock:function (spin_lock.end - spin_lock)
global spin_unlock:function (spin_unlock.end - spin_unlock), both:function (both.end - both)
spin_lock:
        mov eax, 1
        xchg [rdi], eax
        test eax, eax
        jz .taken
.spin:  pause
        cmp rdi, busy
        sete al
        or [waited], al
        cmp dword [rdi], 0
        jne .spin
        jmp spin_lock
.taken: ret
.end:
spin_unlock:
        mov dword [rdi], 0
        ret
.end:
both:   mov rdi, r8
        call spin_lock
        mov rdi, r9
        call spin_lock
        call spin_unlock
        mov rdi, r8
        call spin_unlock
        ret
.end:
work:   mov r8d, first
        mov r9d, second
        mov edi, busy
        cmp ebx, 2
        ja .later
        je .hold
        cmp ebx, 0
        je .both
        xchg r8, r9
.wait:  pause
        cmp dword [ready], 0
        je .wait
.both:  call both
        mov dword [ready], 1
        jmp .turn
.hold:  call spin_lock
        mov dword [holds], 1
.held:  pause
        cmp byte [waited], 0
        je .held
        call spin_unlock
        jmp .turn
.later: pause
        cmp dword [holds], 0
        je .later
        call spin_lock
        call spin_unlock
.turn:  mov edi, sum_lock
        call spin_lock
        inc qword [sum]
        call spin_unlock
        dec ecx
        jnz .turn
        ret
section .data
global sum_lock:data 4, first:data 4, second:data 4, busy:data 4
sum_lock: dd 0
busy:   dd 0
holds:  dd 0
waited: dd 0
first:  dd 0
second: dd 0
ready:  dd 0
sum:    dq 0
section .text
END
my @four = four_cpus("$logs/four", $turns, $work);
my $all = 4 * $turns;
for my $run (1 .. ($ENV{SOAK} ? 20 : 3)) {
    ($said, $status) = locks([], @four);
    is($status, 1, "four CPUs, run $run") or diag($said);
    my ($waited, $longest, $held) = $said =~ /^ +1 +(\d+) +(\d+) +2 +(\d+) +\d+  busy$/m;
    is($waited, $longest, '... one waits for a lock that another holds');
    cmp_ok($waited // 0, '>=', 8, '... so many instructions');
    cmp_ok($held // 0, '>=', 5, '... and so many it is held');
    like($said, qr/^ +\d+ +\d+ +\d+ +$all +\d+ +\d+  sum_lock$/m, '... each taking is seen');
    my @reports = $said =~ /^(==.*)$/mg;
    is("@reports", '== lock order: first and second', '... and the order of two CPUs');
    like($said,
        qr/first,\ then\ second:\ 1\ time,\ by\ thread\ (\d+)\n(?:\ .*\n){2}
            \ +second,\ then\ first:\ 1\ time,\ by\ thread\ (?!\1\b)/x,
        '... which are two threads');
    unlike($said, qr/unseen/, '... none is taken unseen');
}

# A lock that is bit 5, while the other bits change.
my $bits = <<'END';
work:   lock bts dword [state], 5
        jnc .taken
.spin:  pause
        bt dword [state], 5
        jc .spin
        jmp work
.taken: inc qword [sum]
        lock or dword [state], 1
        lock and dword [state], ~1
        lock btr dword [state], 5
        lock or dword [state], 2
        lock btr dword [state], 1
        dec ecx
        jnz work
        ret
section .data
global state:data 4
state:  dd 0
sum:    dq 0
section .text
END
@four = four_cpus("$logs/four_bits", $turns, $bits);
for my $run (1 .. ($ENV{SOAK} ? 20 : 3)) {
    ($said, $status) = locks([], @four);
    is($status, 1, "four CPUs and one bit, run $run") or diag($said);
    is_deeply(taken_of($said), {'state bit 5 [seen]' => $all}, '... each taking is seen')
        or diag($said);
}

# A lock that `lock dec` releases: for that QEMU reports the operand, not the new value.
my $decreases = <<'END';
work:   mov eax, 1
        xchg [state], eax
        test eax, eax
        jz .taken
.spin:  pause
        cmp dword [state], 0
        jne .spin
        jmp work
.taken: inc qword [sum]
        lock dec dword [state]
        dec ecx
        jnz work
        ret
section .data
global state:data 4
state:  dd 0
sum:    dq 0
section .text
END
($said, $status) = locks([], four_cpus("$logs/four_decreases", $turns, $decreases));
is($status, 1, 'four CPUs and lock dec') or diag($said);
is_deeply(taken_of($said), {}, '... is not followed') or diag($said);

# A ticket lock.
my $tickets = <<'END';
work:   mov eax, 1
        lock xadd [next], eax
.spin:  cmp [serving], eax
        je .taken
        pause
        jmp .spin
.taken: inc qword [sum]
        inc eax
        mov [serving], eax
        dec ecx
        jnz work
        ret
section .data
global next:data 4
next:   dd 0
serving: dd 0
sum:    dq 0
section .text
END
my $fewer = $turns / 100;    # each waits until the host runs the previous CPU
@four = four_cpus("$logs/four_tickets", $fewer, $tickets);
for my $run (1 .. ($ENV{SOAK} ? 20 : 3)) {
    ($said, $status) = locks([], @four);
    is($status, 1, "four CPUs and tickets, run $run") or diag($said);
    is_deeply(taken_of($said), {'next [seen]' => 4 * $fewer}, '... each taking is seen')
        or diag($said);
    unlike($said, qr/^pitot: \d+ words? taken by/m, '... and who has it');
}

done_testing();
