#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: arch/x86_64/debug/insn_map, tools/insnmap, core/tracepoint/filter
#
# Which code set it to zero, and with which instruction? From the prompt to the real perf:
# breakpoint:hit reports what each hit of a watch did, filters select by it, and the instruction
# that it names accesses the variable and ends where the trap came, in both kernels. Run from the
# root of the tree:
#
#     prove tests/boot/written.t
use strict;
use warnings;
no warnings qw(portable);
use lib 'tests/lib';
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use Test::More;
use Pitot;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';
my $fp_build = $ENV{FP_BUILD} // "$build/fp";
my $fields = 'comm,tid,cpu,time,period,event,trace,ip,sym,symoff';
my $load = 'fs-stress 1';
my $watch = '-e mem:kernel_flag:w';

# The counts of `perf stat`, by event.
sub counted
{
    my ($said) = @_;
    return {reverse $said =~ /^ +(\d+) {6}(\S+)$/mg};
}

# The records of breakpoint:hit in the output of `perf script`.
sub hits
{
    my ($script) = @_;
    my @hits;
    while ($script =~ /breakpoint:hit: ((?:\w+=\S+ ?)+)/g) {
        push(@hits, {map { split(/=/, $_, 2) } split(' ', $1)});
    }
    return @hits;
}

# Address => [end, text] of each instruction.
sub instructions
{
    my ($kernel) = @_;
    my (%at, $last);
    for (`objdump -d -j .text --no-show-raw-insn $kernel`) {
        my ($address, $text) = /^ *([0-9a-f]+):\t(.*?)\s*$/ or next;
        $address = hex($address);
        $at{$last}[0] = $address if $last;
        $at{$address} = [0, $text];
        $last = $address;
    }
    return \%at;
}

sub symbols
{
    my ($kernel) = @_;
    return map { my ($address, undef, $name) = split(' '); ($name => hex($address)) } `nm $kernel`;
}

my $zero = "perf record -a -m 16m $watch -e breakpoint:hit --filter 'new == 0' -g -R -- $load";
my $changed = "perf stat -a $watch -e breakpoint:hit --filter 'old != new' -- $load";
my $by_how = join('; ',
    map { "perf stat -a $watch -e breakpoint:hit --filter '$_' -- $load" }
        ('how == "before"', 'address != 0 && length == 4 && access ~ "w*"', 'insn == 0'));
my $called = 'perf record -a -R -e mem:lock_kernel:x -e breakpoint:hit -- fs-stress 1';

