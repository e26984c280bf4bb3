#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/insnmap, arch/x86_64/debug/insn_map
#
# tools/insnmap: the maps of both kernels, and of one with each file compiled in one of twenty ways
# (tests/lib/Pitot/MixedKernel.pm; with SOAK=1 in all of them), agree with objdump (binutils,
# another decoder) at every instruction. Then small programs on which it fails, with the place and
# the reason. Needs binutils, gcc and clang. Run from the root of the tree:
#
#     prove tests/host/insnmap.t
use strict;
use warnings;
no warnings qw(portable);
use lib 'tests/lib';
use File::Temp qw(tempdir);
use Test::More;
use Pitot::MixedKernel;

my $build = $ENV{BUILD} // 'build';
my $fp_build = $ENV{FP_BUILD} // "$build/fp";
my $insnmap = "$build/host/insnmap";
my $scratch = tempdir(CLEANUP => 1);

sub spew
{
    my ($path, $text) = @_;
    open(my $out, '>', $path) or die("$path: $!\n");
    print $out $text;
    close($out) or die("$path: $!\n");
}

sub command
{
    my ($command) = @_;
    my $output = `($command) 2>&1`;
    $? == 0 or die("$command: $output");
    return $output;
}

sub run_tool
{
    my (@arguments) = @_;
    my $output = `$insnmap @arguments 2>&1`;
    return ($? >> 8, $output);
}

# --- objdump's instructions -----------------------------------------------------------------------

# Prefixes before the mnemonic that do not matter here.
my $prefix = qr/(?:lock|data16|addr32|notrack|bnd|rex\S*|[cdefgs]s) /;

# Matches a mnemonic that accesses memory without a memory operand.
my $hidden = qr/^(?:push|pop|leave|enter|xlat)/;

# Instructions that access no memory, whatever their operands look like.
my $hint = qr/^(?:lea\b|nop|prefetch|invlpg|endbr)/;

# Instructions after which the next one may not be what runs.
my $leaves = qr/^(?:j|ret|iret|lret|loop|int|ud|hlt|syscall|sysret)/;

# True if an operand, in AT&T syntax, is in memory.
sub is_memory
{
    my ($operand) = @_;
    return $operand ne q{(%dx)} && ($operand =~ m{^%[cdefgs]s:} || $operand !~ m{^[\$%]});
}

