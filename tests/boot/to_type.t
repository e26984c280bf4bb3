#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core, kernel/console, docs/index.md
#
# Each row of the table "What to type" in docs/index.md is true: its command is typed, and the claim
# of its right column is checked in the console's output. A row without a claim fails. Run from the
# root of the tree:
#
#     prove tests/boot/to_type.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Transcript;

my $lost = qr/ lost, as the rings were full/;

my ($table) = slurp('docs/index.md') =~ /^\| at the prompt \|.*\n\|---.*\n((?:\|.*\n)+)/m;
my @rows = map { [/^\| (.*?) \| (.*?) ?\|$/] } split(/\n/, $table);
my %left = map { $_->[0] => 1 } grep { @$_ } @rows;

my $machine = start(timeout => 3 * $patience);
$machine->expect(qr/^pitot> $/m, $patience);

sub line
{
    my ($line) = @_;
    $machine->send("$line\n");
    return $machine->expect(qr/^pitot> $/m, $patience);
}

# The same for a program that prints `text` before or after the prompt: returns what is shown up to
# that, and on to a line with a known answer.
sub beside
{
    my ($line, $text) = @_;
    $machine->send("$line\n");
    my $said = $machine->expect(qr/$text.*\n/, $patience);
    $machine->send("that-is-all\n");
    return $said . $machine->expect(qr/that-is-all: no such command.*\npitot> $/m, $patience);
}

# The real perf script's output for recordings later than the time `after`.
my $after = 0;
my $lines = 0;   # lines that recorded; before the first there is no stream

sub script
{
    my $fields = join(',', qw(comm tid cpu time period event), @_);
    my @records = split(/^(?=\s*\S.*? +\d+ \[\d+\] +\d+\.\d+:)/m,
        scalar(perf_script($machine, '-F', $fields)));
    return join('', grep { / \[\d+\] +(\d+\.\d+):/ && $1 > $after } @records);
}

# Types a line that records; the next `script` reads that recording.
sub recorded
{
    my ($line) = @_;
    my @before = $lines++ ? samples(script()) : ();
    $after = $before[-1]{time} if @before;
    return line($line);
}

