# SPDX-License-Identifier: BSD-2-Clause
#
# The real perf, on a stream that a machine left on COM2 (or on any file with a stream). It does not
# use the user's settings, caches and debug symbols.
package Pitot::Perf;

use strict;
use warnings;

use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Spec;
use POSIX ();

use Pitot::Files;

my $build = $ENV{BUILD} // 'build';

# Runs `perf COMMAND -i - ARGUMENTS < stream`. Returns its output; in list context: output, stderr,
# exit status.
sub run
{
    my ($command, $source, @arguments) = @_;
    my ($stream, $kernel) = ref $source ? ($source->com2, $source->elf) : ($source, undef);
    $kernel = File::Spec->rel2abs($kernel // "$build/pitot.elf");
    my $home = File::Spec->rel2abs("$build/perf/$$");
    make_path($home);
    local @ENV{qw(HOME PERF_CONFIG PERF_BUILDID_DIR DEBUGINFOD_URLS LC_ALL TERM)}
        = ($home, '/dev/null', "$home/debug", '', 'C', 'dumb');

    my @line = ('perf', '--no-pager', '--buildid-dir', "$home/debug", $command, '-i', '-');
    # Programs lie beside their kernel; the kernel is named, as it may be the test kernel.
    push(@line, "--vmlinux=$kernel", '--symfs=' . dirname($kernel) . '/symfs')
        if $command !~ /^(?:inject|evlist)$/;
    my $status = run_between("$home/out", "$home/err", $stream, @line, @arguments);
    my ($output, $complaints) = (slurp("$home/out"), slurp("$home/err"));
    return wantarray ? ($output, $complaints, $status) : $output;
}

sub report
{
    return run('report', shift, '--stdio', '--no-inline', @_);
}

sub script
{
    return run('script', shift, '--no-inline', @_);
}

# True if the test itself kills what it runs.
our $may_be_killed = 0;

# No shell is involved, so arguments with blanks stay whole. Returns the status as a shell gives it.
# Dies if the program was killed or could not write, because its output would look like another
# result.
sub run_between
{
    my ($out, $err, $in, @line) = @_;
    open(my $from, '<', $in) or die("$in: $!\n");
    open(my $to, '>', $out) or die("$out: $!\n");
    open(my $says, '>', $err) or die("$err: $!\n");
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open(STDIN, '<&', $from) && open(STDOUT, '>&', $to) && open(STDERR, '>&', $says)
            && exec(@line) or POSIX::_exit(127);
    }
    waitpid($pid, 0);
    my $status = $?;
    my $signal = $status & 127;
    die("killed by signal $signal: @line\n") if $signal && !$may_be_killed;
    need_room(dirname($out));
    return $signal ? 128 + $signal : $status >> 8;
}

1;
