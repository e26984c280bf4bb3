#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tests/kernel/gdb_chain, core/unwind, tools/orcgen
#
# gdb's backtrace and the kernel's own call chain agree. Both follow .eh_frame, but gdb reads it
# directly, and the kernel uses a table made from it (core/unwind/orc.c). At each stop gdb walks up
# its frames; it stops at each instruction of trap entries and assembly, and at fewer in C (SOAK=1:
# at each). Then gdb sends the CPU to gdb_chain_entry (tests/kernel/gdb_chain.asm), where the kernel
# unwinds the registers of the stop, and restores it. Each frame's address, stack pointer and frame
# pointer must be the same, and both chains must be complete. Run from the root of the tree:
#
#     prove tests/boot/gdb_chain.t
#
# Scripts and gdb's output stay beside the machines' logs, build/logs/gdb_chain/<n>.script, .gdb.
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Listing;
use Pitot::Gdb;

plan skip_all => "a stub for gdb is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $kernel = "$build/pitot-test.elf";

# --- gdb's commands ------------------------------------------------------------------------------

# `chain` prints a line for each unwinder. `frame apply` takes the same frames as `bt`, and also has
# the address of a trap frame, where `bt` prints <signal handler called>. A selected frame survives
# a change of rip, hence `select-frame 0`. Only an NMI can arrive at any instruction, so `nmi`
# causes a trap inside a trap entry: it prints chains from the NMI's stub and its handler, after
# which the CPU is back where it was.
my $commands = <<'GDB';
set print elements unlimited
set print repeats unlimited
set breakpoint always-inserted on
hbreak *&gdb_chain_done
commands
    silent
end
set var 'kernel/x86_64/entry/trap.c'::handlers[2] = gdb_chain_nmi

define chain
    printf "\ngdb %lx:", $rip
    frame apply all -q -s printf " %lx %lx %lx", $rip, $rsp, $rbp
    set $rip_kept = $rip
    set $flags_kept = $eflags + 0
    set var gdb_chain_stop.ip = $rip_kept
    set var gdb_chain_stop.flags = $flags_kept
    set $eflags = 2
    set $rip = (unsigned long)&gdb_chain_entry
    continue
    printf "\nkernel %u %u %d ", gdb_chain.traps, gdb_chain.stacks, gdb_chain.captured
    output gdb_chain.end
    printf ": "
    output/x gdb_chain.frames[0]@gdb_chain.length
    printf "\n"
    set $eflags = $flags_kept
    set $rip = $rip_kept
    select-frame 0
end

define go
    tbreak *($arg0)
    continue
end
define go_back
    tbreak *$arg0 if $rsp == $arg1
    continue
end
define go_to_vector
    go (char*)&trap_stubs+$arg0*16
end

define nmi
    set $rip_nmi = $rip
    set $rsp_nmi = $rsp
    monitor nmi
    go_to_vector 2
    chain
    go &gdb_chain_nmi
    chain
    go_back $rip_nmi $rsp_nmi
end

# Steps until the CPU is at $end with $rsp_end, or until $most instructions. Prints a chain at every
# instruction of the trap entries, which lie after all other code, and at each $each-th in C; also
# NMIs in the entries if $nmis.
define walk
    set $seen = 0
    while $seen < $most && ($rip != $end || $rsp != $rsp_end)
        if $seen % $each == 0 || $rip >= (unsigned long)&trap_stubs
            chain
        end
        if $nmis && $rip >= (unsigned long)&trap_stubs
            nmi
        end
        stepi
        set $seen = $seen + 1
    end
    chain
end
define walk_function
    go &$arg0
    set $end = *(unsigned long *)$rsp
    set $rsp_end = $rsp + 8
    walk
end
define walk_trap
    go_to_vector $arg0
    set $end = *(unsigned long *)((char *)$rsp + $arg1)
    set $rsp_end = *(unsigned long *)((char *)$rsp + $arg1 + 24)
    walk
end
set $most = 5000
set $each = 1
set $nmis = 0
GDB

# gdb's output of each part, from a machine that it ends.
sub session
{
    my ($run, @parts) = @_;
    # The button's NMIs go to the CPU that is stepped; the timer's interrupts are the 8254's.
    my ($machine, $said) = gdb_session({kernel => 'pitot-test', smp => 1,
            qemu_machine => 'pc,hpet=off', run => $run}, $commands, @parts);
    $machine->stop;
    ok(exists $said->{end}, "$run: gdb came to the end of its script") or diag($said->{$parts[-2]});
    return $said;
}

