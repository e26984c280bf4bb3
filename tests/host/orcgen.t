#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/orcgen, core/unwind/table
#
# tools/orcgen on small programs: which it accepts and which it refuses, with the place and the
# reason. Then on a kernel with each file compiled in one of twenty ways, by gcc or clang, from -O0
# to -O3 and -Os, with and without frame pointers; with SOAK=1 on twenty kernels, so that each file
# is compiled in every way (tests/lib/Pitot/MixedKernel.pm). orc_cfi compares each table with its
# source, .eh_frame. Needs binutils, gcc and clang. Run from the root of the tree: prove
# tests/host/orcgen.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Temp qw(tempdir);
use Test::More;
use Pitot::MixedKernel;

my $build   = $ENV{BUILD} // 'build';
my $orcgen  = "$build/host/orcgen";
my $scratch = tempdir(CLEANUP => 1);

# --- Small programs -------------------------------------------------------------------------------

sub spew
{
    my ($path, $text) = @_;
    open my $out, '>', $path or die "$path: $!\n";
    print $out $text;
    close $out or die "$path: $!\n";
}

sub slurp
{
    my ($path) = @_;
    open my $in, '<:raw', $path or die "$path: $!\n";
    local $/;
    return <$in>;
}

sub command
{
    my ($command) = @_;
    my $output = `($command) 2>&1`;
    $? == 0 or die "$command: $output";
    return $output;
}

# The parts of the kernel's linker script that the tool needs; `lead` bytes before the first
# function, `room` for the table.
sub script
{
    my (%with) = (lead => 16, room => 0x400, marks => '', table => '.unwind_table', @_);
    my ($start, $end) = $with{marks} eq 'none' ? ('', '') : ('_text = .;', '_etext = .;');
    spew("$scratch/script.ld", <<"END");
SECTIONS
{
    . = 0xffffffff80100000;
    .text : { $start . += $with{lead}; *(.text) $end }
    .eh_frame : { *(.eh_frame) }
    .note.gnu.build-id : { *(.note.gnu.build-id) }
    . = ALIGN(16);
    $with{table} : { . += $with{room} - 1; BYTE(0) }
    .other : { *(.other) }
}
END
    return "$scratch/script.ld";
}

# Links objects; options: build_id => '' leaves it out, and those of `script`.
sub linked
{
    my ($objects, %with) = @_;
    my $id = $with{build_id} // '--build-id=sha1';
    my $script = script(%with);
    command("ld -nostdlib -static -z noexecstack $id -e 0 -T $script $objects "
            . "-o $scratch/program.elf");
    return "$scratch/program.elf";
}

sub assembled
{
    my ($source, %with) = @_;
    spew("$scratch/source.s", "$source\n");
    command("as --64 $scratch/source.s -o $scratch/source.o");
    return linked("$scratch/source.o", %with);
}

# A function with call frame information and these lines.
sub function
{
    my ($name, @lines) = @_;
    return join "\n", '.text', ".globl $name", ".type $name, \@function", "$name:",
        '.cfi_startproc', @lines, '.cfi_endproc', ".size $name, . - $name", '';
}

sub run_tool
{
    my (@arguments) = @_;
    my $output = `$orcgen @arguments 2>&1`;
    return ($? >> 8, $output);
}

sub refused_ok
{
    my ($program, $message, $name, @options) = @_;
    my ($status, $output) = run_tool(@options, $program);
    ok($status == 1 && $output =~ /^orcgen: \S+: $message/m, $name)
        or diag("status $status: $output");
}

# Two tests: the tool succeeds, and the table agrees with .eh_frame.
sub accepted_ok
{
    my ($program, $name, @options) = @_;
    my ($status, $output) = run_tool(@options, $program);
    is($status, 0, "$name: accepted") or diag($output);
    chomp($output = `$build/host/orc_cfi $program 2>&1`);
    is($? >> 8, 0, "$name: $output");
}

my $good = function('good', 'push %rbx', '.cfi_def_cfa_offset 16', 'pop %rbx',
    '.cfi_def_cfa_offset 8', 'ret');

# --- What cannot be expressed is refused, with the function's name --------------------------------