# Types the first command of a row, and tests that nothing of its recording is lost.
sub typed
{
    my ($row) = @_;
    my ($command) = $row =~ /^`([^`]*)`/;
    my $said = recorded($command);
    unlike($said, $lost, "$command: nothing is lost");
    return $said;
}

# The call chains of a recording, the hit first.
sub chains { return map { "@{$_->{chain}}" } samples(script(qw(ip sym symoff))) }

my @full;    # chains of the first row, which --skip shortens

# The claims, by the beginning of a row's left column.
my @claims = (
    ['perf record -e mem:kernel_flag:rw -g -- fs-stress`' => sub {
        typed($_[0]);
        @full = chains();
        my ($touchers) = [sort keys %{{map { (split)[0] => 1 } @full}}];
        is_deeply($touchers, [qw(lock_kernel unlock_kernel)], 'who touches it');
        is(scalar(grep { !/ fs_stress_run .* boot_entry_high$/ } @full), 0, '... and how');
    }],
    ['perf record -e mem:lock_kernel:x -c 100' => sub {
        my ($samples) = typed($_[0]) =~ /: (\d+) records? kept/;
        my ($calls) = line('perf stat -e mem:lock_kernel:x -- fs-stress') =~ /^ +(\d+) +mem:/m;
        is($samples, int($calls / 100), "every 100th of $calls calls");
    }],
    ['perf record -e mem:kernel_flag:rw -g --skip 2' => sub {
        typed($_[0]);
        is_deeply([map { s/^\S+ \S+ //r } @full], [chains()], 'from the second caller on');
    }],
    ['perf record -e mem:ticks:w -g --intr-regs --overwrite' => sub {
        like(typed($_[0]), qr/records? kept, [1-9]\d* overwritten/, 'the newest are kept');
        like(line('perf script -F iregs'), qr/ ABI:2 +AX:0x/, '... with registers');
    }],
    ['perf record -m 8m -e lock:*,sched:sched_switch' => sub {
        my $waits = qr/ lock:lock_contended: .*\bkernel_flag\b/;
        my $script = '';
        # A thread waits only if a tick comes while another holds the lock, as in most recordings.
        for (my $times = 0; $times < 20 && $script !~ $waits; $times++) {
            typed($_[0]);
            $script = script('trace');
        }
        like($script, $waits, 'who waits for which lock');
        like($script, qr/ sched:sched_switch: .*fs-stress\/\d/, '... and who gets the CPU');
    }],
    ['perf record -g -e cpu-clock' => sub {
        my ($samples) = typed($_[0]) =~ /: (\d+) records? kept/;
        cmp_ok($samples, '>', 1000, 'samples by time');
        like(line('perf report -g none'), qr/^ +\d+\.\d\d% +\d+  \[k\] \w+/m, 'who has the CPU');
    }],
    ['perf record -e kmem:mm_page_alloc --filter' => sub {
        typed($_[0]);
        my @orders = script('trace') =~ / order=(\d+)/g;
        cmp_ok(scalar(@orders), '>', 0, 'there are some');
        is(scalar(grep { $_ <= 2 } @orders), 0, '... and those that matter only');
    }],
    ['perf record -e mem:kernel_flag:w/period' => sub {
        typed($_[0]);
        my @hits = grep { / breakpoint:hit: / } split(/\n/, script('trace'));
        cmp_ok(scalar(@hits), '>', 100, 'it was set to zero');
        is(scalar(grep { !/ new=0x0 insn=unlock_kernel\+0x/ } @hits), 0,
            '... by an instruction that is named');
    }],
    ['perf record -e mem:/bin/fs-load:calls:w' => sub {
        typed($_[0]);
        like(line('perf report -g none'), qr/^ +\d+\.\d\d% +\d+  \[\.\] \w+/m, 'who in it');
    }],
    ['perf record -e kmem:mm_page_alloc -g -- /bin/poll-load' => sub {
        typed($_[0]);
        like(join("\n", chains()), qr/^pages_alloc .*\bsyscall_\w+ .*\bmain\b/m,
            'from the allocator to main');
    }],
    ['perf trace -S' => sub {
        my $said = typed($_[0]);
        like($said, qr/^ +\d+\.\d+ \( *\d+\.\d+ ms\): .*write\(fd: 3, .* = \d+$/m, 'its calls');
        like($said, qr/^ +write +\d+ +/m, '... and their sums');
    }],
    ['perf record --overwrite -e lock:* --trigger' => sub {
        like(typed($_[0]), qr/ended by mem:kernel_flag:w/, 'the last before it');
        is((samples(script()))[-1]{event}, 'mem:kernel_flag:w', '... and then it');
    }],
    ['perf record --overwrite -e branches --trigger' => sub {
        like(typed($_[0]), qr/instructions stepped, ended by mem:fs_unlink:x/, 'branches');
        like(line('perf script'), qr/ => +[0-9a-f]+ fs_unlink\+0x0\n.*mem:fs_unlink:x/,
            '... up to the one that leads there');
    }],
    ['perf record --overwrite -e branches -e mem:' => sub {
        my ($pid) = typed($_[0]) =~ / is stopped as (\d+)/;
        like(line('perf script'), qr/ => +[0-9a-f]+ main\+0x0\n.*fs-load:main:x: .* main\+0x0\n/,
            'a program\'s own branches, up to where it is stopped');
        like(beside("kill -CONT $pid", 'exit status 0'), qr/fs-load \(pid $pid\): exit status 0/,
            '... and goes on');
    }],
    ['perf record -e mem:kernel_flag:rw -g -- /bin/fs-load' => sub {
        typed($_[0]);
        like(join("\n", chains()), qr/^lock_kernel .*\bmain\b/m, 'the same of a program');
        like(line('run fs-load'), qr/^fs-load: \d+ system calls, all verified$/m, '... and run');
    }],
    ['perf report -g none --sort comm,cpu' => sub {
        like(line('perf report -g none --sort comm,cpu'), qr/^ +\d+\.\d\d% +\d+  fs-load +000$/m,
            'by threads and CPUs');
    }],
    ['perf report -g caller -s sym' => sub {
        like(line('perf report -g caller -s sym'), qr/^ +50\.00% +\d+  \[k\] lock_kernel$/m,
            'perf report');
        like(line('perf script'), qr/^\S+ +\d+ \[000\] /m, 'perf script');
    }],
    ['perf stat' => sub { like(typed($_[0]), qr/^ +[1-9]\d+ +lock:lock_acquire$/m, 'counts') }],
    ['run PROGRAM &' => sub {
        my ($pid) = beside('run spin &', 'spin: until') =~ /spin runs as (\d+)$/m;
        like(recorded("perf record -e cpu-clock -p $pid -- fs-stress 30"),
            qr/: [1-9]\d+ records? kept/, 'it is watched');
        my @tids = map { $_->{tid} } samples(script());
        is(scalar(grep { $_ != $pid } @tids), 0, '... and no other');
        like(beside("kill $pid", 'killed by signal'), qr/spin \(pid $pid\): killed/,
            '... until it is killed');
    }],
    ['ps`, `bt PID' => sub {
        my ($pid) = line('ps') =~ m{^ +(\d+) +\d+  sleeps .* kworker/0 }m;
        like(line("bt $pid"), qr/scheduler_sleep.*thread_main/s, 'where one sleeps');
    }],
    ['cpus' => sub { like(line('cpus'), qr/^ +0 +\d+ +\d+  /m, 'what each CPU does') }],
    ['memory' => sub { like(line('memory'), qr/\d/, 'free memory') }],
    ['bt`, `regs' => sub {
        like(line('bt'), qr/bt_run/, 'bt');
        like(line('regs'), qr/\bcr4\b/i, 'regs');
        my ($id) = `readelf -n @{[$ENV{BUILD} // "build"]}/pitot.elf` =~ /Build ID: (\w+)/;
        my ($version) = slurp('core/abi/version.h') =~ /PITOT_VERSION "(.*)"/;
        is((line('version') =~ /^(Pitot .*)/m)[0], "Pitot $version, build id $id", 'version');
        like(line('help'), qr/^  poweroff +\S.*\n(?:.*\n)*  reboot +\S/m, 'help, and the others');
    }],
    ['crash HOW' => sub { like(line('crash'), qr/^  panic +\S/m, 'crash lists how') }],
);

for my $row (sort keys %left) {
    my @fit = grep { index($row, "`$_->[0]") == 0 } @claims;
    is(scalar(@fit), 1, "one claim is made of: $row");
}
for my $claim (@claims) {
    my ($row) = grep { index($_, "`$claim->[0]") == 0 } sort keys %left;
    subtest $claim->[0] => sub { $claim->[1]->($row) } if $row;
    ok($row, "the row is there: $claim->[0]");
}
$machine->send("poweroff\n");
$machine->wait_end;
ended_ok($machine);
done_testing();
