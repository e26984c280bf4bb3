# SPDX-License-Identifier: BSD-2-Clause
#
# Runs gdb with a script, on a machine of its own.
#
#     use Pitot::Gdb;
#
#     my ($machine, $said) = gdb_session({run => 'fs-stress; poweroff'}, '',
#         place => "hbreak fs_open\ncontinue\nbt\n",    # a title, and commands
#         other => "...");
#     like($said->{place}, qr/fs_open/, ...);
#
# The first argument has the options of the machine, and `typed` if commands are typed at prompts
# and do not end the script when they fail; the second has commands that run first. Scripts and
# gdb's output stay beside the machine's logs: <n>.script and <n>.gdb.
#
# A door is the stub that gdb uses: QEMU's, or the option `door`. It is a hash of functions, each
# called with the path of the session's files without their suffixes:
#
#     machine => sub { my ($base, %options) = @_; return %options, gdb => stub_at($base) },
#     ready => sub { my ($base, $machine) = @_; ... }, # waits until gdb may connect
#     attach => sub { my ($base) = @_; return "pitot-attach ${\stub_at($base)}\n" },
#     again => sub { ... },                            # the same after a `detach`
#
# In scripts `attach-again` calls the last.
package Pitot::Gdb;

use strict;
use warnings;

use Exporter qw(import);
use File::Basename qw(basename);

use Pitot::Files;
use Pitot::Machine;
use Pitot::Patience;

our @EXPORT = qw(gdb_session gdb_says gdb_says_of last_part stub_at $gdb_refusals %at_stub);

# Lets a part of a script use `python refused("...")`: a refusal is an answer, and does not end the
# script.
our $gdb_refusals = <<'GDB';
python
def refused(line):
    try:
        gdb.execute(line)
        print("not refused: " + line)
    except gdb.error as why:
        print(why)
end
GDB

my $build = $ENV{BUILD} // 'build';
my $hang = 2 * $patience;    # for gdb to end
my ($sessions, $visits) = (0, 0);

# gdb would take a late answer for the answer to its next request.
my $slow = "set remotetimeout $patience\n";

# QEMU's stub as a door.
our %at_stub = (
    machine => sub { my ($base, %options) = @_; return (%options, gdb => stub_at($base)) },
    ready => sub { await_listening(stub_at($_[0])) },
    attach => sub { return "${slow}pitot-attach ${\stub_at($_[0])}\n" },
    again => sub { return "target remote ${\stub_at($_[0])}\n" },
);

# The address of QEMU's stub. The host lists listeners by path only, and other trees' tests use the
# same relative paths, so the path contains this process.
sub stub_at { return "$_[0].$$.stub" }

# Returns the machine, which gdb has left or ended, and a hash of gdb's output for each part; a
# final one, `end`, exists if gdb reached the end.
sub gdb_session
{
    my ($wanted, $commands, @parts) = @_;
    my %options = (timeout => $hang, %$wanted);
    my $door = delete $options{door} // \%at_stub;
    my $typed = delete $options{typed};
    my $base = "$build/logs/" . basename($0, '.t') . '/' . ++$sessions;
    my $machine = Pitot::Machine->new(icount => '', $door->{machine}->($base, %options));
    my $kernel = "$build/" . ($options{kernel} // 'pitot') . '.elf';
    $door->{ready}->($base, $machine);
    my $how = $typed ? '<' : '-batch -x';
    return ($machine, run_gdb($how, $door, $base, $kernel, $commands, @parts));
}

# The same for a machine that already runs, with a stub listening at that path.
sub gdb_says
{
    my ($path, @parts) = @_;
    return gdb_says_of("$build/pitot.elf", $path, $path, @parts);
}

# ... for another kernel; `attach-again` uses the second path.
sub gdb_says_of
{
    my ($kernel, $path, $path_again, @parts) = @_;
    my $base = "$build/logs/" . basename($0, '.t') . '/gdb' . ++$visits;
    my %door = (
        attach => sub { "${slow}target remote $path\n" },
        again => sub { "${slow}target remote $path_again\n" },
    );
    return run_gdb('-batch -x', \%door, $base, $kernel, '', @parts);
}

# The title of the last part for which gdb printed output.
sub last_part
{
    my ($said, @parts) = @_;
    return ((grep { length($said->{$_} // '') } reverse(@parts)), 'entry')[0];
}

sub run_gdb
{
    my ($how, $door, $base, $kernel, $commands, @parts) = @_;
    write_script($door, $base, $commands, @parts);
    system("timeout -k 5 $hang gdb -nx -q $kernel $how $base.script > $base.gdb 2>&1");
    my (undef, %said) = split(/^=== (.*)\n/m, slurp("$base.gdb"), -1);
    my %titles = @parts;
    $said{$_} //= '' for keys(%titles);
    return \%said;
}

# QEMU creates the socket and then listens, which flag 00010000 shows.
sub await_listening
{
    my ($path) = @_;
    my $deadline = time + $patience;
    until (grep { / 00010000 .* \Q$path\E$/ } split(/\n/, slurp('/proc/net/unix'))) {
        die("no machine listens at $path\n") if time > $deadline;
        select(undef, undef, undef, 0.02);
    }
}

sub write_script
{
    my ($door, $base, $commands, @parts) = @_;
    my $path = "$base.script";
    open(my $script, '>', $path) or die("$path: $!");
    print {$script} "set width 0\nset height 0\nset confirm off\nsource tools/gdb/pitot.gdb\n";
    print {$script} 'define attach-again', "\n", $door->{again}->($base), "end\n";
    print {$script} "echo \\n=== entry\\n\n", $door->{attach}->($base), $commands;
    while (my ($title, $text) = splice(@parts, 0, 2)) {
        print {$script} "echo \\n=== $title\\n\n$text";
    }
    print {$script} "echo \\n=== end\\n\n";
    close($script) or die("$path: $!");
}

1;