# --- Checks --------------------------------------------------------------------------------------

my $nmi_stub = address('(char*)&trap_stubs+2*16');
my %visited;    # addresses of instructions
my %over;       # those at which an NMI arrived
my %deepest;    # title => the most traps, and stacks, in one chain

# The stops below a title, as hashes. A chain is a list of strings, one per frame: "ip sp fp".
sub stops
{
    my ($text) = @_;
    my $stop = qr/^gdb (\w+):((?: \w+)+)\n(?:.*\n)*?kernel (\d+) (\d+) ([01]) (\w+): (.*)$/m;
    my @stops;
    while ($text =~ /$stop/g) {
        my ($ip, $gdb, $traps, $stacks, $captured, $end, $kernel) = ($1, $2, $3, $4, $5, $6, $7);
        push(@stops, {
            ip => $ip, traps => $traps, stacks => $stacks, captured => $captured, end => $end,
            gdb => [without_inlined($gdb =~ /(\w+ \w+ \w+)/g)],
            kernel => [map { s/, \w+ = 0x/ /gr } $kernel =~ /\{ip = 0x([^}]*)\}/g],
        });
    }
    return @stops;
}

# gdb also shows inlined functions as frames, with the address and registers of the function that
# contains them. Two calls differ in their stack pointers.
sub without_inlined
{
    my @frames = @_;
    return map { $_ > 0 && $frames[$_] eq $frames[$_ - 1] ? () : $frames[$_] } 0 .. $#frames;
}

sub differs
{
    my ($stop) = @_;
    return 'the kernel ends at ' . $stop->{end} if $stop->{end} ne 'UNWIND_OUTERMOST';
    return 'unwind_capture_by and the iterator differ' if !$stop->{captured};
    return 'frames differ' if "@{$stop->{gdb}}" ne join(' ', @{$stop->{kernel}});
    return undef;
}

