#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md, tests/guests
#
# `pitot heap` on kernels with one bug of each kind, and on the same kernels fixed (tests/guests: C;
# C++ and Rust, on one CPU and four); on four CPUs that allocate and free at the same time; and on
# Pitot's own kernel, whose only memory bug is the planted one. QEMU before 9.2 is refused.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::FourCpus;
use Pitot::Guest;
use Pitot::Outside qw(no_registers_ok tells_registers qemu_is_from);
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_heap";
make_path($logs);
my @machine = guest_machine();

# The stderr of `pitot heap`, and QEMU's status.
sub heap
{
    my ($words, @qemu) = @_;
    my ($status) = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", 'heap', '-o', "$logs/heap.data", @$words, '--', @qemu);
    return (slurp("$logs/said"), $status);
}

# --- One bug of each kind ------------------------------------------------------------------------

link_guest('heap', "$logs/wrong.elf");
link_guest('heap', "$logs/mended.elf", '-DMENDED');
my @small = ('qemu-system-x86_64', @machine, '-icount', 'shift=3,sleep=off', '-kernel');

if (!tells_registers()) {
    no_registers_ok('heap', 'the heap', heap([], @small, "$logs/wrong.elf"));
    done_testing();
    exit;
}

# The reports, without addresses and instruction counts, which vary.
sub reports_of
{
    my ($said) = @_;
    my @reports = $said =~ /^(== .*\n(?:[ ].*\n)+)/mg;
    s/ \([0-9a-f]+\)//g, s/, by CPU \d after \d+ instructions//, s/, \d+ instructions? ago//g,
        s/ of [0-9a-f]{6,7},/,/g, s/\+0x[0-9a-f]+//g
        for @reports;
    return join('', @reports);
}

my ($said, $status) = heap(['--leaks', 1], @small, "$logs/wrong.elf");
is($status, $guest_ended, 'a kernel with a bug of each kind') or diag($said);
my $each = <<'END';
== use after free: read of 4 bytes, 8 into an object of 40
   reads_freed < work < main < start
 freed by       release < reads_freed < work < main < start
 allocated by   reads_freed < work < main < start
== out of bounds: write of 1 byte, 1 byte beyond an object of 24
   writes_behind < work < main < start
 allocated by   writes_behind < work < main < start
== out of bounds: read of 8 bytes, 8 bytes before an object of 48
   reads_before < work < main < start
 allocated by   reads_before < work < main < start
== double free: kfree, an object of 32
   frees_twice < work < main < start
 freed by       frees_twice < work < main < start
 allocated by   frees_twice < work < main < start
== free of an object's middle: kfree, 16 into an object of 64
   frees_middle < work < main < start
 allocated by   frees_middle < work < main < start
== free of no object: kfree, which none of these allocators has returned
   frees_static < work < main < start
== free by another allocator: operator delete, an object of 10
   mixes < work < main < start
 allocated by   mixes < work < main < start
== use after free: read of 8 bytes, 32 into an object of 48
   calls_freed < work < main < start
 freed by       calls_freed < work < main < start
 allocated by   calls_freed < work < main < start
== out of bounds: write of 1 byte, 5 bytes beyond an object of 16
   shrinks < work < main < start
 allocated by   shrinks < work < main < start
END
is(reports_of($said), $each, '... each is told, with who allocated and who freed');
like($said, qr/^== report 1, use after free, came 5 times$/m,
    '... the same one once, with a count');
my ($live) = $said =~ /^(pitot: live at the end: .*\n.*)$/m;
is($live =~ s/\+0x\w+//gr, "pitot: live at the end: 300 bytes in 3 objects, of 1 place\n"
    . '         300 bytes in 3 objects:  leaks < work < main < start', '... and what leaks');

