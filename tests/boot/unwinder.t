#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/unwind, core/unwind/verify
#
# The unwinder as users see it: chains are complete in the kernel without frame pointers, and in the
# one with them, where both methods agree; they can begin at an outer caller; and a damaged table or
# one of another build is refused at boot, with a reason, while the kernel continues. The test
# damages a copy of a kernel for each boot. Run from the root of the tree:
#
#     prove tests/boot/unwinder.t
use strict;
use warnings;
use lib 'tests/lib';
use Compress::Zlib qw(crc32);
use File::Copy qw(copy);
use File::Spec;
use File::Temp qw(tempdir);
use Test::More;
use Pitot;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';
my $fp_build = $ENV{FP_BUILD} // "$build/fp";
my $event = '-e mem:kernel_flag:rw';
my $work = '-- fs-stress 1';
# Printed samples are every fifth hit: an odd number, because the lock is taken and released
# alternately.
my $load = "-c 5 $work";
my $files = tempdir(CLEANUP => 1);

# The frames of `bt`: {address, kind, name}.
sub frames
{
    my ($text) = @_;
    return map { /^  ([0-9a-f]{16})  (here|trap|call)  ([^\s+]+)/ ? {address => $1, kind => $2,
        name => $3} : () } split(/\n/, $text);
}

sub chains
{
    return [map { "@{$_->{chain}}" } samples(@_)];
}

# The chains without their first frames.
sub chains_from
{
    my ($skip, @samples) = @_;
    return [map { my @chain = @{$_->{chain}}; "@chain[$skip .. $#chain]" } @samples];
}

# --- The two kernels -----------------------------------------------------------------------------

my $script = 'perf script';
my $whole = "perf record -a $event -g $load";
my $skipped = "perf record -a $event -g --skip 3 $load";
my $term = "perf record -a $event/skip=3/ -g $load";

