#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: boot, tools/machine, kernel/x86_64/cpu/apic
#
# QEMU's -kernel boots build/pitot.elf without an image or GRUB: by the command that a person types,
# and by that of tools/machine with BOOT=kernel, from a BIOS and from QEMU's minimal firmware. All
# these boots lead to the same machine: the same CPUs, interrupts, programs, recording and command
# line. A loader's error is reported, and the machine stops. Run from the root of the tree:
#
#     prove tests/boot/direct.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use IO::Socket::UNIX;
use Test::More;
use Time::HiRes qw(time sleep);
use Pitot;
use Pitot::Files;
use Pitot::Stub;
use Pitot::Transcript;

plan skip_all => "-kernel is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/direct";

# --- The same machine ----------------------------------------------------------------------------

my $record = 'perf record -a -e mem:kernel_flag:rw -g -- /bin/fs-load';
my @commands = ((map { "nope $_" } 'a  b', q('it is "so"'), 'c,d', 'e\\f'), $record, 'perf report',
    'cpus', 'poweroff');
my %ways = (
    grub => [boot => 'grub', firmware => 'bios'],
    kernel => [boot => 'kernel', firmware => 'bios'],
    qboot => [boot => 'kernel', firmware => 'qboot', qemu_machine => 'q35'],
);
my %boots = map { $_ => boot(@{$ways{$_}}, icount => 8, smp => 2,
    flags => 'plain back\\slash a,b it\'s "so"', run => join('; ', @commands)) } sort(keys %ways);
