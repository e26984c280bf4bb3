# SPDX-License-Identifier: BSD-2-Clause
#
# One machine that a test has started with tools/machine: its console, its end, its files.
#
# Options are tools/machine's variables in small letters (kernel, run, perf_boot, flags, com1, com2,
# com3, qemu_machine, gdb, ...), and: `timeout`, a hang detector in seconds; `extra`, a list of
# arguments for QEMU; `interactive`, for send and expect. The kind of machine (MACHINE, FIRMWARE,
# CPU, MEM, ACCEL) comes from the environment, unless the test sets it. Other variables are ignored.
#
# By default it has one CPU, QEMU boots the kernel itself, with its smallest firmware, and the clock
# counts the guest's executed instructions, eight nanoseconds each (docs/testing.md, "The clock of a
# test"): `smp`, `boot => 'grub'`, `firmware => 'bios'` and `icount => ''` are for claims about
# several CPUs, a loader, a BIOS or its PCI devices, and the host's clock.
#
# The files are build/logs/<test>/<n>.console, .com2, .debugcon and .machine (the emulator's
# messages), n counting the machines of one test. They are kept.
package Pitot::Machine;

use strict;
use warnings;

use Carp qw(croak);
use Fcntl qw(F_SETFD);
use File::Basename qw(basename dirname);
use File::Path qw(make_path remove_tree);
use IO::Handle;
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use Scalar::Util qw(weaken);
use Test::More ();
use Time::HiRes qw(time);

use Pitot::Files;
use Pitot::Patience;

my $build = $ENV{BUILD} // 'build';
my @variables = qw(MACHINE FIRMWARE QEMU_MACHINE CPU MEM SMP ACCEL ICOUNT ISO KERNEL FLAGS RUN
    SLEEP BOOT PERF_BOOT CONSOLE COM1 COM2 COM3 VIRTIO DEBUGCON GDB REBOOT TIMEOUT);
my %inherited = map { $_ => 1 } qw(MACHINE FIRMWARE CPU MEM ACCEL);
my $heeded = 60;      # seconds that a machine may take to obey a request to end
my $grace = 90;       # for tools/machine to end a machine stopped by its own hang detector
my $tail_lines = 25;

my $count = 0;
my %running;          # pid => machine
my $owner = $$;

# A machine has its own process group, so that ^C reaches the test, which then stops the machine.
$SIG{$_} = sub { exit 1 } for qw(INT TERM HUP);

END {
    my $status = $?;
    if ($$ == $owner) {
        $_->stop for grep { defined } values %running;
    }
    $? = $status;
}

# Starts the machine. With `interactive`, the machine waits until the test is connected.
sub new
{
    my ($class, %options) = @_;
    my $self = bless({
        base => log_base(),
        limit => $options{timeout} // $patience,
        kernel => $options{kernel} // 'pitot',
        text => '',     # of an interactive console, without \r
        seen => 0,      # how far expect has matched
    }, $class);

    $self->launch(delete $options{extra}, $self->environment(%options));
    $self->connect if $options{interactive};
    return $self;
}

sub log_base
{
    my $directory = "$build/logs/" . basename($0, '.t');
    remove_tree($directory) if $count == 0;
    make_path($directory);
    return "$directory/" . ++$count;
}

# The variables of tools/machine for these options.
sub environment
{
    my ($self, %options) = @_;
    my $base = $self->{base};
    my %variables = (
        smp => 1,
        iso => "$build/test/pitot.iso",
        defaults(%options),
        timeout => $self->{limit},
        console => delete $options{interactive} ? "unix:$base.socket" : "$base.console",
        com2 => "$base.com2",
        debugcon => "$base.debugcon",
        %options,
    );
    my %known = map { lc($_) => 1 } @variables;
    my @unknown = grep { !$known{$_} } sort(keys %variables);
    croak("no such option: @unknown") if @unknown;
    return map { uc($_) => $variables{$_} } keys %variables;
}

