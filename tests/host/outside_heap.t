#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot, docs/outside.md
#
# The request that `pitot heap` sends to the plugin, its output from the plugin's reports, its
# refusals, and that the real perf reads its file. Run from the root of the tree:
#
#     prove tests/host/outside_heap.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::Files;
use Pitot::PerfText;
use Pitot::StandIn;

my $room = stand_in_room();
my $elf = "$room/kernel.elf";
my $out = "$room/heap.data";
my @functions = qw(kmain vfs_read timer_isr release kmalloc krealloc kfree kfree.cold _Znwm _ZdlPv
    slab_walk slab_grow page_alloc);
link_kernel($elf, \@functions);
my %at = map { $functions[$_] => (0xffffffff << 32 | 0x80100000) + 0x100 * ($_ + 1) }
    0 .. $#functions;
my %environment = (STAND_IN_VERSION => '10.0.0');
my @qemu = ('--', "$room/qemu", '-kernel', $elf);
my ($freed, $beside, $twice, $middle, $no_object, $foreign) = 0 .. 5;

# The stderr of `pitot heap`, and its status.
sub heap
{
    my (@words) = @_;
    my (undef, $complaints, $status) = pitot(\%environment, 'heap', '-o', $out, @words, @qemu);
    return ($complaints, $status);
}

# --- The request ---------------------------------------------------------------------------------

sub asked
{
    my ($said) = heap(@_);
    my ($words) = request_words() =~ /,((?:alloc|realloc|free)=.*)$/;
    $words =~ s/,event=.*//;
    $words =~ s/,(?:allocator|variable)=.*//;
    for my $function (keys %at) {
        my $address = sprintf('%x', $at{$function});
        $words =~ s/=\Q$address\E:/=$function:/g;
    }
    return ([split(/,/, $words)], $said);
}

plugin_says(begin(1), objects(allocated => 1), end());
my ($asked, $said) = asked();
is_deeply($asked, ['alloc=kmalloc:1:1:0:0', 'realloc=krealloc:1:1:2:0', 'free=kfree:1:1:0',
    'alloc=_Znwm:7:1:0:0', 'free=_ZdlPv:7:1:0'], 'allocators by their usual names');
like($said, qr/\Apitot: allocators: kmalloc krealloc kfree _Znwm _ZdlPv\n/, '... are named');
($asked) = asked('--alloc', 'page_alloc:4096<<1', '--alloc', 'slab_grow:64', '--alloc',
    'kmalloc:2*3', '--realloc', 'krealloc:2:3', '--free', 'kfree:2');
is_deeply($asked, ['alloc=page_alloc:0:1000:2:1', 'alloc=slab_grow:0:40:0:0',
    'alloc=kmalloc:0:2:1:3', 'realloc=krealloc:0:2:3:0', 'free=kfree:0:2:0'],
    '... or those that are given, alone');
($asked) = asked('--alloc', 'slab_grow:[1+0x18]', '--alloc', 'page_alloc:[2+8/4]@3', '--alloc',
    'kmalloc:3@1');
is_deeply($asked, ['alloc=slab_grow:0:1:3:18:0:8', 'alloc=page_alloc:0:2:3:8:3:4',
    'alloc=kmalloc:0:3:0:0:1:0'], '... with a size in memory, and the result there');
($asked) = asked('--alloc', 'kmalloc', '--free', 'kfree', '--realloc', 'krealloc');
is_deeply($asked, ['alloc=kmalloc:0:1:0:0', 'realloc=krealloc:0:1:2:0', 'free=kfree:0:1:0'],
    '... with their usual arguments');

my ($data, $sizeless) = map { sprintf('%x', $place{run_queue} + $_) } 0, 64;
my $next = sprintf('%x', $place{run_queue} + 72);
like((request_words())[0], qr/,variable=[\w:]*\b$data:$sizeless:$sizeless:$next:/,
    'the kernel\'s variables are told, one without a size to the next');

