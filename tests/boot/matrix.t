#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: boot, tools/machine, tools/mkiso, drivers
#
# One image boots on every machine of docs/machines.md, finds its memory and CPUs, and records the
# same hits in the same places: the report is the same text everywhere. The combinations cover each
# pair of firmware, chipset and CPU, the least and the most memory with each firmware, several
# numbers of CPUs, and boots without GRUB; they use the host's clock, as in real use. Run from the
# root of the tree:
#
#     prove tests/boot/matrix.t
use strict;
use warnings;
use lib 'tests/lib';
use List::Util qw(min);
use Test::More;
use Pitot;
use Pitot::Transcript;

my @machines = (
    [qw(machine qemu firmware bios qemu_machine pc cpu max mem 64M smp 1 boot grub)],
    [qw(machine qemu firmware bios qemu_machine pc cpu default mem 4G smp 2 boot grub)],
    [qw(machine qemu firmware bios qemu_machine q35 cpu max mem 64M smp 8 boot grub)],
    [qw(machine qemu firmware bios qemu_machine q35 cpu default mem 4G smp 1 boot grub)],
    [qw(machine qemu firmware uefi qemu_machine pc cpu default mem 96M smp 2 boot grub)],
    [qw(machine qemu firmware uefi qemu_machine q35 cpu max mem 4G smp 8 boot grub)],
    [qw(machine qemu firmware bios qemu_machine pc cpu default mem 64M smp 2 boot kernel)],
    [qw(machine qemu firmware bios qemu_machine q35 cpu max mem 4G smp 4 boot kernel)],
    [qw(machine bochs firmware bios cpu max mem 2G smp 2)],
    [qw(machine bochs firmware bios cpu default mem 64M smp 1)],
);
my $record = 'perf record -a -e mem:kernel_flag:rw -g -- fs-stress 1';
my $report = 'perf report -g caller';
my $taken = 16;               # MiB used at most by firmware, kernel and page tables
my $protections = 3 << 20;    # CR4: SMEP and SMAP, Intel SDM vol. 3, "Control Registers"

sub mebibytes
{
    my ($memory) = @_;
    my ($number, $unit) = $memory =~ /^(\d+)([MG])$/;
    return $unit eq 'G' ? $number * 1024 : $number;
}

# Memory that survives a reset is not allocated (docs/crash.md).
sub kept
{
    my ($memory) = @_;
    return min(64, int($memory / 32));
}

my @reports;
for my $options (@machines) {
    my %machine = @$options;
    subtest join(' ', @$options) => sub {
        my $machine = boot(@$options, icount => '', run => "regs; $record; $report; poweroff");
        ended_ok($machine) or return;

        my $memory = mebibytes($machine{mem});
        my ($free) = $machine->console =~ /Pitot: (\d+) MiB free, /;
        cmp_ok($free // 0, '<', $memory, 'not more memory than there is');
        cmp_ok($free // 0, '>=', $memory - $taken - kept($memory), '... and not much less');
        like($machine->console, qr/Pitot: .*, $machine{smp} of $machine{smp} CPUs$/m,
            'all CPUs run');
        unlike($machine->console, qr/one CPU only/, '... which ACPI names');

        my ($cr4) = said($machine, 'regs') =~ /  cr4 +([0-9a-f]{16})$/m;
        is(hex($cr4 // 0) & $protections, $machine{cpu} eq 'max' ? $protections : 0,
            'SMEP and SMAP are on where the CPU has them');

        my ($samples) = said($machine, $record) =~ /^\[ perf record: (\d+) records? kept \]$/m;
        like(said($machine, $record), qr/^fs-stress: \d+ operations, all verified$/m,
            'the workload holds');
        cmp_ok($samples // 0, '>', 100, '... and is recorded');
        push(@reports, said($machine, $report));
        like($reports[-1], qr/\block_kernel\b.*\bunlock_kernel\b.*\bboot_entry_high\b/s,
            'the report has a call graph');
        is($reports[-1], $reports[0], '... which is the same as on the first machine');
    };
}

done_testing();