sub note_visit
{
    my ($title, $stop) = @_;
    $visited{$stop->{ip}} = 1;
    $over{$1} = 1 if $stop->{ip} eq $nmi_stub && ($stop->{kernel}[1] // '') =~ /^(\w+)/;
    for my $what (qw(traps stacks)) {
        my $most = \$deepest{$title}{$what};
        $$most = $stop->{$what} if $stop->{$what} > ($$most // -1);
    }
}

# One test: the chains of this title agree, and there are at least `least`.
sub agree_ok
{
    my ($said, $title, $least) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $text = $said->{$title} // '';
    my @stops = stops($text);
    my $begun = () = $text =~ /^gdb \w+:/mg;
    my @wrong = grep { defined differs($_) } @stops;

    note_visit($title, $_) for @stops;
    my $good = ok(!@wrong && @stops >= $least && @stops == $begun,
        "$title: the chains agree at each of " . @stops . ' stops');
    return $good if $good;
    diag(scalar(@wrong) . " differ, at least $least stops were due, $begun were begun");
    diag(substr($text, -1000)) if @stops < $least || @stops != $begun;
    diag("at $_->{ip}: ", differs($_), "\ngdb:\n", map({ "    $_\n" } @{$_->{gdb}}),
        "kernel:\n", map { "    $_\n" } @{$_->{kernel}}) for grep { defined } @wrong[0 .. 1];
    return $good;
}

# One test: the title's deepest chain leads through that many traps and stacks.
sub depth_ok
{
    my ($title, $traps, $stacks) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is_deeply($deepest{$title}, {traps => $traps, stacks => $stacks},
        "$title: chains with up to $traps traps, on $stacks stacks");
}

sub address
{
    my ($expression) = @_;
    my $value = `gdb -nx -q -batch -ex 'output/x (unsigned long)($expression)' $kernel`;
    return $value =~ /^0x([0-9a-f]+)$/ ? $1 : die("$kernel: no address of $expression\n");
}

# The addresses of a function's instructions that match a pattern; unreachable places hold a ud2.
# Left out is what only a program's trap executes: ktap-calls and user.t test that.
sub instructions
{
    my ($function, $pattern) = @_;
    my $listing = `gdb -nx -q -batch -ex 'disassemble $function' $kernel`;
    # Traps from a program or during an entry have a branch of their own, and so has a trap in which
    # a debugger requested a stop.
    $listing =~ s/^[^\n]*\bxor +%ebx,%ebx\n(?:.*?\bjmp [^\n]*\n){2}//ms
        if $function eq 'watch_entry';
    $listing = without_guarded($listing);
    return $listing =~ /^ +0x([0-9a-f]+) <\+\d+>:\t(?!ud2|swapgs)$pattern/mg;
}

# --- Functions and interrupts --------------------------------------------------------------------

my $load = 'fs-stress 100000; poweroff';
my ($each_c, $each_trap_c) = $ENV{SOAK} ? (1, 1) : (5, 11);    # instructions
my $said = session("bt; $load",
    'assembly that moves the stack pointer' => "walk_function arch_flags\n",
    'a function that turns interrupts off' =>
        "set \$each = $each_c\nwalk_function pages_alloc\nset \$each = 1\n",
    'a string instruction' => "walk_function memcpy\n",
    'a file is closed' => "walk_function fs_close\n",
    'a file is written' => "set \$each = 5\nwalk_function fs_write\nset \$each = 1\n",
    'bt' => "go_to_vector 32\nchain\nbt\n",
    'a timer interrupt' => "set \$each = $each_trap_c\nwalk_trap 32 0\nset \$each = 1\n",
    'an NMI' => "monitor nmi\nwalk_trap 2 0\n",
    'NMIs in the entry of an interrupt' => "set \$nmis = 1\nset \$each = 7\nwalk_trap 32 0\n");

agree_ok($said, 'assembly that moves the stack pointer', 4);
agree_ok($said, 'a function that turns interrupts off', 15);
agree_ok($said, 'a string instruction', 5);
ok((grep { $visited{$_} } instructions('memcpy', 'rep ')), '... which is among the stops');
agree_ok($said, 'a file is closed', 20);
agree_ok($said, 'a file is written', 20);
depth_ok('a file is written', 0, 1);

agree_ok($said, 'bt', 1);
my ($applied) = $said->{bt} =~ /^gdb \w+:(.*)$/m;
my @frames = $said->{bt} =~ /^#\d+ +(.*)$/mg;
is(scalar(() = ($applied // '') =~ /\w+/g), 3 * @frames, 'bt has the frames that are compared');
is($frames[0], '<signal handler called>', '... the stub of a trap is one of them');

agree_ok($said, 'a timer interrupt', 80);
depth_ok('a timer interrupt', 1, 2);
agree_ok($said, 'an NMI', 50);
agree_ok($said, 'NMIs in the entry of an interrupt', 100);
depth_ok('NMIs in the entry of an interrupt', 2, 3);

# --- Hits and faults -----------------------------------------------------------------------------

# The ring is overwritten: while it is streamed, hits are only counted and have no chain. That also
# holds for hits before there are rings, hence the test waits for the first sample.
$said = session("perf record -a --overwrite -e mem:kernel_flag:w -g -- $load",
    'a hit of a watched variable' => "go &sample_write_chain\nset \$each = 17\nwalk_trap 1 0\n");
agree_ok($said, 'a hit of a watched variable', 100);
depth_ok('a hit of a watched variable', 1, 2);

# The interrupt's handler runs on the task's stack.
$said = session("perf record -a --overwrite -e mem:ticks:w -g -- $load",
    'a hit in an interrupt' => "go &sample_write_chain\nset \$each = 17\nwalk_trap 1 0\n",
    'NMIs in the entry of a hit in an interrupt' =>
        "set \$nmis = 1\nset \$each = 17\nwalk_trap 1 0\n");
agree_ok($said, 'a hit in an interrupt', 100);
depth_ok('a hit in an interrupt', 2, 2);
agree_ok($said, 'NMIs in the entry of a hit in an interrupt', 150);
depth_ok('NMIs in the entry of a hit in an interrupt', 3, 3);

$said = session('crash write-text', 'a page fault' => "set \$most = 150\nwalk_trap 14 8\n");
agree_ok($said, 'a page fault', 151);
depth_ok('a page fault', 1, 2);

# --- Nothing was left out ------------------------------------------------------------------------

# Only NMIs execute the call of nmi_trap and the jump after it, where no other NMI can arrive.
for my $entry (qw(trap_entry watch_entry)) {
    my @instructions = instructions($entry, '');
    my @in_nmi = instructions($entry, '(?:call .*<nmi_trap>|jmp )');
    my @missed = grep { !$visited{$_} } @instructions;
    my @spared = grep { !$over{$_} } @instructions;
    cmp_ok(scalar(@instructions), '>', 30, "$entry has instructions");
    is("@missed", '', "... the chains agree at each");
    is("@spared", "@in_nmi", '... and where an NMI comes at it');
}

done_testing();