sub who_set_it_to_zero
{
    my ($iso, $kernel, $name) = @_;
    my $machine = boot(iso => $iso, flags => 'perf.rate=0',
        run => "$zero; perf script; $changed; $by_how; poweroff");
    ended_ok($machine, "$name: the machine is switched off");
    my $script = said($machine, 'perf script');
    my @samples = samples($script);
    my @writes = grep { $_->{event} =~ /^mem:/ } @samples;
    my @zeros = grep { $_->{event} eq 'breakpoint:hit' } @samples;
    cmp_ok(scalar(@zeros), '>', 500, 'there are hits that set it to zero');
    is(scalar(@writes), 2 * @zeros, '... half of all that write');
    is(scalar(grep { $_->{chain}[0] ne 'unlock_kernel' || $_->{chain}[-1] ne 'boot_entry_high' }
            @zeros), 0, '... all in unlock_kernel, with whole chains');
    my @hits = hits($script);
    is(scalar(@hits), scalar(@zeros), '... each with its fields');
    my %symbol = symbols($kernel);
    my %one = (address => sprintf('0x%x', $symbol{kernel_flag}), length => 4, access => 'w',
        old => '0x1', new => '0x0', how => 'before');
    my $insn = $hits[0]{insn};
    is_deeply([grep { my $hit = $_; grep { $hit->{$_} ne $one{$_} } keys %one } @hits], [],
        '... from 1 to 0, all of the lock');
    is_deeply([grep { $_->{insn} ne $insn } @hits], [], '... all by one instruction');

    my ($function, $offset) = $insn =~ /^(\w+)\+0x([0-9a-f]+)$/;
    is($function, 'unlock_kernel', "... which has a name ($insn)");
    my $instruction = instructions($kernel)->{$symbol{$function} + hex($offset)};
    like($instruction->[1] // 'none', qr/<kernel_flag>/, '... and accesses it, by objdump');
    my ($ip) = $script =~ /breakpoint:hit: .*\n\s*([0-9a-f]{16}) unlock_kernel/;
    is(hex($ip // 0), $instruction->[0], '... and ends where the chain begins');

    my $all = counted(said($machine, $changed));
    is($all->{'breakpoint:hit'}, @writes, 'old != new: each of these writes is a change');
    my @stat = map { counted(said($machine, $_)) } split('; ', $by_how);
    is($stat[0]{'breakpoint:hit'}, @writes, 'a filter of how it was found');
    is($stat[1]{'breakpoint:hit'}, @writes, '... of address, length and access');
    is($stat[2]{'breakpoint:hit'}, 0, '... of what is not known');
    return $machine;
}

my $machine = who_set_it_to_zero("$build/test/pitot.iso", "$build/pitot.elf", 'by the table');
my ($theirs, undef, $status) = perf_script($machine, '-F', $fields);
is($status, 0, 'perf reads the stream');
same_lines_ok(script_lines(said($machine, 'perf script')), script_lines($theirs),
    'perf script: the kernel prints the fields that perf prints');
who_set_it_to_zero("$fp_build/test/pitot.iso", "$fp_build/pitot.elf", 'by frame pointers');

# --- Accesses by indirect calls and jumps --------------------------------------------------------

# The pointer through which the 8254's interrupt calls, where there is no HPET, and a table through
# which a jump goes: entry 0 is that of ==.
my $code = `objdump -d --no-show-raw-insn $build/pitot.elf`;
my ($called_by) = $code =~ /<pit_interrupt>:\n(?:.+\n)*?.*\tcall +\*.*<(\w+)>/
    or die("pit_interrupt calls by no pointer any more\n");
my ($table) = $code =~
    /<filter_passes>:\n(?:.+\n)*?.*\tjmp +\*-0x([0-9a-f]+)\(,%r\w+,8\)/;
$table = sprintf('0x%x', -hex($table // die("filter_passes has no jump table any more\n")));
my $pointer = "perf record -a -R -e mem:$called_by:rw -e breakpoint:hit -- fs-stress 100";
my $jump = "perf record -a -R -e mem:$table/8:rw -e breakpoint:hit -e lock:lock_acquire "
    . "--filter 'lockdep_addr == 1' -- fs-stress 1";
$machine = boot(flags => 'perf.rate=0', qemu_machine => 'pc,hpet=off',
    run => "$pointer; perf script; $jump; perf script; poweroff");
ended_ok($machine);
my ($calls, $jumps) = map { said($machine, 'perf script', $_) } 1, 2;
my @calls = hits($calls);
my ($function, $offset) = ($calls[0]{insn} // '') =~ /^(\w+)\+0x([0-9a-f]+)$/;
my %symbol = symbols("$build/pitot.elf");
cmp_ok(scalar(@calls), '>', 0, 'a call by a watched pointer is reported');
is_deeply([grep { $_->{insn} ne $calls[0]{insn} || $_->{how} ne 'call' } @calls], [],
    '... as a call, by one instruction');
like(instructions("$build/pitot.elf")->{$symbol{$function // ''} + hex($offset // 0)}[1] // '',
    qr/^call +\*.*<$called_by>/, '... which is that, by objdump');
my @jumps = hits($jumps);
cmp_ok(scalar(@jumps), '>', 100, 'a jump by a watched table is reported');
is_deeply([grep { $_->{insn} ne '0x0' || $_->{how} ne 'unknown' } @jumps], [],
    '... and nothing is blamed for it');
$theirs = perf_script($machine, '-F', $fields);
same_lines_ok([grep { /\S/ } map { s/\s+/ /gr } @{script_lines($calls . $jumps)}],
    [grep { /\S/ } map { s/\s+/ /gr } @{script_lines($theirs)}], '... perf prints the same');

# --- A map of another build ----------------------------------------------------------------------

my $files = tempdir(CLEANUP => 1);
my ($place) = map { /\.insn_map\s+PROGBITS\s+\w+ (\w+)/ ? hex($1) : () }
    `readelf -SW $build/pitot.elf`;
copy("$build/pitot.elf", "$files/pitot.elf") or die("$files: $!\n");
open(my $kernel, '+<:raw', "$files/pitot.elf") or die("$files/pitot.elf: $!\n");
seek($kernel, $place + 8, 0);
print {$kernel} 'not this build';
close($kernel) or die("$files/pitot.elf: $!\n");
system('tools/mkiso', "$files/pitot.iso", "$files/pitot.elf") == 0 or die("tools/mkiso failed\n");
$machine = boot(boot => 'grub', iso => "$files/pitot.iso", flags => 'perf.rate=0',
    run => 'perf record -a -R '
        . "$watch -e breakpoint:hit -- fs-stress 1; perf script; poweroff");
ended_ok($machine);
like($machine->console,
    qr/^Pitot: breakpoint:hit names no instruction: the instruction map is another build's: run /m,
    "another build's map is refused at boot");
my @nameless = hits(said($machine, 'perf script'));
cmp_ok(scalar(@nameless), '>', 100, '... hits are reported');
is_deeply([grep { $_->{how} ne 'unknown' || $_->{insn} ne '0x0' } @nameless], [],
    '... without an instruction');
is(scalar(grep { $_->{new} eq '0x0' } @nameless), @nameless / 2, '... but with what was written');

# --- Refusals, lists, reports --------------------------------------------------------------------

my @refused = (
    ["$watch --filter 'new == 0'", qr{-e mem:kernel_flag:w -e breakpoint:hit --filter 'new == 0'}],
    [q{-e breakpoint:hit --filter 'now == 0'},
        qr/no field "now"; it has address, length, access, old, new, insn, how, comm/],
);
$machine = boot(flags => 'perf.rate=0',
    run => join('; ', $called, 'perf script', (map { "perf record $_->[0]" } @refused),
        'perf list', 'poweroff'));
ended_ok($machine);
my @called = hits(said($machine, 'perf script'));
cmp_ok(scalar(@called), '>', 100, 'x: each call is reported');
is_deeply([grep { $_->{insn} ne 'lock_kernel+0x0' || $_->{how} ne 'at' || $_->{old} ne '0x0' }
        @called], [], '... at its own instruction, without values');
like(said($machine, "perf record $_->[0]"), $_->[1], "refused: $_->[0]") for @refused;
like(said($machine, 'perf list'),
    qr/^  breakpoint:hit +void \* address, unsigned int length, char access\[\], unsigned long /m,
    'perf list has it');

# In QEMU, unaligned stores also hit a watch earlier in the page; with the map the kernel recognizes
# those. `round` is cleared, set to 0, and counted once a round.
my $rounds = 'mem:stresses+8/8:w';
my $hits = "perf record -e $rounds/period=1000000/ -e breakpoint:hit --filter 'how != \"unknown\"'"
    . ' -- fs-stress 2';
my $all = "perf stat -e $rounds -- fs-stress 2";
$machine = boot(run => "$all; $hits; perf script; poweroff");
my @of_round = said($machine, 'perf script') =~ /breakpoint:hit: .* old=(\S+ new=\S+) /g;
is("@of_round[-3 .. -1]", '0x0 new=0x0 0x0 new=0x1 0x1 new=0x2',
    'hits by instructions that do not access the word can be left out');
my ($counted) = said($machine, $all) =~ /^ +(\d+) {6}mem:/m;
cmp_ok($counted, '>=', scalar(@of_round), '... which a machine may have more of');

$machine = boot(run => 'perf record -R -m 64k --overwrite -e mem:kernel_flag:w -e breakpoint:hit '
        . '-- fs-stress 1; crash panic');
like($machine->console, qr/^PANIC: asked for .*^.* breakpoint:hit: address=0x\w+ length=4 /ms,
    'the last samples of a panic have the fields, too');

done_testing();