subtest 'without frame pointers' => sub {
    my $machine = boot(run => join('; ', 'bt', map({ ($_, $script) } $whole, $skipped, $term),
        'poweroff'));
    ended_ok($machine);
    my @frames = frames(said($machine, 'bt'));
    is("$frames[0]{kind} $frames[0]{name}", 'here bt_run', 'bt begins where it is');
    is(join(' ', map { $_->{kind} } @frames[1 .. $#frames]), join(' ', ('call') x $#frames),
        '... goes on with callers');
    is($frames[-1]{name}, 'boot_entry_high', '... and ends where the kernel begins');
    my @samples = samples(said($machine, $script, 1));
    cmp_ok(scalar(@samples), '>', 100, 'there are samples');
    is_deeply([grep { !/ kernel_main boot_entry_high$/ } @{chains(said($machine, $script, 1))}], [],
        'their chains are whole');
    is_deeply(chains(said($machine, $script, 2)), chains_from(3, @samples),
        '--skip 3: the same chains from the third caller on');
    is_deeply(chains(said($machine, $script, 3)), chains_from(3, @samples), 'skip=3: likewise');
};

subtest 'with frame pointers' => sub {
    my $both = "perf record -a $event -g --verify-chain $work";
    my ($orc, $fp) = map { "perf record -a $event --call-graph $_ $load" } qw(orc fp);
    my $ticks = "perf record -a -e mem:ticks:w -g --verify-chain -- fs-stress 40";
    my $machine = boot(iso => "$fp_build/test/pitot.iso",
        run => join('; ', 'bt', $both, map({ ($_, $script) } $orc, $fp), $ticks, 'poweroff'));
    ended_ok($machine);
    my @frames = frames(said($machine, 'bt'));
    is($frames[-1]{name}, 'boot_entry_high', 'bt leads to where the kernel begins');
    for my $command ($both, $ticks) {
        my ($kept) = said($machine, $command) =~ /^\[ perf record: (\d+) records? kept \]$/m;
        cmp_ok($kept, '>', 0, "$command has samples");
        my $verified = "$kept chains by table and by frame pointers, $kept agree";
        like(said($machine, $command), qr/^\[ verify-chain: $verified \]$/m,
            '... each with one chain by either way');
    }
    my ($by_table, $by_pointers) = map { chains(said($machine, $script, $_)) } 1, 2;
    cmp_ok(scalar(@$by_table), '>', 100, '--call-graph orc records chains');
    is_deeply($by_pointers, $by_table, '... and --call-graph fp the same');
};

# --- The n-th caller ----------------------------------------------------------------------------

# The number of samples per function, in a report's lines.
sub shares
{
    my ($report) = @_;
    return {map { /^ +\d+\.\d\d% +(\d+) +\[[k.]\] (\S+)/ ? ($2 => $1) : () } split(/\n/, $report)};
}

# How often each of these occurs.
sub counted
{
    my %count;
    $count{$_}++ for @_;
    return \%count;
}

# The load in the kernel, and in a program, whose frames follow those of the kernel's entry.
my @others = (
    ['orc', $build, '-c 3 -e mem:kernel_flag:w', 2, 'fs-stress 1'],
    ['fp', $fp_build, '-c 3 -e mem:kernel_flag:w', 2, 'fs-stress 1'],
    ['orc', $build, '-e raw_syscalls:sys_enter', 3, '/bin/fs-load 1'],
);
for my $other (@others) {
    my ($unwinder, $directory, $event, $skip, $command) = @$other;
    my $chains = "perf record $event -g -- $command";
    my $record = "perf record $event -g --skip $skip --intr-regs -- $command";
    subtest "$record, UNWINDER=$unwinder" => sub {
        my $machine = boot(iso => "$directory/test/pitot.iso",
            run => join('; ', $chains, 'perf script', $record, 'perf script -F +iregs',
                'perf report -n -g none', 'poweroff'));
        ended_ok($machine);
        my $script = said($machine, 'perf script -F +iregs');
        my @callers = map { $_->{chain}[$skip] } samples(said($machine, 'perf script'));
        my $of_chains = counted(map { $_->{chain}[0] } samples($script));
        cmp_ok(scalar(@callers), '>', 50, 'there are samples');
        is(join(' ', sort keys %$of_chains), join(' ', sort keys %{counted(@callers)}),
            'chains begin at the caller');
        is_deeply(shares(said($machine, 'perf report -n -g none')), $of_chains,
            '... whom the report names, with its share');
        my @ip = $script =~ /\bIP:0x([0-9a-f]+)/g;
        my @first = $script =~ /^\S.*\n\s+([0-9a-f]+) /mg;    # in a program, its file's offset
        is_deeply([map { substr($_, -3) } @ip], [map { substr($_, -3) } @first],
            '... whose ip is among the registers');
        unlike($script, qr/\bSP:0x0\b/, '... and sp');
        my $kernel = File::Spec->rel2abs("$directory/pitot.elf");
        my $report = perf_report($machine, "--vmlinux=$kernel",
            '--no-children', '-F', 'overhead,sample,sym', '-g', 'none');
        like($report, qr/\b\Q$_\E\b/, "the real perf names $_") for sort keys %$of_chains;
    };
}

# --- Damaged tables ------------------------------------------------------------------------------

# core/abi/unwind_table.h
my %field = (version => 4, build_id => 8, text_size => 40, crc32 => 44, rows => 68);

# The section's place in the file, and its size.
sub table_place
{
    my ($kernel) = @_;
    my ($offset, $size) = map { /\.unwind_table\s+PROGBITS\s+\w+ (\w+) (\w+)/
        ? (hex($1), hex($2)) : () } `readelf -SW $kernel`;
    return ($offset, $size);
}

# Changes a four-byte number of the table by `to`.
sub change
{
    my ($table, $offset, $to) = @_;
    substr($$table, $offset, 4, pack('V', $to->(unpack('V', substr($$table, $offset, 4)))));
}

# Corrects the checksum.
sub sum_up
{
    my ($table) = @_;
    change($table, $field{crc32}, sub { 0 });
    my ($size) = unpack('V', substr($$table, 28, 4));
    my $sum = crc32(substr($$table, 0, $size));
    change($table, $field{crc32}, sub { $sum });
}

# Swaps the first two ascending rows of one block: first the codes, then the starts.
sub swap_rows
{
    my ($table) = @_;
    my ($place) = unpack('V', substr($$table, $field{rows}, 4));
    for (; $place + 4 <= length($$table); $place += 2) {
        my (undef, $start, undef, $next) = unpack('C4', substr($$table, $place, 4));
        next if $next < $start;
        substr($$table, $place, 4, join('', reverse(unpack('a2 a2', substr($$table, $place, 4)))));
        return;
    }
    die("no block has two rows\n");
}

# Writes a copy of the kernel with a damaged table, and the programs beside it, where tools/machine
# looks for an image's files; returns the image's name.
sub damaged_kernel
{
    my ($from, $damage) = @_;
    my $kernel = "$files/pitot.elf";
    my ($offset, $size) = table_place("$from/pitot.elf");
    open(my $in, '<:raw', "$from/pitot.elf") or die("$from/pitot.elf: $!");
    my $image = do { local $/; <$in> };
    my $table = substr($image, $offset, $size);
    $damage->(\$table);
    substr($image, $offset, $size, $table);
    open(my $out, '>:raw', $kernel) or die("$kernel: $!");
    print {$out} $image;
    close($out) or die("$kernel: $!");
    copy("$build/test/programs.tar", "$files/programs.tar") or die("$files: $!");
    return "$files/pitot.iso";
}

my @damages = (
    ['of another version', qr/unwind table of version 3, this kernel reads version 2/,
        sub { change($_[0], $field{version}, sub { $_[0] + 1 }) }],
    ["another build's", qr/the unwind table is another build's: run tools\/orcgen again/,
        sub { change($_[0], $field{build_id}, sub { $_[0] ^ 1 }) }],
    ['with a bit flipped', qr/the unwind table is corrupt: checksum [0-9a-f]{8}, not [0-9a-f]{8}/,
        sub { change($_[0], unpack('V', substr(${$_[0]}, $field{rows}, 4)), sub { $_[0] ^ 1 }) }],
    ['out of order', qr/block \d+ of the unwind table is out of order/,
        sub { swap_rows($_[0]); sum_up($_[0]) }],
    ['of another text', qr/the unwind table covers \d+ bytes from 0x\w+, not the kernel's text/,
        sub { change($_[0], $field{text_size}, sub { $_[0] - 16 }); sum_up($_[0]) }],
    ['that is missing', qr/no unwind table in the image: run tools\/orcgen on it/,
        sub { change($_[0], 0, sub { 0 }) }],
);

for my $damage (@damages) {
    my ($name, $reason, $change) = @$damage;
    subtest "a table $name" => sub {
        my $machine = boot(iso => damaged_kernel($build, $change),
            run => "bt; perf record -a $event -g $load; perf record -a $event $load; poweroff");
        ended_ok($machine, 'the kernel runs on');
        like($machine->console, qr/^Pitot: call chains of one frame only: $reason$/m,
            '... and reports why chains are short');
        my @frames = frames(said($machine, 'bt'));
        is(join(' ', map { $_->{name} } @frames), 'bt_run', 'bt has its own frame');
        like(said($machine, 'bt'), qr/^  \(the chain stops here: no unwind table, .*\)$/m,
            '... and reports that it stops');
        is(said($machine, "perf record -a $event -g $load"),
            "perf record: this kernel cannot make call chains; a message at boot says why\n",
            'a recording with chains is refused');
        like(said($machine, "perf record -a $event $load"),
            qr/^\[ perf record: \d{3,} records? kept \]$/m,
            '... one without is made');
    };
}

subtest 'a table out of order, and frame pointers' => sub {
    my $machine = boot(iso => damaged_kernel($fp_build, $damages[3][2]),
        run => "bt; perf record -a $event -g --verify-chain -- help; poweroff");
    ended_ok($machine, 'the kernel runs on');
    like($machine->console, qr/^Pitot: call chains by frame pointers only: $damages[3][1]$/m,
        '... and reports how chains are made');
    my @frames = frames(said($machine, 'bt'));
    is($frames[-1]{name}, 'boot_entry_high', 'bt is whole');
    like($machine->console, qr/^perf record: --verify-chain: /m, 'there is nothing to verify by');
};

done_testing();