for my $boot (sort(keys %boots)) {
    my $machine = $boots{$boot};
    ended_ok($machine, "$boot: the machine is switched off");
    like($machine->console, qr/^Pitot: .*, 2 of 2 CPUs$/m, '... all CPUs run');
    is_deeply([$machine->console =~ /^pitot> (.*)$/mg], \@commands,
        '... run= is typed as it stands');
    is_deeply([$machine->console =~ /^command line: "(.*)" is not known/mg],
        ['plain', 'back\\slash', 'a,b', q(it's), '"so"'], '... and so are other words');
    like(said($machine, $record), qr/^\[ perf record: \d{2,} records? kept \]$/m,
        '... a program of the archive is recorded');
    my $samples = () = perf_script($machine, '-F', 'event') =~ /^\s*mem:kernel_flag:rw:/mg;
    is("$samples records kept", (said($machine, $record) =~ /(\d+ records? kept)/)[0],
        '... and perf reads the stream');
}
is(said($boots{$_}, 'perf report'), said($boots{grub}, 'perf report'),
    "$_: the report is that of grub, call graphs included") for qw(kernel qboot);

# QEMU's minimal firmware leaves the local APIC disabled. The 8259A's interrupts, including those
# for typed keys, and the button's NMI arrive through its pins.
for my $firmware (qw(bios qboot)) {
    my $path = "$logs/monitor";
    my $pressed = start(firmware => $firmware, icount => 8, extra => ['-chardev',
        "socket,id=monitor,path=$path,server=on,wait=off", '-monitor', 'chardev:monitor']);
    $pressed->expect(qr/^pitot> $/m, $patience);
    $pressed->send("perf list\n");
    $pressed->expect(qr/cpu-clock.*^pitot> $/ms, $patience, "$firmware: the console is typed at");
    my $monitor = IO::Socket::UNIX->new(Peer => $path) or die("$path: $!");
    $monitor->printflush("nmi\n");
    is($pressed->wait_end($patience), 99, '... the button ends the machine');
    like($pressed->console, qr/^PANIC: non-maskable interrupt at /m, '... with a report');
}

# The command in docs/machines.md, without tools/machine.
make_path($logs);

sub typed
{
    my ($name, @arguments) = @_;
    my $status = system('timeout', $patience, 'qemu-system-x86_64', '-kernel', "$build/pitot.elf",
        @arguments, qw(-cpu max -display none -nic none -serial), "file:$logs/$name");
    is($status, 0, "$name: the machine is switched off");
    return slurp_if_there("$logs/$name") =~ tr/\r//dr;
}

my $said = typed('by hand', '-initrd', "$build/programs.tar",
    '-append', 'run="perf list; run /bin/poll-load; poweroff"');
is_deeply([$said =~ /^pitot> (.*)$/mg], ['perf list', 'run /bin/poll-load', 'poweroff'],
    '... having run its commands');
$said = typed('without programs', '-append', 'run=poweroff');
like($said, qr/^Pitot: no programs: the boot loader gave no module$/m, '... which it has said');

# --- Loader errors -------------------------------------------------------------------------------

# A machine stopped at its entry, where rbx has the address of QEMU's boot information.
sub entered
{
    my $machine = Pitot::Machine->new(boot => 'kernel', smp => 1, gdb => "$logs/gdb",
        run => 'poweroff', @_);
    my $stub = Pitot::Stub->new("$logs/gdb");
    $stub->attach;
    $stub->run_to(hex(address_of("$build/pitot.elf", 'pvh_entry')));
    return ($machine, $stub, $stub->register('rbx'));
}

# CR4: each bit that this CPU has, except PSE and PAE. CR0: each bit that is harmless without
# paging. EFER: `syscall`. QEMU's stub numbers these registers, once it was asked for its list.
my ($cr0, $cr4, $efer) = (27, 30, 32);
my %left = ($cr0 => 0x4003b, $cr4 => 0x371b8f, $efer => 0x801);
my ($inherits, $hand) = entered(kernel => 'pitot-test', smp => 2, icount => 8,
    run => 'ktap-smp; poweroff');
$hand->ask('qXfer:features:read:target.xml:0,ffb');
$hand->ask_ok(sprintf('P%x=%s', $_, unpack('H*', pack('Q<', $left{$_})))) for sort(keys %left);
is(unpack('V', pack('H8', $hand->ask(sprintf('p%x', $cr4)))), $left{$cr4}, 'bits are left in CR4');
$hand->put('c');
$inherits->wait_end;
ktap_ok($inherits);

my ($machine, $stub, $information) = entered();
is(unpack('V', $stub->memory($information, 4)), 0x336ec578, 'QEMU tells what the kernel expects');
$stub->set_memory($information + 4, pack('V', 0));
$stub->put('c');
is($machine->wait_end, 99, 'no memory map: the machine stops');
like($machine->console, qr/^PANIC: the boot loader passed no memory map /m, '... and says why');

($machine, $stub, $information) = entered();
$stub->set_memory($information, pack('V', 0));
$stub->put('c');
my $deadline = time + $patience;
# COM1 gets each byte after port 0xe9.
sleep(0.05) until $machine->console =~ /stopped\n/ || time > $deadline;
$machine->stop;    # only then are the files of both ports complete
like($machine->debugcon, qr/^Pitot: the boot loader is neither .* nor .*; stopped$/m,
    'information that begins with another word: refused');
is($machine->console, $machine->debugcon, '... on COM1, too');

# --- Refusals of tools/machine -------------------------------------------------------------------

my %refused = (
    'another machine' => [{machine => 'bochs', boot => 'kernel'}, qr/BOOT=kernel is QEMU's/],
    'other firmware' => [{firmware => 'uefi', boot => 'kernel'},
        qr/BOOT=kernel: FIRMWARE=uefi cannot/],
    'firmware that reads no image' => [{firmware => 'qboot', boot => 'grub'},
        qr/FIRMWARE=qboot boots no image: BOOT=kernel$/],
    'a PCI device without a BIOS' => [{firmware => 'qboot', virtio => "$logs/virtio"},
        qr/FIRMWARE=qboot gives a PCI device no addresses: VIRTIO=none$/],
    'unknown firmware' => [{firmware => 'coreboot', boot => 'kernel'},
        qr/FIRMWARE=coreboot: bios, uefi or qboot$/],
    'another loader' => [{boot => 'lilo'}, qr/BOOT=lilo: grub or kernel$/],
    'a line that is too long' => [{boot => 'kernel', run => 'x' x 4096},
        qr/the command line is longer than 4095 bytes/],
    'too little memory for GRUB' => [{firmware => 'uefi', mem => '64M'},
        qr/MEM=64M: FIRMWARE=uefi needs 96M, GRUB takes 32M of it$/],
    'a clock that cannot jump' => [{sleep => 'off', icount => ''}, qr/SLEEP=off: .* ICOUNT=8$/],
    'another way to sleep' => [{sleep => 'well'}, qr/SLEEP=well: on or off$/],
);
for my $name (sort(keys %refused)) {
    my ($options, $words) = @{$refused{$name}};
    my $machine = boot(%$options);
    is($machine->status, 2, "refused: $name");
    like($machine->tail, qr/tools\/machine: $words/m, '... with the reason');
}
$machine = boot(boot => 'kernel', run => 'help ' . 'x' x 4000 . '; poweroff');
ended_ok($machine, 'a line of 4000 characters is not too long');

done_testing();
