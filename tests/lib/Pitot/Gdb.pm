# SPDX-License-Identifier: BSD-2-Clause
#
# gdb, driven by a script, on a machine of its own.
#
#     use Pitot::Gdb;
#
#     my ($machine, $said) = gdb_session({run => 'fs-stress; poweroff'}, '',
#         place => "hbreak fs_open\ncontinue\nbt\n",    # a title, and commands
#         other => "...");
#     like($said->{place}, qr/fs_open/, ...);
#
# The first argument has the options of the machine, the second commands that come before all else.
# Scripts and what gdb said stay beside the machine's logs: <n>.script and <n>.gdb.
package Pitot::Gdb;

use strict;
use warnings;

use Exporter qw(import);
use File::Basename qw(basename);

use Pitot::Files;
use Pitot::Machine;

our @EXPORT = qw(gdb_session);

my $build = $ENV{BUILD} // 'build';
my $hang = 120;    # seconds, for a gdb
my $sessions = 0;

# Returns the machine, which gdb has left or ended, and a hash of what gdb said to each part; a last
# one, `end`, is there if gdb came so far.
sub gdb_session
{
    my ($options, $commands, @parts) = @_;
    my $base = "$build/logs/" . basename($0, '.t') . '/' . ++$sessions;
    my $machine = Pitot::Machine->new(gdb => "$base.stub", timeout => $hang, %$options);
    my $kernel = "$build/" . ($options->{kernel} // 'pitot') . '.elf';
    await_listening("$base.stub");
    write_script("$base.script", "$base.stub", $commands, @parts);
    system("timeout -k 5 $hang gdb -nx -q -batch -x $base.script $kernel > $base.gdb 2>&1");
    my (undef, %said) = split(/^=== (.*)\n/m, slurp("$base.gdb"), -1);
    my %titles = @parts;
    $said{$_} //= '' for keys(%titles);
    return ($machine, \%said);
}

# QEMU makes the socket and listens; the second is what flag 00010000 shows.
sub await_listening
{
    my ($path) = @_;
    my $deadline = time + 30;
    until (grep { / 00010000 .* \Q$path\E$/ } split(/\n/, slurp('/proc/net/unix'))) {
        die("no machine listens at $path\n") if time > $deadline;
        select(undef, undef, undef, 0.02);
    }
}

sub write_script
{
    my ($path, $socket, $commands, @parts) = @_;
    open(my $script, '>', $path) or die("$path: $!");
    print {$script} "set width 0\nset height 0\nset confirm off\nsource tools/gdb/pitot.gdb\n";
    print {$script} "echo \\n=== entry\\n\npitot-attach $socket\n$commands";
    while (my ($title, $text) = splice(@parts, 0, 2)) {
        print {$script} "echo \\n=== $title\\n\n$text";
    }
    print {$script} "echo \\n=== end\\n\n";
    close($script) or die("$path: $!");
}

1;