# The map's code for an instruction that objdump prints.
sub code_of
{
    my ($text) = @_;
    $text =~ s/ *(?:#.*|<.*>)$//;
    1 while $text =~ s/^$prefix//;
    my $repeated = $text =~ s/^rep\w* +//;
    1 while $text =~ s/^$prefix//;
    my ($mnemonic, $operands) = split(' ', $text, 2);
    return 'call' if $mnemonic =~ /^l?call/;
    return 'plain' if $mnemonic =~ /$leaves|$hint/;
    my @operands = ($operands // '') =~ /((?:\([^)]*\)|[^,(])+)/g;
    return 'plain' if $mnemonic !~ $hidden && !grep { is_memory($_) } @operands;
    return $repeated ? 'repeated' : 'access';
}

# Functions with a size, in order: [start, end].
sub functions
{
    my ($program) = @_;
    my %ends;
    for (split(/\n/, command("readelf -sW $program"))) {
        my (undef, $start, $size, $type, undef, undef, $section) = split(' ');
        next if ($type // '') ne 'FUNC' || $section eq 'UND';
        $ends{hex($start)} = hex($start) + ($size =~ /^0x/ ? hex($size) : $size);
    }
    return map { [$_, $ends{$_}] } sort { $a <=> $b } keys %ends;
}

# Address => code, of all instructions in functions.
sub by_objdump
{
    my ($program, @functions) = @_;
    my (%code, %known);    # known: by text, as most instructions occur more than once
    open(my $in, '-|', "objdump -d -j .text --no-show-raw-insn $program") or die("objdump: $!\n");
    while (<$in>) {
        my ($address, $text) = /^ *([0-9a-f]+):\t([^#<\n]*)/ or next;
        $address = hex($address);
        shift(@functions) while @functions && $functions[0][1] <= $address;
        $code{$address} = $known{$text =~ s/[0-9a-f]{6,}//r} //= code_of($text)
            if @functions && $functions[0][0] <= $address && $text ne '...';
    }
    close($in);
    return \%code;
}

sub by_map
{
    my ($program, @functions) = @_;
    my ($status, $output) = run_tool('--print', '--exempt', '.boot', $program);
    return {} if $status;
    my %inside;    # printed in order, like the functions
    for (split(/\n/, $output)) {
        my ($address, $code) = split(' ');
        $address = hex($address);
        shift(@functions) while @functions && $functions[0][1] <= $address;
        $inside{$address} = $code if @functions && $functions[0][0] <= $address;
    }
    return \%inside;
}

# One test, whose name includes how many instructions of each kind there are.
sub agree_ok
{
    my ($program, $name) = @_;
    my @functions = functions($program);
    my ($map, $dump) = (by_map($program, @functions), by_objdump($program, @functions));
    my %count;
    $count{$_}++ for values %$map;
    my @wrong = sort((grep { $map->{$_} ne ($dump->{$_} // 'inside') } keys %$map),
        grep { !exists $map->{$_} && $dump->{$_} ne 'inside' } keys %$dump);
    ok(keys %$map > 50 && !@wrong, "$name: " . join(', ', map { "$count{$_} $_" } sort keys %count))
        or diag(map { sprintf("%x: map %s, objdump %s\n", $_, $map->{$_} // 'inside',
                $dump->{$_} // 'inside') } @wrong[0 .. ($#wrong < 9 ? $#wrong : 9)]);
}

# The test kernel contains all objects of the shipped one.
agree_ok("$build/pitot-test.elf", "pitot-test with the table");
agree_ok("$fp_build/pitot.elf", "pitot with frame pointers");
if ($ENV{SOAK}) {
    agree_ok("$build/pitot.elf", "pitot with the table");
    agree_ok("$fp_build/pitot-test.elf", "pitot-test with frame pointers");
}

# --- Linking small programs -----------------------------------------------------------------------

sub linked
{
    my ($objects, %with) = @_;
    my $room = $with{room} // 0x40000;
    spew("$scratch/script.ld", <<"END");
SECTIONS
{
    . = 0xffffffff80100000;
    .text : { _text = .; . += 16; *(.text .text.*) _etext = .; }
    .rodata : { *(.rodata .rodata.*) }
    .data : { *(.data .data.* .bss .bss.*) }
    .note.gnu.build-id : { *(.note.gnu.build-id) }
    .insn_map : { . += $room; BYTE(0) }
    /DISCARD/ : { *(.eh_frame .comment .note.GNU-stack) }
}
END
    command("ld -nostdlib -static -z noexecstack --no-warn-rwx-segments --build-id=sha1 -e 0 "
            . "-T $scratch/script.ld $objects -o $scratch/program.elf");
    return "$scratch/program.elf";
}

sub assembled
{
    my ($source, %with) = @_;
    spew("$scratch/source.asm", "bits 64\nsection .text progbits alloc exec align=1\n$source\n");
    command("nasm -f elf64 $scratch/source.asm -o $scratch/source.o");
    return linked("$scratch/source.o", %with);
}

# A function with these lines.
sub function
{
    my ($name, @lines) = @_;
    return join("\n", "global $name:function ($name.end - $name)", "$name:", @lines, "$name.end:",
        '');
}

# --- Other compilers, other flags -----------------------------------------------------------------

agree_ok(mixed_kernel($_, "$scratch/mixed.elf"), "compiled in all ways, rotation $_")
    for 0 .. ($ENV{SOAK} ? rotations() - 1 : 0);

# Instructions that no compiler generates, and encodings that NASM and gas choose: gas writes `rep
# insw` with the repeat prefix second.
my @all = (
    'push qword [rax]', 'pop qword [rax+8]', 'enter 16, 0', 'leave', 'pushfq', 'popfq', 'movsb',
    'stosd', 'lodsw', 'cmpsq', 'scasb', 'rep movsb', 'rep stosq', 'repne scasb', 'repe cmpsb',
    'rep stosw', 'rep lodsb', 'xlatb', 'xchg [rax], ecx', 'lock cmpxchg16b [rdi]',
    'cmpxchg8b [rdi]', 'bt [rax], rcx', 'call rax', 'call [rax]', 'call [rax*8+16]',
    'jmp [rax*8+16]', 'jmp rax', 'ret 8', 'iretq', 'retfq', 'lgdt [rax]', 'sgdt [rax]',
    'invlpg [rax]', 'prefetcht0 [rax]', 'clflush [rax]', 'nop dword [rax+rax]', 'lea rax, [rbx]',
    'mov rax, [gs:8]', 'mov [abs 0x1234], eax', 'mov rax, [qword 0x1122334455667788]',
    'mov cr3, rax', 'mov dr7, rax', 'mov ax, ss', 'mov ss, ax', 'in al, dx', 'cpuid', 'rdtsc',
    'wrmsr', 'hlt', 'cli', 'setc [rax]', 'cmovc rax, [rbx]', 'movzx eax, byte [rcx]',
    'fxsave [rax]', 'int3', 'ud2', 'int 3', 'sti', 'imul rax, [rbx], 5', 'shl byte [rax], cl',
    'xadd [rax], rcx', 'pause', 'verw [rax]', 'add [rax], al', 'add al, 0', 'insb', 'rep outsb',
    'db 0x66, 0xf3, 0x6d', 'db 0x66, 0xf3, 0x6f', 'db 0x66, 0xf2, 0xaf', 'db 0x67, 0xf3, 0xab',
    'db 0x64, 0xf3, 0xa4', 'db 0x66, 0x67, 0xf3, 0xa5', 'db 0x3e, 0xff, 0xd0',
    'db 0x66, 0x67, 0xaa',
    'jrcxz .end', 'loop .end', 'mov [rip_], al', 'inc qword [r12+r13*2-4]'
);
agree_ok(assembled(function('every', @all) . 'section .data' . "\nrip_: dq 0"),
    'instructions of all kinds');

# --- Refusals, with the place ---------------------------------------------------------------------

my $good = function('good', 'push rbx', 'pop rbx', 'ret');

sub refused_ok
{
    my ($program, $message, $name) = @_;
    my ($status, $output) = run_tool($program);
    ok($status == 1 && $output =~ /^insnmap: \S+: $message/m, "$name: refused")
        or diag("status $status: $output");
}

my @strange = (
    ['bytes that are no instruction', [function('strange', 'nop', 'db 0x06')],
        qr/strange\+0x1 \(0x\w+\): no instruction$/],
    ['an instruction that its function cuts', [function('strange', 'db 0x48, 0xb8')],
        qr/strange\+0x0 .*: (?:no instruction|an instruction reaches over the end)/],
    ['a symbol inside an instruction',
        [function('strange', 'db 0xb8', 'global inner:function 0', 'inner: dd 0', 'ret')],
        qr/inner\+0x0 .*: a symbol inside an instruction/],
    ['a jump into an instruction',
        [function('strange', 'jmp short $+3', 'db 0xb8', 'dd 0x90909090', 'ret')],
        qr/strange\+0x0 .*: a jump into the middle of an instruction/],
    ['functions that overlap and do not agree',
        [function('strange', 'db 0xb8', 'global inner:function 5', 'inner: dd 0x90909090', 'ret')],
        qr/\w+\+0x\w .*: two functions that overlap do not agree/],
    ['code without a size', ['global strange:function', 'strange: push rax', 'pop rax', 'ret'],
        qr/strange\+0x0 .*: neither padding nor in a function that has a size/],
    ['data between functions', ['db "text"'], qr/good.*: neither padding nor in a function/],
    ['a repeat prefix behind REX', [function('strange', 'db 0x48, 0xf3, 0xab', 'ret')],
        qr/strange\+0x0 .*: a repeat prefix behind REX/],
    ['a call with a repeat prefix', [function('strange', 'db 0xf2', 'call good', 'ret')],
        qr/strange\+0x0 .*: a repeat prefix behind REX, or before a call/],
    ['ss loaded from memory', [function('strange', 'mov ss, [rax]', 'ret')],
        qr/strange\+0x0 .*: ss loaded from memory, which holds a debug trap back/],
);
for my $case (@strange) {
    my ($name, $lines, $message) = @$case;
    refused_ok(assembled(join("\n", $good, @$lines)), $message, $name);
}
# --- ... or left out, on request ------------------------------------------------------------------

# The codes of these functions, in order of address.
sub codes_of
{
    my ($program, @names) = @_;
    my ($status, $output) = run_tool('--gaps', 'none', '--print', $program);
    my @codes = $output =~ /^([0-9a-f]+) (\w+)$/mg;
    my @found;
    for my $name (@names) {
        my ($start, $size) = command("nm -S $program") =~ /^(\w+) (\w+) . \Q$name\E$/m;
        for (my $i = 0; $i < @codes; $i += 2) {
            my $offset = hex($codes[$i]) - hex($start);
            push(@found, $codes[$i + 1]) if $offset >= 0 && $offset < hex($size);
        }
    }
    return join(' ', @found);
}

my $behind = function('behind', 'push rax', 'mov [rdi], al', 'call good', 'ret');
for my $case (@strange) {
    my ($name, $lines, $message) = @$case;
    my $program = assembled(join("\n", $good, @$lines, $behind));
    my ($status, $output) = run_tool('--gaps', 'none', $program);
    $message = "$message" =~ s/\$\)\z/)/r;
    ok($status == 0 && $output =~ /^insnmap: \S+: $message.*: left out$/m
            && $output =~ /^insnmap: \S+: of \d+ bytes \d+ are left out, for \d faults?$/m,
        "$name: named") or diag("status $status: $output");
    is(codes_of($program, qw(good behind)), 'access access plain access access call plain',
        '... and the functions beside it are mapped');
}
my $cut = assembled($good . function('strange', 'push rax', 'db 0x06', 'push rax') . $behind);
is(codes_of($cut, 'strange'), 'plain plain plain', 'what is left out claims no access');
is((run_tool('--gaps', 'guess', assembled($good)))[0], 1, 'another way is refused');

refused_ok(assembled($good, room => 16), qr/\.insn_map has 17 bytes, the table needs/,
    'a section without room');

# --- The file -------------------------------------------------------------------------------------

my $program = assembled($good . 'align 16, db 0xcc');
is((run_tool($program))[0], 0, 'padding and functions are accepted');
command("cp $program $scratch/first.elf");
is((run_tool($program))[0], 0, '... a second time, too');
command("cmp $program $scratch/first.elf");
pass('... which changes nothing');
my ($status) = run_tool('--sizes', $program);
is($status, 1, 'an option that there is none of is refused');

# The linker's own data outside of the section.
command("objcopy -R .insn_map $build/pitot.elf $scratch/a.elf");
my $note = command("readelf -n $build/pitot.elf");
my ($id) = $note =~ /Build ID: (\w+)/;
command("objcopy -O binary -j .insn_map $build/pitot.elf $scratch/map");
open(my $in, '<:raw', "$scratch/map") or die("map: $!\n");
read($in, my $header, 48);
my ($magic, $version, $of, $size, $text, $text_size) = unpack('a4 L a20 L Q L', $header);
is("$magic $version", 'PNIM 1', 'the section begins with magic and version');
is(unpack('H*', $of), $id, '... and the build id of the kernel');
my %symbol = map { my ($address, undef, $name) = split(' '); ($name => hex($address)) }
    grep { / _e?text$/ } split(/\n/, command("nm $build/pitot.elf"));
is($text, $symbol{_text}, '... of its text,');
is($text_size, $symbol{_etext} - $symbol{_text}, '... all of it,');
is($size, 48 + int(($text_size + 3) / 4), '... with two bits a byte');

done_testing();