# Defaults for boot and clock. Bochs and UEFI boot in their own way; a machine that a debugger stops
# and steps uses the host's clock. While a guest is idle, an instruction clock jumps to the next
# timer, or waits if the test may type. PCI devices and resets need a BIOS.
sub defaults
{
    my (%options) = @_;
    my %asked = map { $_ => $options{lc($_)} // $ENV{$_} // '' } qw(MACHINE FIRMWARE ACCEL);
    return () if ($asked{MACHINE} || 'qemu') ne 'qemu';
    return () if $asked{FIRMWARE} eq 'uefi';
    my $clocked = ($asked{ACCEL} || 'tcg') eq 'tcg' && !$options{gdb} && !$options{com3};
    my $icount = $options{icount} // ($clocked ? 8 : '');
    my $boot = $options{boot} // 'kernel';
    my $least = $boot eq 'kernel' && !$options{virtio} && !$options{reboot};
    return (boot => $boot, firmware => $least ? 'qboot' : 'bios', icount => $icount,
        sleep => $icount && !$options{interactive} ? 'off' : 'on');
}

# All processes of the machine hold a pipe open, so the machine's end is the end of that pipe.
sub launch
{
    my ($self, $extra, %variables) = @_;
    pipe(my $alive, my $held) or croak("pipe: $!");
    my $pid = fork() // croak("fork: $!");
    if ($pid == 0) {
        POSIX::setpgid(0, 0);
        delete @ENV{grep { !$inherited{$_} } @variables};
        @ENV{keys %variables} = values %variables;
        open(STDIN, '<', '/dev/null');
        open(STDOUT, '>', "$self->{base}.machine");
        open(STDERR, '>&', \*STDOUT);
        fcntl($held, F_SETFD, 0);
        exec('tools/machine', @{$extra // []}) or POSIX::_exit(127);
    }
    @$self{qw(pid alive)} = ($pid, $alive);
    weaken($running{$pid} = $self);
}

# --- The console, in an interactive run --------------------------------------------------------

# QEMU creates the socket once it is ready, without a message, so this polls.
sub connect
{
    my ($self) = @_;
    my $deadline = time + $patience;
    until ($self->{socket} = IO::Socket::UNIX->new(Peer => "$self->{base}.socket")) {
        if (IO::Select->new($self->{alive})->can_read(0.02) || time > $deadline) {
            $self->stop;
            croak("no machine to talk to:\n" . slurp_if_there("$self->{base}.machine"));
        }
    }
    $self->{socket}->blocking(0);
    open($self->{log}, '>>:raw', "$self->{base}.console") or croak("$self->{base}.console: $!");
    $self->{log}->autoflush(1);
}

# Lends the console's socket, by its path, to the next client; `connect` takes it back.
sub lend
{
    my ($self) = @_;
    close(delete $self->{socket});
    return "$self->{base}.socket";
}

# Reads the console's output. Returns false at its end.
sub receive
{
    my ($self) = @_;
    my $bytes;
    my $length = sysread($self->{socket}, $bytes, 65536);
    return $!{EAGAIN} || $!{EINTR} if !defined $length;
    return 0 if $length == 0;
    print {$self->{log}} $bytes;
    $self->{text} .= $bytes =~ tr/\r//dr;
    return 1;
}

# Types `text`, and reads the console meanwhile: a guest whose echo is not read stops listening.
sub send
{
    my ($self, $text, $seconds) = @_;
    my $deadline = time + ($seconds // $patience);
    my $select = IO::Select->new($self->{socket});
    while (length($text)) {
        my ($readable, $writable) = IO::Select->select($select, $select, undef, $deadline - time);
        $self->give_up('the console takes no more input') if !$readable;
        $self->give_up('the console has closed') if @$readable && !$self->receive;
        next if !@$writable;
        my $length = syswrite($self->{socket}, $text);
        substr($text, 0, $length) = '' if $length;
    }
}

# Waits until the console's output after the last match matches. Returns the text up to the end of
# the match. Without a match in time the test fails and ends. If a name is given, a match counts as
# a test.
sub expect
{
    my ($self, $pattern, $seconds, $name) = @_;
    my $deadline = time + ($seconds // $patience);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $open = 1;
    my $end;
    until (defined($end = $self->match($pattern))) {
        my $left = $deadline - time;
        $self->give_up('the console has closed before ' . ($name // $pattern)) if !$open;
        $self->give_up('the console did not show ' . ($name // $pattern)) if $left <= 0;
        $open = $self->receive if IO::Select->new($self->{socket})->can_read($left);
    }
    my $matched = substr($self->{text}, $self->{seen}, $end);
    $self->{seen} += $end;
    Test::More->builder->ok(1, $name) if defined $name;
    return $matched;
}

# Types `run PROGRAM &`, and waits until the program has printed `says`, and the console has printed
# its number and the next prompt. The program may print before the console, between its lines, or
# after the prompt. Returns the number.
sub run_beside
{
    my ($self, $program, $says, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($word) = $program =~ m{([^/ ]+)(?: |$)};
    my $number = qr/^$word runs as (\d+)\n/m;
    $self->send("run $program &\n");
    my $said = $self->expect(qr/(?=(?s:.*?)$says)(?s:.*?)$number(?s:.*?)^pitot> /m, $patience,
        $name // "run $program &");
    return ($said =~ $number)[0];
}

# The end of the first match in the unread text, counted from its beginning.
sub match
{
    my ($self, $pattern) = @_;
    return substr($self->{text}, $self->{seen}) =~ $pattern ? $+[0] : undef;
}

sub give_up
{
    my ($self, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 2;
    my $builder = Test::More->builder;
    $builder->ok(0, $what);
    $builder->diag($self->tail);
    $self->stop;
    die("$what\n");
}

# --- The end ------------------------------------------------------------------------------------

# Waits for the machine's end and returns its status.
sub wait_end
{
    my ($self, $seconds) = @_;
    my $deadline = time + ($seconds // $self->{limit} + $grace);
    my $select = IO::Select->new($self->{alive}, $self->{socket} // ());
    until (defined $self->{status}) {
        my @ready = $select->can_read($deadline - time);
        $self->stop if !@ready;
        for my $handle (@ready) {
            if ($handle == $self->{alive}) {
                $self->bury;
            } elsif (!$self->receive) {
                $select->remove($handle);
            }
        }
    }
    return $self->{status};
}

# Returns the status of a process that has closed everything.
sub bury
{
    my ($self) = @_;
    waitpid($self->{pid}, 0);
    $self->{status} = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    delete $running{$self->{pid}};
    unlink("$self->{base}.socket");
    need_room(dirname($self->{base}));
}

# Ends the machine; if it ignores SIGTERM, as a hung one may, kills it.
sub stop
{
    my ($self) = @_;
    return if defined $self->{status};
    for my $signal (qw(TERM KILL)) {
        kill($signal, -$self->{pid});
        last if IO::Select->new($self->{alive})->can_read($heeded);
    }
    $self->bury;
}

sub DESTROY
{
    my ($self) = @_;
    local ($?, $!, $@);
    $self->stop if $$ == $owner && $self->{pid};
}

# --- Results ------------------------------------------------------------------------------------

sub status { return $_[0]{status} }    # tools/machine's; undef while it runs
sub com2 { return "$_[0]{base}.com2" }
sub console_path { return "$_[0]{base}.console" }    # unchanged, with \r
sub elf { return "$build/$_[0]{kernel}.elf" }

# The console's output, without \r.
sub console
{
    my ($self) = @_;
    return $self->{socket} ? $self->{text} : slurp_if_there($self->console_path) =~ tr/\r//dr;
}

# The bytes written to port 0xe9, without \r.
sub debugcon
{
    my ($self) = @_;
    return slurp_if_there("$self->{base}.debugcon") =~ tr/\r//dr;
}

# The end of the output, for investigating a failure.
sub tail
{
    my ($self) = @_;
    my @lines = split(/\n/, $self->console);
    splice(@lines, 0, -$tail_lines) if @lines > $tail_lines;
    return join("\n", 'the end of ' . $self->console_path . ':', (map { "    $_" } @lines),
        'the machine: ' . (slurp_if_there("$self->{base}.machine") || 'said nothing'));
}

1;