# Name of the case, lines of the function `strange`, and the expected message.
my @strange = (
    [ 'a realigned frame that r13 remembers', [ 'nop', '.cfi_def_cfa %r13, 0', 'ret' ],
      qr/strange\+0x1 \(0x\w+\): .*"CFA = r13\+0": the CFA must be rsp, rbp or/ ],
    [ 'a CFA in memory at rbx', [ '.cfi_escape 0x0f, 3, 0x73, 8, 6', 'ret' ],
      qr/strange\+0x0 .*"CFA = rbx\+8 deref"/ ],
    [ 'a CFA in memory at r10', [ '.cfi_escape 0x0f, 3, 0x7a, 0, 6', 'ret' ],
      qr/strange\+0x0 .*"CFA = r10\+0 deref"/ ],
    [ 'a CFA that is computed', [ '.cfi_escape 0x0f, 5, 0x77, 8, 0x38, 0x24, 0x22', 'ret' ],
      qr/strange\+0x0 .*"CFA = rsp\+8 DW_OP 0x38/ ],
    [ 'a CFA beyond 2 GiB', [ '.cfi_def_cfa_offset 0x100000000', 'ret' ],
      qr/strange\+0x0 .*"CFA = rsp\+4294967296"/ ],
    [ 'a CFA at rsp', [ '.cfi_def_cfa_offset 0', 'ret' ],
      qr/strange\+0x0 .*"CFA = rsp\+0": the CFA must be above rsp, with room/ ],
    [ 'rbp between two words', [ '.cfi_escape 0x10, 6, 2, 0x76, 4', 'ret' ],
      qr/strange\+0x0 .*the caller's rbp must be a multiple of 8 away/ ],
    [ 'an instruction that there is none of', [ '.cfi_escape 0x3c', 'ret' ],
      qr/strange\+0x0 \(0x\w+\): (?!code that no call frame)/ ],
    [ 'a return address elsewhere', [ '.cfi_offset %rip, -16', 'ret' ],
      qr/strange\+0x0 .*"rip = CFA-16": the return address must be at CFA-8/ ],
    [ 'a return address in a register', [ '.cfi_register %rip, %rcx', 'ret' ],
      qr/strange\+0x0 .*the return address must be at CFA-8/ ],
    [ 'rbp in another register', [ '.cfi_register %rbp, %rax', 'ret' ],
      qr/strange\+0x0 .*"rbp = rax": the caller's rbp must be in the register/ ],
    [ 'rbp lost', [ '.cfi_undefined %rbp', 'ret' ],
      qr/strange\+0x0 .*"rbp undefined": the caller's rbp must be/ ],
    [ 'rbp as a number', [ '.cfi_val_offset %rbp, -16', 'ret' ],
      qr/strange\+0x0 .*the caller's rbp must be/ ],
    [ 'rbp in memory at another register', [ '.cfi_escape 0x10, 6, 2, 0x73, 8', 'ret' ],
      qr/strange\+0x0 .*"rbp = CFA rbx\+8": the caller's rbp must be/ ],
    [ 'an sp that is not the CFA', [ '.cfi_offset %rsp, -24', 'ret' ],
      qr/strange\+0x0 .*"rsp = CFA-24": the caller's rsp must be the CFA/ ],
    [ 'a trap whose sp is not saved', [ '.cfi_signal_frame', '.cfi_offset %rip, -40', 'ret' ],
      qr/strange\+0x0 .*the rsp that a trap interrupted must be saved at CFA-16/ ],
    [ 'a trap whose ip is elsewhere',
      [ '.cfi_signal_frame', '.cfi_offset %rsp, -16', '.cfi_offset %rip, -32', 'ret' ],
      qr/strange\+0x0 .*"rip = CFA-32": the rip that a trap interrupted must be/ ],
);

for my $case (@strange) {
    my ($name, $lines, $message) = @$case;
    refused_ok(assembled($good . function('strange', @$lines)), $message, "$name is refused");
}

# --- Code that no information covers is refused ---------------------------------------------------

my $bare = qr/code that no call frame information covers/;
my $sized = ".type bare, \@function\nbare: %s\n.size bare, . - bare\n";

refused_ok(assembled($good . ".globl bare\nbare: xor %eax, %eax\nret"), qr/bare\+0x0 .*$bare/,
    'assembly without CFI is refused');
refused_ok(assembled($good . sprintf($sized, 'ret')), qr/bare\+0x0 .*$bare/,
    'and so is one that has a size');
refused_ok(assembled($good . sprintf($sized, 'nop')), qr/bare\+0x0 .*$bare/,
    'a function that only looks like padding is refused');
refused_ok(assembled($good . ".type bare, \@function\nbare:\n.cfi_startproc\nnop\n"
            . ".cfi_endproc\nret\n.size bare, . - bare"), qr/bare\+0x1 .*$bare/,
    'half a function is refused');
refused_ok(assembled($good . "bare: nop\nnop\nint \$4"), qr/bare\+0x2 .*$bare/,
    'code behind padding is refused');
refused_ok(assembled($good . "bare: .byte 0x0f, 0x1f, 0x48, 0"), qr/bare\+0x0 .*$bare/,
    'an instruction that is only almost a nop is refused');
refused_ok(assembled($good . "bare: .byte 0x0f, 0x1f, 0x80, 0, 0"), qr/bare\+0x0 .*$bare/,
    'a nop cut short is refused');
refused_ok(assembled("bare: ret"), qr/no \.eh_frame: compile with -fasynchronous-unwind-tables/,
    'a program without any CFI is refused');

# --- ... or named, on request ---------------------------------------------------------------------

# Tests which rows the table has for the function `bare`.
sub gap_ok
{
    my ($how, $source, $told, $rows, $name) = @_;
    my $program = assembled($source);
    my ($status, $output) = run_tool('--gaps', $how, $program);
    ok($status == 0 && $output =~ $told, "$name: named") or diag("$status: $output");
    my (undef, $printed) = run_tool('--gaps', $how, '--print', $program);
    like($printed, $rows, '... and has the rule that was asked for');
}

my $uncovered = $good . sprintf($sized, 'ret') . function('after', 'ret');
my $place = qr/bare\+0x0 \(0x\w+\): no call frame information for the table/;
my $count = qr/^orcgen: \S+: of \d+ bytes 1 are not covered, in 1 places$/m;
gap_ok('end', $uncovered, qr/$place: chains end there\n$count/,
    qr/^bare\S+ \S+: no rule\nafter\+0x0 \S+: call, CFA=rsp\+8/m, 'where chains end');
gap_ok('fp', $uncovered, qr/$place: a frame pointer is believed there\n$count/,
    qr/^bare\S+ \S+: call, CFA=rbp\+16, rbp=\[rbp\+0\]\nafter\+0x0 \S+: call, CFA=rsp\+8/m,
    'where a frame pointer is believed');
gap_ok('end', $good . "bare: ret\n" . function('after', 'ret'), qr/$place: .*\n$count/,
    qr/^after\+0x0/m, 'code without a size');
gap_ok('end',
    $good . function('bare', 'nop', '.cfi_def_cfa %r13, 0', 'ret') . function('after', 'ret'),
    qr/bare\+0x1 .*: no call frame information for the table/,
    qr/^good\+0x2 \S+: call.*\nbare\+0x1 \S+: no rule\nafter/m, 'a shape that has no rule');
gap_ok('fp', 'bare: ret', qr/^orcgen: \S+: no call frame information at all: a frame pointer/,
    qr/^_text\+0x0 \S+: call, CFA=rbp\+16, rbp=\[rbp\+0\]\n\z/m, 'a program without any');
accepted_ok(assembled($good), 'nothing is missing', '--gaps', 'end');
like((run_tool('--gaps', 'guess', assembled($good)))[1], qr/^usage: .*--gaps end\|fp/,
    'another way is refused');

my @padding = (
    '0x90', '0xcc', '0x66, 0x90', '0x0f, 0x1f, 0x00', '0x0f, 0x1f, 0x40, 0x00',
    '0x0f, 0x1f, 0x44, 0x00, 0x00', '0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00',
    '0x0f, 0x1f, 0x80, 0, 0, 0, 0', '0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0',
    '0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0', '0x0f, 0x1f, 0x04, 0x25, 1, 2, 3, 4',
);
accepted_ok(assembled($good . join('', map { ".byte $_\n" } @padding) . function('after', 'ret')),
    'padding of each kind');
accepted_ok(assembled($good, lead => 0), 'no padding before the first function');
accepted_ok(assembled(function('leaf', 'sub $12, %rsp', '.cfi_def_cfa_offset 20', 'add $12, %rsp',
    '.cfi_def_cfa_offset 8', 'ret')), 'a leaf that moves rsp by half a word');
accepted_ok(assembled($good . ".p2align 6\n" . function('after', 'ret')), "the assembler's own");

my $outside = "$good\n.section .other, \"ax\", \@progbits\nother: ret\n";
refused_ok(assembled($outside), qr/section \.other has code outside _text and _etext/,
    'code outside the marks is refused');
accepted_ok(assembled($outside), 'code in an exempt section', '--exempt', '.other');

# --- Required parts -------------------------------------------------------------------------------

refused_ok(assembled($good, room => 64), qr/\.unwind_table has 64 bytes, the table needs (\d+) /,
    'a section too small is refused, and the right size named');
refused_ok(assembled($good, table => '.elsewhere'), qr/no section \.unwind_table/,
    'no section is refused');
refused_ok(assembled($good, build_id => '--build-id=none'), qr/no section \.note\.gnu\.build-id/,
    'no build id is refused');
refused_ok(assembled($good, build_id => '--build-id=md5'), qr/the build id has 16 bytes, not 20/,
    'a build id of another size is refused');
refused_ok(assembled($good, marks => 'none'), qr/no symbol _text/, 'no marks are refused');
my $stripped = assembled($good);
command("strip $stripped");
refused_ok($stripped, qr/no \.symtab: do not strip/, 'a stripped program is refused');
is((run_tool())[0], 1, 'no program is refused');
like((run_tool('--pint', 'x'))[1], qr/^usage: orcgen \[--print/m, 'so is an unknown option');

# --- It writes its section and nothing else, twice the same ---------------------------------------

my $program = assembled($good . ".p2align 4\n" . function('after', 'ret'));
my $before  = slurp($program);
my (undef, $printed) = run_tool('--print', $program);
my (undef, $sizes)   = run_tool('--sizes', $program);
ok($before eq slurp($program), 'printing writes nothing');
is($printed, <<'END', 'the rows are printed in words');
_text+0x0 (0xffffffff80100000): no rule
good+0x0 (0xffffffff80100010): call, CFA=rsp+8, rbp=rbp
good+0x1 (0xffffffff80100011): call, CFA=rsp+16, rbp=rbp
good+0x2 (0xffffffff80100012): call, CFA=rsp+8, rbp=rbp
END
like($sizes, qr/^text=\d+ size=(\d+) .* row_count=3 rule_count=1 exception_count=0 \S+$/,
    'the sizes stand on one line');
run_tool($program);
my $first = slurp($program);
run_tool($program);
ok($first eq slurp($program), 'a second run changes nothing');
my ($offset, $room) =
    map { /\s\.unwind_table\s+\w+\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)/ ? (hex $1, hex $2) : () }
    command("readelf -SW $program");
isnt(substr($first, $offset, $room), substr($before, $offset, $room), 'the section is filled');
substr($_, $offset, $room) = '' for $first, $before;
ok($first eq $before, 'no byte outside it changes');

# --- Realigned stacks -----------------------------------------------------------------------------

# `variable` needs rbp for its locals and has its caller at an unknown distance, so it must save a
# way back.
my $realigned = <<'END';
int aligned(int n);
int variable(int n);
int aligned(int n) { _Alignas(64) volatile char room[64]; room[n] = 1; return room[n + 1]; }
int variable(int n)
{
    _Alignas(64) volatile char room[64];
    volatile char more[n];
    more[n - 1] = room[n] = 1;
    return room[n + 1] + more[0];
}
END

my @compilers = grep { system("command -v $_ >/dev/null") == 0 } qw(gcc clang);

for my $compiler (@compilers) {
    spew("$scratch/realigned.c", $realigned);
    for my $frame (qw(-fomit-frame-pointer -fno-omit-frame-pointer)) {
        command("$compiler -O2 -ffreestanding -fno-pic -fno-stack-protector -mno-red-zone "
                . "-fcf-protection=none -fasynchronous-unwind-tables $frame "
                . "-c $scratch/realigned.c -o $scratch/realigned.o");
        my $program = linked("$scratch/realigned.o");
        accepted_ok($program, "realigned stacks by $compiler $frame");
        my (undef, $rows) = run_tool('--print', $program);
        my $shape = $compiler eq 'gcc' ? qr/CFA=\[rbp-\d+\], rbp=\[rbp\+0\]/ : qr/CFA=rbp\+16/;
        like($rows, qr/^variable\+.*$shape/m, "$compiler $frame: the frame pointer leads back");
    }
}

# --- The kernel -----------------------------------------------------------------------------------

# orc_cfi.t checks the kernels that are built.
for my $rotation (0 .. ($ENV{SOAK} ? rotations() - 1 : 0)) {
    my $kernel = mixed_kernel($rotation, "$scratch/mixed.elf");
    my ($status, $output) = run_tool('--exempt', '.boot', $kernel);
    is($status, 0, "rotation $rotation: orcgen accepts the kernel") or diag($output);
    chomp($output = `$build/host/orc_cfi $kernel 2>&1`);
    like($output, qr/^compared \d{6,}: .* mismatches 0$/, "rotation $rotation: $output");
}
is(scalar(grep { /-O[0123s] (?:orc|fp)$/ } ways()), 20,
    'two compilers, five levels, with and without frame pointers');

delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
is(join(' ', sort(@compilers)), 'clang gcc', 'both compilers are there (package clang)');

my $size_first = `make -n BUILD=$scratch/small EXTRA_CFLAGS=-Oz 2>&1`;
isnt($?, 0, '-Oz is refused');
like($size_first, qr/-Oz: its unwind information is wrong .*; -Os is allowed/,
    '... with a reason');

done_testing();