my @clones = qw(kmalloc.constprop.0 kfree.part.0 krealloc.isra.0 kmalloc.cold kmallocs.part.0);
link_kernel($elf, [qw(kmalloc kfree krealloc), @clones]);
($asked, $said) = asked();
is_deeply([map { s/=\w+//r } @$asked], [qw(alloc:1:1:0:0 alloc:1:0:0:0 realloc:1:1:2:0
    realloc:1:1:0:0 free:1:1:0 free:1:1:0)], "... and what gcc has made of them, without sizes");
like($said, qr/\A.* kmalloc\.constprop\.0 krealloc krealloc\.isra\.0 kfree kfree\.part\.0\n/,
    '... by its names');
($asked, $said) = asked('--alloc', 'kmalloc', '--free', 'kfree:2');
is(@$asked, 3, '... but not of one whose argument may be another');
link_kernel($elf, [qw(__rust_alloc __rust_realloc __rust_dealloc _Znwm _ZdlPvm)]);
is_deeply([map { s/=\w+//r } @{(asked())[0]}],
    [qw(alloc:6:1:0:0 realloc:6:1:4:2 free:6:1:2 alloc:7:1:0:0 free:7:1:2)],
    '... and those that are given an object and its size');
link_kernel($elf, [qw(__rust_alloc __rg_alloc __rdl_alloc_zeroed posix_memalign)]);
is_deeply([map { s/=\w+//r } @{(asked())[0]}],
    [qw(alloc:2:3:0:0:1:0 alloc:6:1:0:0 alloc:6:1:0:0 alloc:6:1:0:0)],
    '... those behind __rust_alloc, and one that stores its result');

# Newer Rust, whose debug information does not show that it describes all calls of the methods.
my $crate = '_RNvCsfLfy6EI15iL_7___rustc';
my $method = '_ZN60_$LT$a..Heap$u20$as$u20$core..alloc..global..GlobalAlloc$GT$';
link_kernel($elf, ["${crate}12___rust_alloc", "${crate}14___rust_dealloc",
    "${method}5alloc17h82ad868738a95121E", "${method}7dealloc17h07eef11b9c26bccbE", 'kmalloc']);
($asked, $said) = asked();
is_deeply([map { s/=\w+//r } @$asked], ['alloc:1:1:0:0'],
    'a __rust_alloc that may be inlined is no allocator');
like($said, qr/\Apitot: __rust_alloc is left out: its code may be in its callers; /,
    '... which is reported');
like($said, qr/^pitot: allocators: kmalloc$/m, '... and others are watched');

# gcc has inlined kfree into its first caller, and into free_all.
write_bytes("$room/inlined.c", <<'END');
void *kmalloc(unsigned long size);
void *volatile heap;
__attribute__((noinline)) void *kmalloc(unsigned long size) { return (char *)heap + size; }
__attribute__((always_inline)) inline extern void kfree(void *object) { heap = object; }
extern void kfree(void *object);
void _start(void) { kfree(kmalloc(1)); }
END
is(system('gcc', qw(-O2 -g -ffreestanding -fno-pic -no-pie -nostdlib -static), '-o', $elf,
        "$room/inlined.c"), 0, 'a kernel is compiled');
($asked, $said) = asked();
like($said, qr/^pitot: the code of kfree is also in _start: such calls of it are not seen$/m,
    'calls that are no calls are reported');
# Rust that inlines __rust_alloc, in symbols with no crate's name or without a name. C passes a
# struct of two words as Rust does: two registers, in the order of its members.
my $rust = <<'END';
typedef unsigned long word;
struct Layout { word FIRST, SECOND; };
struct Other { word size, align; };
char *volatile heap;
#define OUT __attribute__((noinline, noclone))
char *alloc(void *self, ARGUMENT layout) __asm__("METHOD5alloc17h82ad868738a95121E");
void dealloc(void *self, char *object, ARGUMENT layout)
    __asm__("METHOD7dealloc17h07eef11b9c26bccbE");
char *resize(void *self, char *object, ARGUMENT layout, word size)
    __asm__("METHOD7realloc17h4f0be1d24f4d5f7bE");
OUT char *alloc(void *self, ARGUMENT layout) { return heap + layout.size + layout.align; }
KEPT void dealloc(void *self, char *object, ARGUMENT layout) { heap = object - layout.size; }
OUT char *resize(void *self, char *object, ARGUMENT layout, word size)
{ return heap + layout.size + size; }
#ifdef NAMED
extern inline __attribute__((always_inline)) char *__rust_alloc(word size, word align)
{ return alloc(0, (ARGUMENT){.size = size, .align = align}); }
extern char *__rust_alloc(word size, word align);
#else
#define __rust_alloc(bytes, unit) alloc(0, (ARGUMENT){.size = bytes, .align = unit})
#endif
void _start(void)
{
    char *object = resize(heap, __rust_alloc(8, 8), (ARGUMENT){.size = 8, .align = 8}, 16);
    dealloc(heap, object, (ARGUMENT){.size = 16, .align = 8});
}
END
$rust =~ s/METHOD/$method/g;
my @order = ([qw(-DFIRST=size -DSECOND=align)], [qw(-DFIRST=align -DSECOND=size)]);
my @first = qw(alloc:6:2:0:0 realloc:6:2:5:3 free:6:2:3);
my @last = qw(alloc:6:3:0:0 realloc:6:2:5:4 free:6:2:4);
my ($layout, $other) = ('-DARGUMENT=struct Layout', '-DARGUMENT=struct Other');
my @compiled = (
    ['without a name, the size first', \@first, $layout, '-DKEPT=OUT', @{$order[0]}],
    ['without a name, the size last', \@last, $layout, '-DKEPT=OUT', @{$order[1]}],
    ['the size last', ['alloc:6:1:0:0', @last], $layout, qw(-DKEPT=OUT -DNAMED), @{$order[1]}],
    ['but not of an unknown order', undef, $other, qw(-DKEPT=OUT -DNAMED), @{$order[1]}],
    ['nor if they are inlined', undef, $layout, '-DNAMED',
        '-DKEPT=__attribute__((always_inline)) inline extern', @{$order[1]}]);
for my $of (@compiled) {
    my ($title, $wanted, @options) = @$of;
    write_bytes("$room/rust.c", $rust);
    is(system('gcc', qw(-O2 -g -ffreestanding -fno-pic -no-pie -nostdlib -static), @options, '-o',
            $elf, "$room/rust.c"), 0, "methods of GlobalAlloc, $title");
    my ($said) = heap();
    ($asked, $said) = asked() if $wanted;
    is_deeply([map { s/=\w+//r } @$asked], $wanted, '... are watched') if $wanted;
    unlike($said, qr/left out|also in/, '... and all calls are seen') if $wanted;
    like($said, qr/\Apitot: __rust_alloc is left out: .*\npitot heap: .* has no allocator of a /,
        '... are left out') if !$wanted;
}
link_kernel($elf, \@functions);

# --- Changes to the kernel -----------------------------------------------------------------------

my $newest = '11.1.0';
write_bytes("$room/bin/plugin-v7.so", slurp("$room/bin/plugin-v4.so"));
{
    local $environment{STAND_IN_VERSION} = $newest;
    ($asked, $said) = asked('--guard', '--quarantine', 256);
    is_deeply([@$asked[-2, -1]], ['guard=16', 'quarantine=256'], '--guard and --quarantine');
    like($said, qr/^pitot:\ --guard\ changes\ the\ kernel:\ its\ objects\ have\ 16\ bytes\ more\n
        pitot:\ --quarantine\ changes\ the\ kernel:\ each\ function\ that\ frees\ is\ 256\ objects
        \ late$/mx, '... are named as changing the kernel');
    ($asked, $said) = asked('--guard', '--alloc', 'page_alloc:4096<<1', '--alloc', 'kmalloc');
    like($said, qr/^pitot: --guard: objects of page_alloc have no guard: it takes no size in /m,
        'an allocator without a size in bytes is named');
}

# --- Refusals ------------------------------------------------------------------------------------

sub refused_ok
{
    my ($why, @words) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($complaints, $status) = heap(@words);
    is_deeply([$complaints, $status, [stand_in_words()]], ["pitot heap: $why\n", 1, []],
        "refused: $why");
}

my $size = 'F[:SIZE[@OUT]], with SIZE an argument from 1 to 6, a number of bytes, two of these as '
    . 'in 1*2, 4096<<1, or a field as in [1+8] or [1+8/4]; OUT: the argument that points to the '
    . 'result';
refused_ok("--alloc kmalloc:$_: $size", '--alloc', "kmalloc:$_")
    for 'x', '0', '', '1*', '1+2', '1*2*3', '1*0', '1<2', '99999999999', '[7+8]', '[1+8', '[1+8/3]',
    '[1+8/16]', '[1+8/0]', '[1]', '[1+8]x', '1@', '1@7', '@1';
refused_ok("--realloc krealloc:$_: F[:OBJECT:SIZE[:OLD]], each an argument from 1 to 6",
    '--realloc', "krealloc:$_") for '1', '7:1', '1:7', '0:1', '1:2:7', '1:2:3:4';
refused_ok("--free kfree:$_: F[:OBJECT[:SIZE]], each an argument from 1 to 6", '--free', "kfree:$_")
    for '0', '7', '1:7', '1:2:3';
refused_ok('--free kfree: who allocates? --alloc FUNCTION names it', '--free', 'kfree');
refused_ok('no function "kmaloc"; near: kmalloc, kmain, krealloc', '--alloc', 'kmaloc');
refused_ok('no function "slap_*", and none with a similar spelling', '--allocator', 'slap_*');
link_kernel($elf, [qw(kmain vfs_read)]);
my ($complaints, $status) = heap();
like($complaints, qr/\Apitot\ heap:\ kernel\.elf\ has\ no\ allocator\ of\ a\ known\ name\ \(kmalloc,
    .*operator\ new\);\ --alloc\ FUNCTION\ and\ --free\ FUNCTION\ name\ yours\n\z/x,
    'no allocator that is known');
link_kernel($elf, \@functions);
{
    local $environment{STAND_IN_VERSION} = '7.2.22';
    refused_ok('the heap: QEMU 7.2 gives plugins no registers; 9.2 and later do');
}
refused_ok('--guard: QEMU 10.0 lets plugins change no registers; 10.2 and later do', '--guard');
refused_ok('--quarantine: QEMU 10.0 lets plugins leave out no calls; 11.0 and later do',
    '--quarantine', 9);
{
    local $environment{STAND_IN_VERSION} = $newest;
    refused_ok("--guard: $_->[0] takes no size in bytes that could be larger", '--guard',
        '--alloc', "$_->[0]:$_->[1]") for ['page_alloc', '4096<<1'], ['slab_grow', 64];
    refused_ok('--quarantine: no function frees; --free FUNCTION names one', '--quarantine', 9,
        '--alloc', 'kmalloc');
}
is((pitot(\%environment, 'heap', '-e', 'irq', @qemu))[2], 129, 'an option of another command');

# --- Output --------------------------------------------------------------------------------------

my $call = 5;
my @contexts = (context(1, 0, $at{kmain} + 0x20, $call), context(2, 1, $at{vfs_read} + 0x10, $call),
    context(3, 2, $at{vfs_read} + 0x40), context(4, 1, $at{release} + 0x8, $call));
my %object = (object => 0x1000, size => 64, allocated => [2, 0, 1_000]);
plugin_says(begin(2), @contexts, thread(1, $at{kmain}),
    heap_report(kind => $freed, thread => 1, context => 3, access => 1, length => 8,
        ip => $at{timer_isr} + 4, time => 9_000, address => 0x1010, %object,
        freed => [4, 0, 5_000]),
    heap_report(report => 1, cpu => 1, kind => $beside, context => 1, access => 2, length => 1,
        ip => $at{kmain}, time => 10_000, address => 0x1040, %object),
    heap_report(report => 2, kind => $beside, access => 2, length => 4, ip => $at{kmain},
        time => 10_001, address => 0xff8, %object),
    heap_report(report => 3, kind => $twice, context => 4, ip => $at{kfree}, time => 10_002,
        address => 0x1000, %object, freed => [4, 1, 7]),
    heap_report(report => 4, kind => $middle, context => 4, ip => $at{kfree}, time => 10_003,
        address => 0x1001, %object),
    heap_report(report => 5, kind => $no_object, ip => $at{kfree}, time => 10_004,
        address => 0x2000),
    heap_report(report => 6, kind => $foreign, context => 4, ip => $at{_ZdlPv}, time => 10_005,
        address => 0x1000, %object),
    heap_report(kind => $freed, context => 3, access => 1, ip => $at{timer_isr} + 4, count => 7,
        time => 9_000, address => 0x1010, %object, freed => [4, 0, 5_000]),
    live(2, 3, 192, 640), live(0, 1, 16, 0), live(4, 0, 0, 64),
    objects(allocated => 20, freed => 16, peak => 704, reused => 1, lost => 2, more => 3,
        crowd => 4), end(instructions => 9_999));
my $kmain = 'kmain+0x25';
my $allocated = "allocated by   vfs_read+0x15 < $kmain";
($complaints, $status) = heap('--leaks', 100);
my $reports = <<"END";
pitot: allocators: kmalloc krealloc kfree _Znwm _ZdlPv
== use after free: read of 8 bytes, 16 into an object of 64 (1000), \@0:9000
   timer_isr+0x4 < !vfs_read+0x40 < vfs_read+0x15 < $kmain
 freed by       release+0xd < $kmain, 4000 instructions ago
 $allocated, 8000 instructions ago

== out of bounds: write of 1 byte, 1 byte beyond an object of 64 (1000), \@1:10000
   kmain+0x0 < $kmain
 $allocated, on CPU 0 after 1000 instructions

== out of bounds: write of 4 bytes, 8 bytes before an object of 64 (1000), \@0:10001
   kmain+0x0
 $allocated, 9001 instructions ago

== double free: kfree of 1000, an object of 64 (1000), \@0:10002
   release+0xd < $kmain
 freed by       release+0xd < $kmain, on CPU 1 after 7 instructions
 $allocated, 9002 instructions ago

== free of an object's middle: kfree of 1001, 1 into an object of 64 (1000), \@0:10003
   release+0xd < $kmain
 $allocated, 9003 instructions ago

== free of no object: kfree of 2000, which none of these allocators has returned, \@0:10004
   [not known]

== free by another allocator: operator delete of 1000, an object of 64 (1000), \@0:10005
   release+0xd < $kmain
 $allocated, 9005 instructions ago

== report 1, use after free, came 7 times
pitot: live at the end: 208 bytes in 4 objects, of 2 places
         192 bytes in 3 objects:  vfs_read+0x15 < $kmain
pitot: 1 object freed unseen: --free names what frees them
pitot: 2 objects without room: not looked after
pitot: 4 hits left out, of objects with 4 reports; if another allocator has them, name it (--alloc)
pitot: 3 reports left out: 4,096 places were told
[ pitot heap: 7 reports, 13 hits; 20 objects allocated, 16 freed, at most 704 bytes; $out ]
END
$reports =~ s/\@(\d):(\d+)$/by CPU $1 after $2 instructions/mg;
is($complaints, $reports, 'reports');
is($status, 0, '... with status 0');

# --- Suppressed reports --------------------------------------------------------------------------

my $lines = "$room/suppressed";
write_bytes($lines, join("\n", '# known', '', ' timer_isr < vfs_* < vfs_read',
    "\trelease # all its frees", 'kmain < none', ''));
($complaints) = heap('--suppress', $lines);
is(scalar(() = $complaints =~ /^== .*:/mg), 3,
    '--suppress: reports that match no line are reported');
unlike($complaints, qr/^== (?:use after free|double|free of an|free by)/m,
    '... the others are not');
like($complaints, qr/^pitot: 10 hits suppressed$/m, '... but counted');
like($complaints, qr/^\[ pitot heap: 3 reports, 3 hits; /m, '... apart');
for my $wrong ('a <  < b', join(' < ', ('a') x 17)) {
    write_bytes($lines, "good\n$wrong\n");
    refused_ok("$lines:2: up to 16 functions are allowed, as in: a < b_*", '--suppress', $lines);
}
refused_ok("$room/none: No such file or directory", '--suppress', "$room/none");
heap('--leaks', 100);

# --- perf's output -------------------------------------------------------------------------------

my $script = in_perf($out, 'script', '-F', 'comm,event,trace');
is_deeply([map { join(' ', split) } split(/\n/, $script)], [
    'kmain heap:use_after_free: object=0x1000 size=64 offset=16 age=4000',
    'kernel.elf heap:out_of_bounds: object=0x1000 size=64 offset=64 age=0',
    'kernel.elf heap:out_of_bounds: object=0x1000 size=64 offset=-8 age=9001',
    'kernel.elf heap:double_free: object=0x1000 size=64 offset=0 age=0',
    'kernel.elf heap:free_of_middle: object=0x1000 size=64 offset=1 age=9003',
    'kernel.elf heap:free_of_no_object: object=0x0 size=0 offset=0 age=0',
    'kernel.elf heap:foreign_free: object=0x1000 size=64 offset=0 age=9005',
    'kernel.elf heap:use_after_free: object=0x1000 size=64 offset=16 age=4000',
    'kernel.elf heap:peak: object=0x0 size=640 offset=0 age=0',
    'kernel.elf heap:live: object=0x0 size=192 offset=0 age=0',
    'kernel.elf heap:live: object=0x0 size=16 offset=0 age=0',
    'kernel.elf heap:peak: object=0x0 size=64 offset=0 age=0',
], 'perf script prints the fields');
my @peak = map { join(' ', split) }
    grep { /heap:peak/ } split(/\n/, in_perf($out, 'script', '-F', 'event,period,ip,sym', '-G'));
is_deeply(\@peak, ['640 heap:peak: ' . sprintf('%x', $at{vfs_read} + 0x15) . ' vfs_read',
    '64 heap:peak: ' . sprintf('%x', $at{release} + 0xd) . ' release'],
    '... and who had how many bytes at the peak');

pitot(\%environment, 'show', '-o', "$room/heap.html", $out);
like(slurp("$room/heap.html"), qr/"units":\["events"(?:,"events")*,"bytes","bytes"\]/,
    '... as does pitot show, in bytes');

# --- No results ----------------------------------------------------------------------------------

plugin_says(begin(1), objects(), end(instructions => 9));
like((heap())[0], qr/^pitot: no allocator was called; --alloc FUNCTION names others$/m,
    'no allocator is called');
for my $invalid ([heap_report(kind => 6), 'report 0 of kind 6 in context 0 is invalid'],
    [heap_report(context => 3), 'report 0 of kind 0 in context 3 is invalid'],
    [heap_report(report => 1), 'report 1 of kind 0 in context 0 is invalid'],
    [heap_report(allocated => [3, 0, 0]), 'report 0 of kind 0 in context 0 is invalid'],
    [live(3, 1, 1, 1), 'objects in context 3 are invalid']) {
    my ($record, $why) = @$invalid;
    plugin_says(begin(1), $record);
    local $environment{STAND_IN_END} = 'parent CHLD';
    ($complaints, $status) = heap();
    like($complaints, qr/^pitot heap: the plugin's $why$/m, "refused: $why");
}

done_testing();
