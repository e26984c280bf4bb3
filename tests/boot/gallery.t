#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: docs/gallery.md, core/report, core/script
#
# The pictures that Pitot was made for: each is requested as a user would, compared with what it
# must show, and drawn; docs/gallery.md is this test's own output (`make gallery`). Numbers and
# addresses vary from run to run; the commands and their order must match the page. Run from the
# root of the tree:
#
#     prove tests/boot/gallery.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';
my $page = "$build/gallery.md";
my $kept = 'docs/gallery.md';
my $most_lines = 44;    # of a tree, on the page
my $outermost = qr/\b(?:boot_entry_high|thread_start|ap_entry_high)$/;

# --- The page -------------------------------------------------------------------------------------

my @drawn = (<<'END');
# Gallery

**What**: the questions that the first mails about perf events asked of Linux, asked of Pitot;
beside each what its mail showed then. **For**: those who want to see what comes out. **Where**:
`make gallery` writes this page, out of one run of `tests/boot/gallery.t`, which also says of each
picture what must be in it.
END

sub indented
{
    my ($text) = @_;
    return join('', map { s/\s+$//r =~ s/^(?=.)/    /r . "\n" } split(/\n/, $text));
}

# The part of a tree that shows its subject.
sub cut
{
    my ($text) = @_;
    my @lines = split(/\n/, $text);
    return $text if @lines <= $most_lines;
    return join("\n", @lines[0 .. $most_lines - 1], '...') . "\n";
}

sub draw
{
    my (%picture) = @_;
    push(@drawn, "\n## $picture{title}\n\n$picture{question}\n\n"
            . "The original, $picture{seed_of}:\n\n" . indented($picture{seed})
            . "\nPitot's:\n\n" . indented($picture{here})
            . "\n$picture{see}");
}

# The commands and their answers, as on the console.
sub dialogue
{
    my ($machine, @commands) = @_;
    return join('', map { "pitot> $_\n" . cut(said($machine, $_)) } @commands);
}

# --- Locks under the timer's interrupt ------------------------------------------------------------

{
    # The mail's command, for that lock alone, and with an end.
    my $record = q{perf record -e lock: -R -a -f -g --filter 'name == "timers"' -- fs-stress 200};
    my $report = 'perf report -g callee,4 -s sym';
    my $machine = boot(flags => 'perf.rate=0', run => "$record; $report; perf script; poweroff");
    ended_ok($machine, 'lock events under the timer\'s interrupt');
    my @chains = map { $_->{chain} } samples(said($machine, 'perf script'));
    cmp_ok(scalar(@chains), '>', 10, '... are there');
    my @under = grep { grep { $_ eq 'trap_entry' } @$_ } @chains;
    is(scalar(@under), @chains, '... all of them in an interrupt');
    is_deeply([grep { $_->[0] ne 'timers_run' } @under], [],
        '... begin with the function that has the tracepoint, and none of the tracer\'s own');
    is_deeply([grep { "@$_" !~ $outermost } @under], [], '... run on to the outermost caller');
    is_deeply([grep { "@$_" =~ /\b(?:tracepoint_hit|arch_gate|pitot_make_)/ } @under],
        [], '... of which none came upon the tracer');
    my %interrupted;
    $interrupted{"@$_" =~ /\btrap_entry (\w+)/ ? $1 : ''}++ for @under;
    cmp_ok(scalar(keys %interrupted), '>', 2, '... through whatever was interrupted')
        or diag(explain(\%interrupted));
    same_lines_ok(report_lines(said($machine, $report)),
        report_lines(scalar perf_report($machine, '--no-children', '-F', 'overhead,sample,sym',
                '-g', 'callee,4')),
        '... and perf draws the same');
    draw(
        title => 'Locks under the timer\'s interrupt',
        question => 'Which code takes this lock, and what was running when an interrupt took it?',
        seed_of => 'the "After" of the mail that made a tracepoint\'s registers *hot* (2010)',
        seed => <<'END',
perf record -e lock: -R -a -f -g

perf [kernel] [k] perf_tp_event
|
--- perf_tp_event
|
|--41.07%-- ftrace_profile_lock_acquire
| lock_acquire
| |
| |--39.36%-- _raw_spin_lock
| | |
| | |--7.81%-- hrtimer_interrupt
| | | smp_apic_timer_interrupt
| | | apic_timer_interrupt
END
        here => dialogue($machine, $record, $report),
        see => <<'END',
The chain begins at the tracepoint, not in the tracer, leads through the interrupt's entry, and
continues in what was interrupted. [Tracepoints](tracepoints.md), [unwinding](unwinding.md).
END
    );
}

# --- The big kernel lock under load ---------------------------------------------------------------

{
    my $flag = address_of("$build/pitot.elf", 'kernel_flag');
    # The mail's command, and -m: by default the ring keeps what the stream's thread left in it,
    # which may be the load's end alone, where no thread waits.
    my $record = "perf record -f -g -m 8M -e 5:$flag -- dbench -t 20 20";
    my $report = 'perf report -g -s s';
    # Twenty seconds of a machine on which an instruction takes 256 ns.
    my $machine = boot(run => "$record; $report; poweroff", extra => ['-icount', 'shift=8']);
    ended_ok($machine, 'the big kernel lock under a file-system load');
    my %samples = reverse said($machine, $report) =~ /^ +\d+\.\d\d% +(\d+) +\[k\] (\S+)/mg;
    is(join(' ', sort keys %samples), 'kernel_lock_wait lock_kernel unlock_kernel',
        '... is touched by three functions');
    # A thread that waits touches the lock a second time, in place of a release: it is handed the
    # lock.
    my $second = $samples{kernel_lock_wait} + $samples{unlock_kernel};
    # The ring's oldest and newest samples may be half of a pair, one for each of 20 threads.
    cmp_ok(abs($samples{lock_kernel} - $second), '<=', 20, '... twice for each time it is taken');
    my ($taken, $waits) = said($machine, $record) =~ /^dbench: (\d+) operations.* (\d+) waits/m;
    is($samples{kernel_lock_wait}, $waits, '... a sleeper looks once more for each wait counted');
    cmp_ok($samples{lock_kernel}, '>=', $taken, '... and each operation takes it');
    my ($kept) = said($machine, $report) =~ /^# Event count \(approx\.\): (\d+)$/m;
    is($samples{lock_kernel} + $second, $kept, '... and nowhere else');
    draw(
        title => 'The big kernel lock under load',
        question => 'Which code takes the big kernel lock, and who called it?',
        seed_of => 'from the mail on hardware breakpoints as perf events (2009)',
        seed => <<'END',
bkl=0x$(cat ../../System.map | grep kernel_flag | cut -d" " -f 1)
./perf record -f -g -e 5:$bkl -- dbench -t 20 20
./perf report -g -s s

83.33% [k] lock_kernel
|
|--51.72%-- __pwrite64
|
|--27.59%-- 0x7f9d83a17b15
|
|--13.79%-- __open
|
--10.34%-- unlink

16.67% [k] unlock_kernel
END
        here => dialogue($machine, $record, $report),
        see => <<'END',
`mem:kernel_flag:rw` names the same event. Taking the lock is one exchange. A thread that finds it
taken checks once more and sleeps, and the lock is handed over without a release; otherwise a store
releases it. So `lock_kernel` has half of the hits. [Breakpoints](breakpoints.md),
[workloads](kernel.md).
END
    );
}

# --- Workqueue executions, raw --------------------------------------------------------------------

{
    # The mail's command, with an end.
    my $record = 'perf record -f -F 1 -a -e workqueue:workqueue_execution -- fs-stress 900';
    my $machine = boot(run => "$record; perf report -D; perf script; poweroff");
    ended_ok($machine, 'workqueue_execution, raw');
    my $ours = said($machine, 'perf script');
    cmp_ok(scalar(samples($ours)), '>', 2, '... is sampled');
    my $dump = perf_run('report', $machine, '-D');
    my $of_sample = qr/^0x\w+\@pipe \[0x\w+\]: event: 9\n(?:\..*\n)+\n.*\n.*thread: kworker.*\n/m;
    my ($sample) = reverse $dump =~ /($of_sample)/g;    # the last one has a period above 1
    ok($sample, '... perf report -D shows the bytes') or diag(substr($dump, 0, 2000));
    my $bytes = join('', map { s/ //gr } ($sample // '') =~ /^\.  \w{4}:  ((?:\w\w ){1,16})/mg);
    my ($raw) = (pack('H*', $bytes) =~ /\A.{64}(.*)\z/s);
    my ($size, $type, $flags, $preempt, $pid, $tgid, $comm, $comm_pid, $func)
        = unpack('L S C C l l Z16 l Q', $raw // '');
    is($size % 8, 4, '... the record\'s size stands first, and both are a multiple of 8');
    is($size, length($raw) - 4, '... the record has that length');
    is("$pid $tgid $comm_pid", join(' ', ($pid) x 3),
        '... pid, thread group and field are the worker\'s');
    is($comm, 'kworker/0', '... whose name is a field');
    my $address = sprintf('%016x', $func);
    my ($name) = map { /^$address . (\S+)$/ ? $1 : () } `nm $build/pitot.elf`;
    is($name, 'give_pages_back', '... the function is the work\'s');
    my $theirs = perf_script($machine, '-F', 'comm,tid,cpu,time,period,event,trace,ip,sym,symoff');
    same_lines_ok(script_lines($ours), script_lines($theirs),
        '... and perf decodes the fields as the kernel does');
    my $fields = perf_script($machine, '-F', 'comm,event,trace');
    draw(
        title => 'A work queue\'s executions, raw',
        question => 'Which work items ran, and on which worker? As bytes, and decoded.',
        seed_of => 'from the commit that put raw records into samples (2009)',
        seed => <<'END',
perf record -f -F 1 -a -e workqueue:workqueue_execution
perf report -D

 0x21e18 [0x48]: event: 9
 . ... raw event: size 72 bytes
 .  0020:  2b 00 01 02 0a 00 00 00 0a 00 00 00 65 76 65 6e  +...........even
 .  0030:  74 73 2f 31 00 00 00 00 00 00 00 00 0a 00 00 00  ts/1...........
 .  0040:  e0 b1 31 81 ff ff ff ff                          .......
0x21e18 [0x48]: PERF_EVENT_SAMPLE (IP, 1): 10: 0xffffffff8100c7d0 period: 33

 thread_comm = "events/1"
 thread_pid  = 0xa = 10;
 func        = 0xffffffff8131b1e0 = flush_to_ldisc()
END
        here => dialogue($machine, $record, 'perf report -D')
            . "\n\$ perf report -D -i - --vmlinux=build/pitot.elf < build/com2.bin\n$sample"
            . "\n\$ perf script -F comm,event,trace -i - --vmlinux=build/pitot.elf"
            . " < build/com2.bin\n"
            . join('', map { "$_\n" } (split(/\n/, $fields))[0 .. 2]),
        see => <<'END',
The raw record begins at offset 0040 with its size; type, flags, preemption count, pid and thread
group follow, then the fields. An event with `raw=no` does not have it.
[Tracepoints](tracepoints.md).
END
    );
}

# --- Pages below poll -----------------------------------------------------------------------------

{
    my $record = 'perf record -e kmem:mm_page_alloc -g -R -- /bin/poll-load';
    my $machine = boot(run => "$record; perf script; poweroff");
    ended_ok($machine, 'pages below poll');
    my $ours = said($machine, 'perf script');
    my @polls = grep { "@{$_->{chain}}" =~ /\bsys_poll\b/ } samples($ours);
    is(scalar(@polls), 100, '... of each of its calls');
    is_deeply([grep { "@{$_->{chain}}" ne 'pages_alloc sys_poll syscall_dispatch user_syscall '
                . 'syscall_entry poll_once main _start' } @polls],
        [], '... through the system call to the program\'s main, without frame pointers');
    my $theirs = perf_script($machine, '-F', 'comm,tid,cpu,time,period,event,trace,ip,sym,symoff');
    same_lines_ok(script_lines($ours), script_lines($theirs), '... and perf names the same');
    my $script = perf_script($machine);
    my ($sample) = grep { /sys_poll/ } split(/\n\n/, $script =~ s/\t/        /gr);
    draw(
        title => 'Pages below poll',
        question => 'Which program code led to this page, in a kernel without frame pointers?',
        seed_of => 'before and after the mail on chains without frame pointers (2019)',
        seed => <<'END',
perf 6429 [000] 22.498450: kmem:mm_page_alloc: page=0x176a17 pfn=1534487 order=0 ...
ffffffffbe23e32e __alloc_pages_nodemask+0x22e (/lib/modules/5.1.0-rc3+/build/vmlinux)
        7efdf7f7d3e8 __poll+0x18 (/usr/lib64/libc-2.28.so)
        5651468729c1 [unknown] (/usr/bin/perf)
        5651467ee82a main+0x69a (/usr/bin/perf)

perf 6503 [000] 1567.570191: kmem:mm_page_alloc: page=0x16c904 pfn=1493252 order=0 ...
ffffffffb523e2ae __alloc_pages_nodemask+0x22e (/lib/modules/5.1.0-rc3+/build/vmlinux)
ffffffffb52383bd __get_free_pages+0xd (/lib/modules/5.1.0-rc3+/build/vmlinux)
ffffffffb52fd28a __pollwait+0x8a (/lib/modules/5.1.0-rc3+/build/vmlinux)
ffffffffb521426f perf_poll+0x2f (/lib/modules/5.1.0-rc3+/build/vmlinux)
ffffffffb52fe3e2 do_sys_poll+0x252 (/lib/modules/5.1.0-rc3+/build/vmlinux)
ffffffffb52ff027 __x64_sys_poll+0x37 (/lib/modules/5.1.0-rc3+/build/vmlinux)
ffffffffb500418b do_syscall_64+0x5b (/lib/modules/5.1.0-rc3+/build/vmlinux)
ffffffffb5a0008c entry_SYSCALL_64_after_hwframe+0x44 (/lib/modules/5.1.0-rc3+/build/vmlinux)
        7f71e92d03e8 __poll+0x18 (/usr/lib64/libc-2.28.so)
        55a22960d9c1 [unknown] (/usr/bin/perf)
        55a22958982a main+0x69a (/usr/bin/perf)
END
        here => dialogue($machine, $record)
            . "\n\$ perf script -i - --symfs=build/symfs < build/com2.bin\n$sample\n",
        see => <<'END',
The kernel's part is made by the table, the program's by its frame pointers, and neither loses a
caller. [Programs](programs.md), [unwinding](unwinding.md).
END
    );
}

# --- A program's variable -------------------------------------------------------------------------

{
    my $record = 'perf record -e mem:/bin/fs-load:calls:w:u -g -- /bin/fs-load 20';
    my $report = 'perf report -g caller -s sym';
    my $machine = boot(run => "$record; $report; poweroff");
    ended_ok($machine, 'a program\'s variable under load');
    my ($calls) = said($machine, $record) =~ /fs-load: (\d+) system calls/;
    my ($hits) = said($machine, $report) =~ /^ +100\.00% +(\d+) +\[\.\] counted$/m;
    is($hits, $calls, '... has all its writes seen, in the one function that makes them');
    same_lines_ok(report_lines(said($machine, $report)),
        report_lines(scalar perf_report($machine, '--no-children', '-F', 'overhead,sample,sym',
                '-g', 'caller')),
        '... and perf draws the same');
    draw(
        title => 'A program\'s variable under load',
        question => 'Which code of this program writes this variable?',
        seed_of => 'as the mail on hardware breakpoints as perf events planned it (2009)',
        seed => <<'END',
What is planned next:

- profile by symbol names
- profile with user breakpoints
END
        here => dialogue($machine, $record, $report),
        see => <<'END',
The debug registers are enabled only while the program runs. [Programs](programs.md),
[breakpoints](breakpoints.md).
END
    );
}

# --- The generated page ---------------------------------------------------------------------------

open(my $file, '>', $page) or die("$page: $!");
print {$file} @drawn;
close($file) or die("$page: $!");

# Headings, sentences and commands, and of each picture the part that does not vary between runs:
# the functions of a tree down to where it branches, and those of a chain. No numbers.
sub skeleton
{
    my ($text) = @_;
    my ($trunk, @kept);
    for my $line (split(/\n/, $text =~ s/0xf{8}\w+/ADDRESS/gr)) {
        if ($line =~ /^\S/ || $line =~ /^    (?:pitot>|\$) /) {
            push(@kept, $line);
        } elsif ($line =~ /^ +-{2,3}(\w+)$/ || ($trunk && $line =~ /^ +(\w+)$/)) {
            push(@kept, "in a tree: $1");
            $trunk = 1;
            next;
        } elsif ($line =~ /^ +[0-9a-f]{8,16} (\w+)(?:\+0x\w+)? \(/) {
            push(@kept, "in a chain: $1");
        }
        $trunk = 0;
    }
    return \@kept;
}

open($file, '<', $kept) or die("$kept: $!");
my $drawn = skeleton(join('', @drawn));
cmp_ok(scalar(grep { /^in a (?:tree|chain): / } @$drawn), '>', 20, 'the pictures have functions');
is_deeply(skeleton(join('', <$file>)), $drawn,
    "$kept has these pictures; `make gallery` draws it anew");

done_testing();
