#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/embed, core/pitot.h, arch/embed
#
# Pitot as one object: it builds from a tree that has only core/ and arch/, its names begin with
# pitot_, and only the marks of its sections are undefined. A kernel whose types and functions have
# the same names as Pitot's internal ones includes the header, in C and C++, and links. Run from the
# root of the tree:
#
#     prove tests/host/lib.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Basename qw(basename dirname);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use File::Spec;
use Test::More;
use Pitot::Files;
use Pitot::Versions;

my $build = $ENV{BUILD} // 'build';
my $tree = "$build/lib-alone";

remove_tree($tree);
my @files = files_below(qw(core arch));
for my $file (@files) {
    make_path(dirname("$tree/$file"));
    copy($file, "$tree/$file") or die("$file: $!\n");
}

# --- The object's symbols -------------------------------------------------------------------------

my $header = slurp('core/pitot.h');
my $call = qr/^(?!typedef)[a-z][\w ]*?[ *](pitot_\w+)\(/m;
my @calls = sort($header =~ /$call/g);
my ($commands) = $header =~ m{^/\* --- Console commands \(LEVEL=4\)(.*)}ms;
my %of_commands = map { ($_ => 1) } $commands =~ /$call/g;
my @data = $header =~ /^extern \w[\w ]* (pitot_\w+)\[\];/mg;
my @marks = $header =~ /^PITOT_TRACEPOINT_DECLARE\((\w+), \d+\);/mg;
my @sections = map { ("__start_pitot_$_", "__stop_pitot_$_") } qw(tracepoints sites traps);
my @tables = map { ("pitot_${_}_start", "pitot_${_}_end") } qw(symtab_blob unwind_table insn_map);
cmp_ok(scalar(@calls), '>', 5, 'core/pitot.h says what a kernel calls');

# pitot_check covers each function that a kernel gives, except panic and power, which do not return.
my ($members) = slurp('core/pitot_kernel.h') =~ /^struct pitot_kernel \{\n(.*?)^\};/ms;
my @members = grep { !/^(?:panic|power)$/ } $members =~ /^    [\w ]+[ *]\(\*(\w+)\)\(/mg;
is_deeply([sort(@members)], [sort(slurp('core/embed/check.c') =~ /^    EACH\([\w *]+, (\w+),/mg)],
    'core/embed/check.c notes the calls of all functions of struct pitot_kernel');

sub names
{
    my ($letters, $path) = @_;
    return [sort `nm $path` =~ /^[\da-f ]* [$letters] (\S+)$/mg];
}

# LEVEL, CPUS and folder. ports/c links with the objects of level 4 and with gdb.
my @objects = ([3, 1, "$tree/build"], [3, 2, "$tree/b32"], [4, 1, "$build/level4"],
    [3, 1, "$build/level5", 'with gdb'], [3, 2, "$build/level5/cpus2", 'with gdb']);
for (@objects[0, 1]) {
    my (undef, $cpus) = @$_;
    my $make = "make -s -j2 -C $tree -f core/embed/lib.mk CPUS=$cpus BUILD="
        . basename($_->[2]);
    my $said = `$make 2>&1`;
    is($?, 0, "for $cpus CPUs it is made from core/ and arch/ alone");
    is($said, '', '... without a word');
}

is(slurp("$tree/build/lib/include/pitot.h"), $header, 'the header lies in a folder of its own');
is(slurp("$tree/build/lib/include/" . basename($_)), slurp($_), "... with $_")
    for qw(core/pitot_kernel.h core/pitot_trace.h arch/x86_64/unwind/cfi_gas.inc
    arch/x86_64/unwind/cfi.inc);

for (@objects) {
    my ($level, $cpus, $folder, $gdb) = @$_;
    my @has = grep { $level > 3 || !$of_commands{$_} } @calls;
    my $object = "$folder/lib/pitot.o";
    is_deeply(names('A-TV-Z', $object),
        [sort(@has, @data, map { "pitot_tracepoint_$_" } @marks)],
        "level $level, $cpus CPUs: it has what core/pitot.h says");
    is_deeply(names('Uvw', $object),
        [sort @sections, @tables, $level > 3 ? map { "__${_}_pitot_commands" } qw(start stop) : ()],
        '... and wants nothing of the kernel but sections and tables');
    my %aligned = `readelf -SW $object` =~ /\s(pitot_\w+)\s+PROGBITS.*\s(\d+)$/mg;
    is_deeply(\%aligned, {map { ($_ => 8) } keys %aligned, 'pitot_tracepoints', 'pitot_sites'},
        '... and leaves no gap in the arrays that other objects continue');
}

# Sizes change with each commit: those in docs/porting.md must be within 5 %.
my $larger = differs('`pitot.o` has up to 10 % more text than in [porting](porting.md)');
my $right = $larger ? 1 / 10 : 1 / 20;
for (@objects) {
    my ($level, $cpus, $folder, $gdb) = @$_;
    my $row = $gdb ? "$level, $gdb" : $level;
    my ($text, $bss) =
        slurp('docs/porting.md') =~ /^\| $row \| $cpus \| (\d+) KiB \| (\d+) KiB \|$/m;
    my ($is_text, $is_bss) =
        `size $folder/lib/pitot.o` =~ /^ *(\d+)\s+\d+\s+(\d+)\s/m;
    cmp_ok(abs($is_text / 1024 - ($text // 0)), '<', $is_text / 1024 * $right,
        "docs/porting.md tells the size of level $level, $cpus CPUs: $is_text bytes of text");
    cmp_ok(abs($is_bss / 1024 - ($bss // 0)), '<', $is_bss / 1024 / 20, "... $is_bss of .bss");
}

# The files that each level adds to the object of levels 0 to 3, by the linker's map: a file belongs
# to the first level that needs it. Level 3 only adds CPUs.
my @level_of = (
    [1, qr{^core/(?:unwind|symbols)/|^core/embed/unwinders|^arch/x86_64/unwind/}],
    [2, qr{^core/(?:breakpoint/|event/source_(?:breakpoint|branches|clock|nmi_clock|place))}],
    [2, qr{^core/e(?:vent/program_steps|mbed/source_branches)}],
    [2, qr{^arch/(?:x86_64/debug/|embed/(?:debug|gate|forbidden|step))}],
);
my %kind = (text => 0, rodata => 0, eh_frame => 0, bss => 1);
my %bytes;
my $map = slurp("$tree/build/lib/pitot.map") =~ s/^( \.\S+)\n +/$1 /mgr; # long names have two lines
while ($map =~ m{^ \.(text|rodata|eh_frame|bss)\S* +0x\w+ +0x(\w+) \S*?lib/obj/(\S+)\.o$}mg) {
    my ($section, $size, $file) = ($1, hex($2), $3);
    my ($level) = map { $_->[0] } grep { $file =~ $_->[1] } @level_of;
    $bytes{$level // 0}[$kind{$section}] += $size;
}
is(join(' ', sort keys %bytes), '0 1 2', 'files of each level are in the object');
for my $level (sort keys %bytes) {
    my ($text, $bss) =
        slurp('docs/porting.md') =~ /^\| $level \| .* \| (\d+), (\d+) \| \d+ \| \d+ \|$/m;
    my @is = map { ($_ // 0) / 1024 } @{$bytes{$level}}[0, 1];
    cmp_ok(abs($is[0] - ($text // -9)), '<', $larger ? 2 + $is[0] * $right : 2,
        "docs/porting.md tells what level $level has of text: $is[0] KiB");
    cmp_ok(abs($is[1] - ($bss // -9)), '<', 2, "... and $is[1] of .bss");
}

# --- A kernel that has the same names -------------------------------------------------------------

my $kernel = <<'EOT';
typedef unsigned long uint64_t; /* <stdint.h> may differ */
struct event { int unlike; };
struct regs { int unlike; };
struct tracepoint { int unlike; };
enum { EINVAL = 77, ENOENT = 78 };
#include "core/pitot.h"
#ifdef __cplusplus
namespace own { /* whose tracepoint has a longer name */
PITOT_TRACEPOINT(kernel, turn, 1, PITOT_FIELD(u64, count, "%lu"));
template <class T> void turn(T count) { PITOT_TRACE(turn, count); }
}
extern "C" {
#endif
PITOT_TRACEPOINT(kernel, step, 3, PITOT_FIELD(u64, count, "%lu"), PITOT_FIELD(s32, error, " %d"),
                 PITOT_FIELD(pointer, page, " %p"));
uint64_t ticks, host, percpu[1], event_sources[1];
void *memcpy(void *to, const void *from, uint64_t length)
{
    for (uint64_t i = 0; i < length; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}
void event_init(void) {}
void arch_idle(void) {}
void assert_failed(void) {}
void ring_init(void) {}
void pitot_gate(void) {} /* as many would name their own */
static unsigned long now(void) { return ++ticks; }
static void put(const void *bytes, unsigned long length) { (void)bytes; ticks += length; }
static void end(const char *what) { (void)what; for (;;) { } }
void start(void);
void start(void)
{
    static struct pitot_kernel kernel; /* a member that is not set is not there */

    kernel.text = (const void *)start;
    kernel.text_end = (const char *)start + 1;
    kernel.clock = now;
    kernel.write = put;
    kernel.panic = end;
    pitot_init(&kernel);
    pitot_start("-e kernel:step");
    PITOT_TRACE(step, ticks, -1, &kernel);
    PITOT_MARK("here", 1);
#ifdef __cplusplus
    own::turn(1);
#endif
    pitot_stop();
}
#ifdef __cplusplus
}
#endif
EOT
my $flags = '-O2 -Wall -Wextra -Werror -ffreestanding -fno-pic -mno-red-zone -I.';
for my $way (['c', 'gcc -std=c99'], ['c', 'clang -std=c11'], ['cc', 'g++ -std=c++11'],
    ['cc', 'g++ -std=c++11 -DPITOT_PATCHED'], ['c', 'clang -std=c11 -DPITOT_PATCHED'])
{
    my ($suffix, $compiler) = @$way;
    my $base = "$tree/kernel";
    open(my $out, '>', "$base.$suffix") or die("$base.$suffix: $!\n");
    print $out $kernel;
    close($out) or die("$base.$suffix: $!\n");
    my $said = `$compiler $flags -c $base.$suffix -o $base.o 2>&1`;
    is($said, '', "$compiler: a kernel with Pitot's names includes the header") or next;
    $said = `ld -static -e start -z noexecstack $base.o $tree/build/lib/pitot.o -o $base.elf 2>&1`;
    is($said, '', '... and links');
    my ($own) = `nm $base.o` =~ /^(\w+) T memcpy$/m;
    my @copies = `nm $base.elf` =~ /^\w+ ([tT]) memcpy$/mg;
    is(join('', sort @copies), 'Tt', '... with its memcpy, and Pitot has one of its own');
    my ($calls) = `nm $base.elf` =~ /^\w+ T (pitot_start)$/m;
    is($calls, 'pitot_start', '... whose other names do not show');
}

# The strictest that a kernel may ask of a header, with each kind and number of fields.
my @kinds = qw(pointer function code u32 s32 u64 s64 text state);
my $traced = qq{#include "core/pitot.h"\nvoid raise(int *word);\n};
my @raised;
for my $count (1 .. @kinds) {
    my @fields = map { qq{PITOT_FIELD($kinds[$_ - 1], new$_, "%x")} } 1 .. $count;
    $traced .= "PITOT_TRACEPOINT(all, of$count, $count, " . join(', ', @fields) . ");\n";
    push(@raised, "PITOT_TRACE(of$count, " . join(', ', ('word') x $count) . ');');
}
$traced .= "void raise(int *word)\n{\n    @raised\n}\n";
for my $compiler ('gcc -std=c99', 'gcc -std=c11', 'clang -std=c11', 'g++ -std=c++11',
    'clang++ -std=c++11', 'g++ -std=c++20 -DPITOT_PATCHED', 'gcc -std=c99 -DPITOT_PATCHED',
    'clang -std=c11 -DPITOT_PATCHED', 'clang++ -std=c++11 -DPITOT_PATCHED') {
    my $file = "$tree/traced" . ($compiler =~ /\+\+/ ? '.cc' : '.c');
    write_bytes($file, $traced);
    for my $level ('-O2', '-O0') {
        is(`$compiler $flags $level -pedantic -Wshadow -c $file -o $tree/traced.o 2>&1`, '',
            "$compiler $level -pedantic: tracepoints of each kind, with one to nine fields");
    }
}

# --- What goes wrong says so ----------------------------------------------------------------------

my $wrong = slurp("$tree/kernel.c") =~ s/PITOT_TRACE\(step, ticks, -1/PITOT_TRACE(step, ticks/r;
open(my $out, '>', "$tree/wrong.c") or die("$tree/wrong.c: $!\n");
print $out $wrong;
close($out) or die("$tree/wrong.c: $!\n");
like(`gcc $flags -c $tree/wrong.c -o $tree/wrong.o 2>&1`, qr/negative/,
    'a tracepoint with an argument too few does not compile');

like(`make -s -C $tree -f core/embed/lib.mk BUILD=none LEVEL=5 2>&1`, qr/LEVEL=5: 3 or 4/,
    'a level that is none is refused');
like(`make -s -C $tree -f core/embed/lib.mk BUILD=none CPUS=$_ 2>&1`, qr/CPUS=$_: 1 to 64/,
    "so is CPUS=$_") for 0, 65, 128, 'two';
for ('CPUS="2 3": 1 to 64', 'RING=1000: a power of two from 4096 to 1073741824',
    'RING=2048: a power of two from 4096', 'RING="4096 8192": a power of two', 'RING=64k: a power',
    'GDB=2: 1, or nothing', 'GDB="1 1": 1, or nothing') {
    my ($option) = /^(.*?):/;
    like(`make -s -C $tree -f core/embed/lib.mk BUILD=none $option 2>&1`, qr/\Q${\(tr{"}{}dr)}\E/,
        "so is $option");
}
like(`make -s -C $tree -f core/embed/lib.mk BUILD=none INLINE=no.h 2>&1`, qr/INLINE=no\.h: no such/,
    'so is a header that is not there');
my $wide = '-fsyntax-only -ffreestanding -I. -DPITOT_OWN=arch/embed/own.h -DEMBED_RING_SIZE=65536 '
    . q{-DEMBED_INLINE='"core/embed/inline.h"'};
like(`gcc $wide -DEMBED_CPUS=65 core/event/event.c 2>&1`, qr/a bit for each CPU/,
    '... and no source with a set of CPUs compiles for more');
is(`gcc $wide -DEMBED_CPUS=64 core/event/event.c 2>&1`, '', '... as they do for 64');

# --- In a fresh clone, and with its folder elsewhere ----------------------------------------------

# The object is built, and nothing else. make and the test get no variables of this run.
delete local @ENV{qw(BUILD FP_BUILD MAKEFLAGS)};
system('cp', '-R', (grep { $_ ne $build && !/^build/ } glob('*')), $tree);
my $said = `make -s -C $tree lib 2>&1`;
is($?, 0, 'make lib in a fresh clone') or diag($said);
my $own = "$tree/own";
make_path("$own/bin");
system('cp', '-R', "$tree/build/lib", "$own/pitot");
copy("$tree/kernel.c", "$own/kernel.c") or die("kernel.c: $!\n");
write_bytes("$own/kernel.ld", <<'EOT');
SECTIONS {
    . = 0x100000;
    text_start = .;
    .text : { *(.text .text.*) }
    text_end = .;
    .rodata : { *(.rodata .rodata.*) }
    .eh_frame : { *(.eh_frame) }
    .data : { *(.data .data.*) }
    .bss : { *(.bss .bss.* COMMON) }
}
EOT
write_bytes("$own/Makefile", <<'EOT' =~ s/^ {8}/\t/mgr);
include pitot/pitot.mk
LDFLAGS := --build-id=sha1 -z noexecstack --no-warn-rwx-segments
PITOT_TABLES := --text text_start,text_end
kernel.elf: kernel.o $(PITOT_OBJECT)
        $(PITOT_LINK) $(LD) $(LDFLAGS) -T kernel.ld $^ -o $@ -b binary logo
kernel.o: kernel.c
        $(CC) -ffreestanding -fno-pic $(PITOT_CFLAGS) -c $< -o $@
EOT
write_bytes("$own/logo", "no object\n"); # as kernels have programs in themselves
$said = `sed -i 's|core/pitot.h|pitot.h|' $own/kernel.c; make -s -C $own 2>&1`;
is($said, '', 'a makefile includes pitot.mk of that folder') or diag($said);
$said = `cd $own && pitot/bin/pitot-tables --text text_start,text_end -- cc -nostdlib -static \\
    -no-pie -Wl,-T,kernel.ld,-z,noexecstack,--no-warn-rwx-segments kernel.o pitot/pitot.o \\
    -Wl,--format=binary logo -o other.elf 2>&1`;
is($said, '', '... and the compiler links, with a file that is no object behind the others');
my %at = reverse(`nm $own/kernel.elf` =~ /^(\w+) . (pitot_\w+_(?:start|end))$/mg);
for my $table (['symtab', 'symtab_blob'], ['orcgen', 'unwind_table', '--gaps fp'],
    ['insnmap', 'insn_map', '--gaps none']) {
    my ($tool, $name, $gaps) = @$table;
    my $text = $gaps ? "--text text_start,text_end $gaps" : '';
    my $need = `$own/pitot/bin/$tool --need $text $own/kernel.elf`;
    is(hex($at{"pitot_${name}_end"}) - hex($at{"pitot_${name}_start"}), $need + 0,
        "... and its kernel has room for what $tool makes, and no byte more");
}
my $pitot = File::Spec->rel2abs("$own/pitot");
symlink("$pitot/bin/pitot-tables", "$own/bin/pitot-tables") or die("symlink: $!\n");
unlink("$pitot/bin/orcgen");
is(`cd $own && PATH=bin:\$PATH pitot-tables -- ld -o kernel.elf 2>&1`,
    "pitot-tables: no $pitot/bin/orcgen: `make lib` builds it\n",
    'pitot-tables in another folder, by a link in PATH, says what is missing');

done_testing();