($said, $status) = heap([], @small, "$logs/mended.elf");
is($status, $guest_ended, 'the same kernel, mended') or diag($said);
is(reports_of($said), '', '... has no report');
like($said, qr/^\[ pitot heap: 0 reports, 0 hits; 20 objects allocated, 20 freed, /m,
    '... though it allocates as often');
($said) = heap(['--until', 'frees_twice'], @small, "$logs/wrong.elf");
is(() = $said =~ /^== .*:/mg, 3, '--until: reports of the time before');
($said) = heap(['--max', 2], @small, "$logs/wrong.elf");
is(() = $said =~ /^== .*:/mg, 2, '--max: so many reports');
like($said, qr/^pitot: 7 samples left out: --max was reached$/m, '... the others are counted');

# The same with a file of other addresses, as for a kernel that relocates itself.
is(system('objcopy', '--change-addresses=0x100000', "$logs/wrong.elf", "$logs/moved.elf"), 0,
    'its file has other addresses');
($said) = heap(['--kernel', "$logs/moved.elf"], @small, "$logs/wrong.elf");
is(reports_of($said), $each, '... the same reports');
like($said, qr/^pitot: the kernel was relocated by -0x100000 from moved.elf$/m,
    '... which are moved');

# The same on four CPUs at once.
sub by_any_cpu { return $_[0] =~ s/ < work < (?:main < start|cpu_main < begin)$/ < work/mgr }

link_guest('heap', "$logs/wrong4.elf", '-DCPUS=4');
link_guest('heap', "$logs/mended4.elf", '-DCPUS=4', '-DMENDED');
my @cpus = ('qemu-system-x86_64', @machine, '-accel', 'tcg,thread=multi', '-smp', 4, '-kernel');
for my $run (1 .. ($ENV{SOAK} ? 20 : 2)) {
    ($said, $status) = heap([], @cpus, "$logs/wrong4.elf");
    is(by_any_cpu(reports_of($said)), by_any_cpu($each), "four CPUs, run $run: each bug is told");
    like($said, qr/^== report 1, use after free, came 20 times$/m, '... of each CPU');
    ($said, $status) = heap([], @cpus, "$logs/mended4.elf");
    is(reports_of($said), '', '... and mended, no report');
    like($said, qr/^\[ pitot heap: 0 reports, 0 hits; 80 objects allocated, 80 freed, /m,
        '... though each allocates as often');
}

# --- Ways to call allocators ---------------------------------------------------------------------

# Each function of tests/guests/heap_calls.c, the size of its object, and the chain of the
# allocation if it is not the function's own.
my @called = ([jumps => 24], [aligns => 40], [stores => 56], [has_cache => 72], [has_size => 88],
    [nests => 104], [grows => 120], [keeps => 136], [switches => 152], [other => 168],
    [is_taken => 184, 'take < handler < !interrupt < krealloc < is_taken']);
my $known = '';
for (@called) {
    my ($function, $bytes, $by) = @$_;
    my $callers = $function eq 'other' ? '' : ' < main < start';
    $by //= $function;
    $known .= <<"END";
== out of bounds: write of 1 byte, 1 byte beyond an object of $bytes
   write_behind < $function$callers
 allocated by   $by$callers
END
}
$known .= <<'END';
== use after free: read of 1 byte, 7 into an object of 200
   returns < main < start
 freed by       returns < main < start
 allocated by   returns < main < start
END
my @callees = (qw(--alloc kmalloc --alloc kcalloc:1*2 --realloc krealloc --free kfree), '--alloc',
    'memalign:2', '--alloc', 'posix_memalign:3@1', '--alloc', 'cache_alloc:[1+12/4]', '--alloc',
    'ticket_alloc:88', '--alloc', '_Znwm', '--alloc', 'plain_alloc');
for my $of (['', $known], ['mended', '', '-DMENDED']) {
    my ($title, $reports, @options) = @$of;
    link_guest('heap_calls', "$logs/calls.elf", @options);
    ($said, $status) = heap(\@callees, @small, "$logs/calls.elf");
    is(reports_of($said), $reports, "ways to call allocators $title");
    like($said, qr/^\[ pitot heap: .*; 19 objects allocated, 9 freed, /m,
        '... all objects are known');
    unlike($said, qr/unseen/, '... and all frees');
}

# --- C++ and Rust, on one CPU and four -----------------------------------------------------------

my %planted = (Rust => <<'END', 'C++' => <<'END');
== use after free: read of 8 bytes, 32 into an object of 48
   work::reads_dropped < work < start
 freed by       work::release < work::reads_dropped < work < start
 allocated by   work::make < work::reads_dropped < work < start
== double free: heap_give, an object of 48
   work::release < work::drops_twice < work < start
 freed by       work::release < work::drops_twice < work < start
 allocated by   work::make < work::drops_twice < work < start
== out of bounds: write of 1 byte, 1 byte beyond an object of 24
   work::writes_behind < work < start
 allocated by   work::writes_behind < work < start
END
== use after free: read of 8 bytes, an object of 48
   reads_deleted < work < start
 freed by       reads_deleted < work < start
 allocated by   make < reads_deleted < work < start
== double free: operator delete, an object of 48
   deletes_twice < work < start
 freed by       deletes_twice < work < start
 allocated by   make < deletes_twice < work < start
== free by another allocator: operator delete, an object of 16
   mixes < work < start
 allocated by   mixes < work < start
== out of bounds: write of 1 byte, 1 byte beyond an object of 24
   writes_behind < work < start
 allocated by   writes_behind < work < start
END

# Bugs that are found only if the kernel is changed.
my %hidden = (Rust => <<'END', 'C++' => <<'END');
== out of bounds: write of 1 byte, 1 byte beyond an object of 32
   work::touches_next < work < start
 allocated by   work::touches_next < work < start
== use after free: read of 8 bytes, 40 into an object of 48
   work::keeps < work < start
 freed by       work::release < work::keeps < work < start
 allocated by   work::make < work::keeps < work < start
END
== out of bounds: write of 1 byte, 1 byte beyond an object of 32
   touches_next < work < start
 allocated by   touches_next < work < start
== use after free: read of 8 bytes, 8 into an object of 48
   keeps < work < start
 freed by       keeps < work < start
 allocated by   make < keeps < work < start
END
my %language = ('C++' => {source => 'heap_cxx.cc', mended => ['-DMENDED'], options => []},
    Rust => {source => 'heap_rust.rs', mended => [qw(--cfg mended)],
        options => [qw(--alloc heap_take:1 --free heap_give:1:2)]});
my $times = 50;    # each bug, on each CPU
my $runs = $ENV{SOAK} ? 20 : 1;    # of the fixed kernels
my $changes = qemu_is_from(11, 0);

for my $language (sort keys %language) {
    my $of = $language{$language};
    my @wrong = compile_guest($of->{source}, "$logs/wrong");
    my @mended = compile_guest($of->{source}, "$logs/mended", @{$of->{mended}});
    for my $cpus (1, 4) {
        my $title = "$language, $cpus CPU" . ($cpus > 1 ? 's' : '');
        my @of = ("$logs/cpus", $times, '', cpus => $cpus);
        my @qemu = four_cpus(@of, objects => [@wrong]);
        for my $run (1 .. ($ENV{SOAK} ? 20 : 2)) {
            ($said, $status) = heap($of->{options}, @qemu);
            is(reports_of($said), $planted{$language}, "$title, run $run: each bug is told");
            like($said, qr/^pitot: live at the end: \d+ bytes in $cpus objects?, of 1 place/m,
                '... and a leak') if $language eq 'Rust';
            last unless $changes;
            # On several CPUs nothing leaves the quarantine: a bug may come late.
            my $held = $cpus > 1 ? 100_000 : 64;
            ($said, $status) = heap([@{$of->{options}}, '--guard', '--quarantine', $held], @qemu);
            is(reports_of($said), "$planted{$language}$hidden{$language}",
                '... and of a changed kernel, those that are hidden');
        }
        @qemu = four_cpus(@of, objects => [@mended]);
        for my $change (([]) x $runs, $changes ? [qw(--guard --quarantine 8)] : ()) {
            ($said, $status) = heap([@{$of->{options}}, @$change], @qemu);
            is(reports_of($said), '', "$title, mended: no report @$change");
            like($said, qr/^\[ pitot heap: 0 reports, .*; (\d+) objects allocated, \1 freed, /m,
                '... though it allocates and frees');
            is($status, $guest_ended, '... and blocks come back with their sizes');
        }
    }
}

# Older compilers emit calls of __rust_alloc, newer ones calls of GlobalAlloc.
my @outlined = compile_guest('heap_rust.rs', "$logs/outlined", qw(--cfg outlined));
($said, $status) = heap([],
    four_cpus("$logs/cpus", $times, '', cpus => 1, objects => [@outlined]));
is(reports_of($said) =~ s/^== double free: \K.*(?=, an object)/heap_give/mr, $planted{Rust},
    'Rust, by the names of its own allocators: each bug is reported');
unlike($said, qr/such calls of it are not seen/, '... and no call is missed');
if (!$changes) {
    ($said, $status) = heap(['--quarantine', 8], @small, "$logs/mended.elf");
    like($said, qr/^pitot heap: --quarantine: QEMU \S+ lets plugins leave out no calls; 11\.0 /,
        'a QEMU that cannot change the kernel so is refused');
}

# --- Four CPUs -----------------------------------------------------------------------------------

# kmalloc gives each CPU the next 64 bytes; each turn uses its object and frees it. At the end CPU 0
# uses its last object once more.
my $turns = 20_000;
my $work = <<'END';
global kmalloc:function (kmalloc.end - kmalloc), kfree:function (kfree.end - kfree)
kmalloc:
        mov eax, 64
        lock xadd [next_free], rax
        ret
.end:
kfree:  mov qword [rdi], 0
        ret
.end:
work:   mov edi, 48
        call kmalloc
        mov [rax], rcx
        mov [rax + 40], rcx
        mov rdi, rax
        call kfree
        loop work
        test ebx, ebx
        jnz .done
        mov rcx, [rdi + 8]
.done:  ret
section .data
next_free: dq 0x1000000
section .text
END
my @four = four_cpus("$logs/four", $turns, $work);
for my $run (1 .. ($ENV{SOAK} ? 20 : 3)) {
    ($said, $status) = heap([], @four);
    my $objects = 4 * $turns;
    is(scalar(() = $said =~ /^== /mg), 1,
        "one report, run $run");
    like($said, qr/^== use after free: read of 8 bytes, 8 into an object of 48 \(\w+\), by CPU 0 /m,
        '... the use after free on four CPUs');
    like($said, qr/^\[ pitot heap: 1 report, 1 hit; $objects objects allocated, $objects freed, /m,
        '... and nothing else, of all objects');
}

# --- Pitot's own kernel --------------------------------------------------------------------------

# Its allocators: for pages, and for the file system's blocks, which deferred work frees. SOAK=1:
# everything it does, and programs. `pages_free` panics if the order does not match the block.
my @own = ('--alloc', 'pages_alloc:4096<<1', '--free', 'pages_free', '--alloc', 'block_alloc:4096',
    '--free', 'block_free', '--allocator', 'give_pages_back');
my $load = $ENV{SOAK} ? 'fs-stress 300; /bin/fs-load 5; perf record -a -g -e *:* -- fs-stress 20; '
    . 'perf report; perf script; /bin/poll-load; wild; ' : 'fs-stress 3; ';
for my $smp (1, 4) {
    for my $change ([], $changes ? ['--quarantine', 16] : ()) {
        ($said, $status) = heap([@own, @$change, '--kernel', "$build/pitot.elf"],
            'qemu-system-x86_64', '-accel', 'tcg,thread=multi', '-smp', $smp, @machine, '-nic',
            'none', '-cdrom', "$build/pitot.iso", '-boot', 'order=d', '-smbios',
            "type=1,manufacturer=pitot,product=/boot/pitot.elf run='${load}poweroff'");
        my ($reports, $allocated, $freed) =
            $said =~ /^\[ pitot heap: (\d+) reports, .*?; (\d+) objects allocated, (\d+) freed/m;
        is($reports, 0, "Pitot's own memory, $smp CPUs @$change") or diag($said);
        cmp_ok($freed, '>', 100, '... which is freed');
        cmp_ok($allocated, '>', $freed, '... and kept');
    }
}

# The first question of docs/tutorial.md.
if ($changes) {
    ($said, $status) = heap(['--quarantine', 1, '--alloc', 'shared_alloc:16', '--free',
            'shared_free'], @small, "$build/pitot.elf", '-append', "run='wild; poweroff'");
    my @reports = split(/^(?=== )/m, reports_of($said));
    is(scalar(@reports), 1, "the tutorial's seeded bug") or diag($said);
    like($reports[0], qr/^==\ use\ after\ free:\ write\ of\ 8\ bytes,\ 8\ into\ an\ object\ of\ 16\n
        \ +request_expire\ <\ timers_run\ .*\n
        \ freed\ by\ +request_serve\ <\ wild_run\ .*\n
        \ allocated\ by\ +request_serve\ <\ wild_run\ .*$/x, '... is found where it is written');
}

done_testing();
