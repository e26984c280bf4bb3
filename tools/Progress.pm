# SPDX-License-Identifier: BSD-2-Clause
#
# Tells on a terminal how far long work is, in one line that is gone at the end, as pitot does
# (outside/pitot/progress.h). Nothing is printed in the first second, nor where stderr is no
# terminal. Used by tools/stream and tools/perf-file.
#
#     use lib $Bin;
#     use Progress;
#
#     progress("$file", $done, $all);    # cheap
#     progress_end();                    # before other lines, and at the end
package Progress;

use strict;
use warnings;

use Exporter qw(import);
use Time::HiRes qw(time);

our @EXPORT = qw(progress progress_end);

my ($first, $again, $remove) = (1, 0.2, "\r\e[K");    # seconds
my $on = -t STDERR;
my $next = time + $first;
my $shown;

sub progress
{
    my ($what, $done, $whole) = @_;
    return if !$on || time < $next;
    $next = time + $again;
    $shown = 1;
    printf STDERR "%s%s: %d %%", $remove, $what, $whole ? 100 * $done / $whole : 0;
    return;
}

sub progress_end
{
    print STDERR $remove if $shown;
    $shown = 0;
    return;
}

1;
