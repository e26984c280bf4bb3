# SPDX-License-Identifier: BSD-2-Clause
#
# The host command `pitot` with a stand-in for QEMU, whose plugin sends the records (outside/wire.h)
# that a test wants; and a kernel file with seven functions for it.
#
#     use Pitot::StandIn;
#
#     my $room = stand_in_room();       # with kernel.elf, qemu, bin/pitot and its plugins
#     plugin_says(begin(1), thread(1, $place{kmain}), sample(ip => $place{vfs_read}), end());
#     my ($said, $complaints, $status) = pitot('record', '-o', "$room/out", '--', "$room/qemu");
package Pitot::StandIn;

use strict;
use warnings;

use Exporter qw(import);
use File::Copy qw(copy);
use File::Spec;
use File::Temp qw(tempdir);

use Pitot::Files;
use Pitot::Patience;
use Pitot::Perf;

our @EXPORT = qw(stand_in_room plugin_says plugin_says_last pitot stand_in_words all_words
    request_words request_log in_perf
    %place $wire_version link_kernel begin context function handler thread sample registers count
    cost where last_call word mapping clock lost block end slide strange patched late
    unknown one_thread heap_report live objects held unread race_report
    stops slice ran lock_slice wake woken traced);

my $build = $ENV{BUILD} // 'build';
my $room;
# The version of the records.
our ($wire_version) =
    slurp('outside/wire.h') =~ /^#define WIRE_VERSION (\d+)$/m;

my @functions = qw(kmain sched_run vfs_read vfs_write panic idle_loop timer_isr);
my $text = 0xffffffff << 32 | 0x80100000;

# The start of each function; each has 0x100 bytes. run_queue is data, of 64 bytes.
our %place = map { $functions[$_] => $text + 0x100 * ($_ + 1) } 0 .. $#functions;
$place{run_queue} = $text + 0x1000;

sub quietly
{
    system(@_) == 0 or die("@_: status $?\n");
}

# Links a kernel with these functions, in this order, with ld's options.
sub link_kernel
{
    my ($path, $functions, @options) = @_;
    my $source = ".globl _text\n_text: .fill 0x100, 1, 0x90\n";
    $source .= ".globl $_\n.type $_, \@function\n$_: .fill 0x100, 1, 0x90\n.size $_, 0x100\n"
        for @$functions;
    $source .= ".weak vfs_alias\n.type vfs_alias, \@function\nvfs_alias = vfs_read\n"
        if grep { $_ eq 'vfs_read' } @$functions;
    $source .= "twice: .byte 0\n.size twice, 1\n";
    $source .= ".data\n.globl run_queue\n.type run_queue, \@object\nrun_queue: .fill 64\n"
        . ".size run_queue, 64\nsizeless: .fill 8\n";
    write_bytes("$path.s", $source);
    write_bytes("$path.2.s", ".data\ntwice: .byte 0\n");
    quietly('as', '--64', "$path.s", '-o', "$path.o");
    quietly('as', '--64', "$path.2.s", '-o', "$path.2.o");
    quietly('ld', '--build-id=sha1', '-e', '_text', sprintf('-Ttext=0x%x', $text),
        sprintf('-Tdata=0x%x', $place{run_queue}), "$path.o", "$path.2.o", '-o', $path, @options);
}

sub stand_in_room
{
    $room = File::Spec->rel2abs(tempdir(CLEANUP => 1));
    mkdir("$room/bin") or die("$room/bin: $!\n");
    copy("$build/outside/pitot", "$room/bin/pitot") or die("pitot: $!\n");
    copy('tests/host/stand_in_qemu.pl', "$room/qemu") or die("qemu: $!\n");
    chmod(0755, "$room/bin/pitot", "$room/qemu");
    write_bytes("$room/bin/plugin-v$_.so", "pitot wire $wire_version\0") for 1, 4;
    link_kernel("$room/kernel.elf", \@functions);
    return $room;
}

sub plugin_says
{
    write_bytes("$room/wire", @_);
    unlink("$room/wire.last");
}

sub plugin_says_last
{
    write_bytes("$room/wire.last", @_);
}

# Runs pitot. Returns stdout, stderr, and the status as a shell gives it. The first argument may be
# a hash with environment variables, and LIMIT, the largest file in 512-byte blocks.
sub pitot
{
    my %environment = ref $_[0] ? %{shift()} : ();
    local @ENV{keys %environment} = values %environment;
    local $ENV{STAND_IN_ROOM} = $room;
    local $Pitot::Perf::may_be_killed = ($environment{STAND_IN_END} // '') eq 'parent KILL';
    my @limit = $environment{LIMIT}
        ? ('sh', '-c', "trap '' XFSZ; ulimit -f $environment{LIMIT}; exec \"\$@\"", 'sh') : ();
    unlink("$room/words", "$room/request", "$room/ended");
    my $status = Pitot::Perf::run_between("$room/said", "$room/complaints", '/dev/null', @limit,
        'timeout', '--foreground', $patience, "$room/bin/pitot", @_);
    return (slurp("$room/said"), slurp("$room/complaints"), $status);
}

# The arguments of QEMU, one per element.
sub stand_in_words
{
    my @words = all_words();
    for my $option ('-D', '-d') {
        splice(@words, 2, 2) if ($words[2] // '') eq $option;
    }
    return @words;
}

# ... with the log that a plugin before QEMU 9.2 reads.
sub all_words
{
    return split(/\n/, slurp_if_there("$room/words"));
}

# --- The request to the plugin: outside/request.h -------------------------------------------------

# The kinds of events and of allocators.
my @events = qw(insn mem call return irq);
my @allocators = qw(alloc realloc free);

sub hexadecimal { return join(':', map { sprintf('%x', $_) } @_) }

# An event as a string; `addresses`: those after the request.
sub event_words
{
    my ($addresses, $kind, $stops, $period, $address, $length, $access, $fixed, @of) = @_;
    my ($first, $last, $list, $count) = @of;
    my $what = $events[$kind];
    $what = ($fixed ? 'at' : $what) . sprintf(':%x:%d:', $address, $length)
        . ($access & 1 ? 'r' : '') . ($access & 2 ? 'w' : '') if $what eq 'mem';
    $what .= ":$first-$last" if $what eq 'irq';
    $what .= ':' . join('+', map { sprintf('%x', $_) } @$addresses[$list .. $list + $count - 1])
        if $count;
    return ($stops ? 'stop' : 'event') . "=$what:$period";
}

# The request as comma-separated words, events last, without what is not requested. And its words
# about QEMU's log: the folder, and whether all of it is copied.
sub request
{
    my $bytes = slurp_if_there("$room/request");
    my $at = 0;
    return ('') if !length($bytes);
    my $take = sub {
        my ($template, $times) = @_;
        my @all = map { [unpack('x' . ($at + $_ * length(pack($template))) . $template, $bytes)] }
            0 .. ($times // 1) - 1;
        $at += @all * length(pack($template));
        return defined $times ? @all : @{$all[0]};
    };
    my ($magic, $version, $size, undef, $count, $chains, $registers) = $take->('a8 L<2 l<L<3');
    my ($first, $last, $code_count, $file) = $take->('Q<2 L<l<');
    my @code = $take->('Q<3', 32);
    my ($from, $until, $most, $event_count) = $take->('Q<3 L<2');
    my @events = $take->('L<2 Q<3 L<6', 96);
    my ($folder, undef, $copies_all, $graph, $calls, $cover) = $take->('Z64 l<L< L<4');
    my ($memory, $writers, $place_count) = $take->('Q<L<2');
    my @places = $take->('Q<2 L<2', 96);
    my ($allocator_count, $guard, $held, undef, $list, $listed, $beside, $variables) =
        $take->('L<8');
    my @allocators = $take->('Q< L<4 Q<2 L<2', 192);
    my ($locks, $sees, $lock_count) = $take->('L<4');
    my @locks = $take->('Q<2 L<2', 128);
    my ($seed, $every, undef, $sync, $synced) = $take->('Q<L<4');
    my ($shake) = $take->('Q<');
    my ($slices, $depth, $least, $function, $functions, $least_lock, $wake_count) =
        $take->('L<2Q<L<2Q<L<2');
    my @wakes = $take->('Q<2 L<2', 128);
    my @addresses = unpack("x$at Q<*", $bytes);
    die("a request of $size bytes, of version $version\n")
        if "$magic $version" ne "pitotASK $wire_version" || $size != length($bytes)
        || $size != $at + 8 * $count;
    my $words = join(',', 'text=' . hexadecimal($first, $last),
        (map { 'code=' . hexadecimal(@$_) } @code[0 .. $code_count - 1]),
        $chains ? () : 'chains=0', $registers ? 'registers=1' : (),
        $graph ? 'graph=1' : (), $calls ? "last=$calls" : (), $cover ? 'cover=1' : (),
        $memory ? "memory=$memory" : (), $writers ? "writers=$writers" : (),
        (map { ($_->[2] ? 'at' : 'place') . sprintf('=%x:%d', @$_[0, 1]) }
            @places[0 .. $place_count - 1]),
        (map { allocator_words(@$_) } @allocators[0 .. $allocator_count - 1]),
        $guard ? "guard=$guard" : (), $held ? "quarantine=$held" : (),
        $listed ? 'allocator=' . hexadecimal(@addresses[$list .. $list + $listed - 1]) : (),
        $variables ? 'variable=' . hexadecimal(@addresses[$beside .. $beside + $variables - 1])
            : (),
        $locks ? 'locks=1' : (), $sees ? 'words=1' : (),
        (map { 'lock=' . hexadecimal(@$_[0, 2, 1, 3]) }
            @locks[0 .. $lock_count - 1]),
        $every ? "race=$every:$seed" : (), $shake ? "shake=$shake" : (),
        $synced ? 'sync=' . hexadecimal(@addresses[$sync .. $sync + $synced - 1]) : (),
        $slices ? "trace=$least" . ($depth < 0xffffffff ? ":$depth" : '') : (),
        $functions
        ? 'functions=' . hexadecimal(@addresses[$function .. $function + $functions - 1]) : (),
        $least_lock ? "least_lock=$least_lock" : (),
        (map { ($_->[2] == 6 ? 'wake=' : 'wait=') . hexadecimal(@$_[0, 1]) }
            @wakes[0 .. $wake_count - 1]),
        (map { event_words(\@addresses, @$_) } @events[0 .. $event_count - 1]),
        $from ? sprintf('from=%x', $from) : (), $until ? sprintf('until=%x', $until) : (),
        $most ? "max=$most" : ());
    return ($words, $folder, $copies_all);
}

sub request_words { return (request())[0] }

sub request_log { return (request())[1, 2] }

sub allocator_words
{
    my ($entry, $kind, $family, $object, $size, $first, $second, $before, $width) = @_;
    return join(':', "$allocators[$kind]=" . hexadecimal($entry, $family),
        $kind == 0 ? hexadecimal($first, $size, $second) : $object,
        $kind == 0 && ($object || $width) ? ($object, $width) : (),
        $kind == 1 ? hexadecimal($first) : (), $kind > 0 ? $before : ());
}

# --- Output --------------------------------------------------------------------------------------

# The output of perf for a file, without options that name symbol files.
sub in_perf
{
    my ($file, $command, @options) = @_;
    local @ENV{qw(HOME PERF_CONFIG DEBUGINFOD_URLS LC_ALL)} = ($room, '/dev/null', '', 'C');
    local $ENV{PERF_BUILDID_DIR};
    delete $ENV{PERF_BUILDID_DIR};
    my $status = Pitot::Perf::run_between("$room/perf.out", "$room/perf.err", '/dev/null', 'perf',
        '--no-pager', $command, '-i', $file, ($command eq 'script' ? '--no-inline' : ()), @options);
    return wantarray ? (slurp("$room/perf.out"), $status) : slurp("$room/perf.out");
}

# --- Records of outside/wire.h -------------------------------------------------------------------

sub record
{
    my ($kind, $cpu, $template, @values) = @_;
    my $body = pack($template, @values);
    return pack('S<CCL<', 8 + length($body), $kind, 0, $cpu) . $body;
}

sub begin
{
    my ($cpus, $version) = @_;
    return record(1, 0, 'L<2', $version // $wire_version, $cpus);
}

# The context's number, its outer one, the call site, and the length of the call; none: an interrupt
# arrived before `site`.
sub context
{
    my ($context, $outer, $site, $bytes) = @_;
    return record(2, 0, 'L<2Q<L<2', $context, $outer, $site, $bytes ? 0 : 1, $bytes // 0);
}

# ... of a path of functions: a function that was called, or an interrupt handler.
sub function
{
    my ($context, $outer, $entry) = @_;
    return record(2, 0, 'L<2Q<L<2', $context, $outer, $entry, 2, 0);
}

sub handler { return context(@_) }

sub thread
{
    my ($thread, $outermost) = @_;
    return record(3, 0, 'L<2Q<', $thread, 0, $outermost);
}

sub sample
{
    my %of = (cpu => 0, event => 0, thread => 0, context => 0, access => 0, time => 0, weight => 1,
        address => 0, spent => 0, length => 0, @_);
    return record(4, $of{cpu}, 'L<4Q<5L<2Q<',
        @of{qw(event thread context access ip time weight address spent length)},
        defined $of{value} ? 1 : 0, $of{value} // 0);
}

# The registers of the next sample: ax bx cx dx si di bp sp ip, r8 to r15; missing ones are 0.
sub registers
{
    return record(7, 0, 'Q<17', map { $_ // 0 } @_[0 .. 16]);
}

sub count
{
    my ($event, $hits) = @_;
    return record(5, 0, 'L<2Q<', $event, 0, $hits);
}

# Maps a virtual page to a physical one; the latest of several mappings has the highest number.
sub mapping
{
    my ($virtual, $physical, $seen) = @_;
    return record(24, 0, 'Q<3', $virtual, $physical, $seen // 0);
}

# A write; `length` defaults to 8 bytes, `physical` to an address in the first MiB of memory.
sub word
{
    my %of = (cpu => 0, place => 0, thread => 0, context => 0, length => 8, ip => 0, time => 0,
        count => 1, interrupt => 0, unit => 0, step => 0, @_);
    return record(20, $of{cpu}, 'L<4Q<6L<4',
        @of{qw(place thread context length address)}, $of{physical} // $of{address} & 0xfffff,
        @of{qw(ip time count)}, $of{value} // 0, defined $of{value} ? 1 : 0,
        @of{qw(interrupt unit step)});
}

# What a word of memory holds at the end, of 8 bytes unless `length` is given; and parts that were
# not compared.
sub held
{
    my %of = (place => 0, length => 8, value => 0, likely => 0, @_);
    return record(25, 0, 'L<2Q<2L<2', @of{qw(place length physical value likely)}, 0);
}

sub unread
{
    my ($parts) = @_;
    return record(26, 0, 'Q<', $parts);
}

# A report of the heap; `allocated` and `freed`: context, CPU, time.
sub heap_report
{
    my %of = (cpu => 0, report => 0, kind => 0, context => 0, thread => 0, access => 0, length => 0,
        ip => 0, time => 0, address => 0, object => 0, size => 0, count => 1,
        allocated => [0, 0, 0], freed => [0, 0, 0], @_);
    return record(40, $of{cpu}, 'L<6Q<5L<2Q<L<2Q<Q<',
        @of{qw(report kind context thread access length ip time address object size)},
        @{$of{allocated}}, @{$of{freed}}, $of{count});
}

# A context's allocations: objects and bytes at the end, and bytes at the peak.
sub live
{
    my ($context, @of) = @_;
    return record(41, 0, 'L<2Q<3', $context, 0, @of);
}

sub objects
{
    my %of = (allocated => 0, freed => 0, peak => 0, reused => 0, lost => 0, more => 0, crowd => 0,
        @_);
    return record(42, 0, 'Q<7', @of{qw(allocated freed peak reused lost more crowd)});
}

# A race of two sides, each a hash for a struct wire_race_side.
sub race_report
{
    my %of = (kind => 0, then => 0, count => 1, @_);
    my @sides = map {
        my %side = (cpu => 0, context => 0, thread => 0, access => 1, length => 8, ip => 0,
            time => 0, address => 0, %$_);
        pack('L<6Q<4', @side{qw(cpu context thread access length)}, defined $side{value} ? 1 : 0,
            @side{qw(ip time address)}, $side{value} // 0)
    } @{$of{sides}};
    return record(70, 0, 'L<2a*a*Q<2', $of{kind}, 0, @sides, @of{qw(then count)});
}

sub stops
{
    my %of = (stops => 0, places => 0, more => 0, ran => 1, interrupted => 0, @_);
    return record(71, 0, 'Q<5', @of{qw(stops places more ran interrupted)});
}

# A slice of a thread; `by` is 0 for a call, 1 for an interrupt, 3 for a system call.
sub slice
{
    my %of = (cpu => 0, thread => 1, depth => 1, shorter => 0, shorter_time => 0, vector => -1,
        error => 0, by => 0, flags => 0, @_);
    return record(80, $of{cpu}, 'L<2Q<5l<L<3',
        @of{qw(thread depth at began ended shorter shorter_time vector error by flags)});
}

# A CPU ran a thread.
sub ran
{
    my ($cpu, $thread, $began, $ended) = @_;
    return record(81, $cpu, 'L<2Q<2', $thread, 0, $began, $ended);
}

# A lock that is held, or waited for.
sub lock_slice
{
    my %of = (cpu => 0, thread => 1, depth => 1, context => 0, flags => 8, @_);
    return record(83, $of{cpu}, 'L<2Q<4L<4', @of{qw(thread depth address began ended)}, 0,
        @of{qw(context cpu flags)}, 0);
}

# A call that wakes a thread: the caller's thread, function, value, time, who waits for the value,
# and the arrow.
sub wake
{
    my %of = (cpu => 0, thread => 1, context => 0, waiting => 0, arrow => 0, @_);
    return record(84, $of{cpu}, 'L<4Q<4', @of{qw(thread context waiting)}, 0,
        @of{qw(function value time arrow)});
}

sub woken
{
    my ($cpu, $thread, $arrow, $time) = @_;
    return record(85, $cpu, 'L<2Q<2', $thread, 0, $arrow, $time);
}

sub traced
{
    my ($ended, $full_at, $summed) = @_;
    return record(82, 0, 'Q<3', $ended, $full_at // 0, $summed // 0);
}

sub clock
{
    my ($cpu, $time) = @_;
    return record(21, $cpu, 'Q<', $time);
}

sub cost
{
    my ($context, $calls, $instructions) = @_;
    return record(10, 0, 'L<2Q<2', $context, 0, $calls, $instructions);
}

sub lost
{
    my ($writes) = @_;
    return record(22, 0, 'Q<', $writes);
}

sub where
{
    my %of = (cpu => 0, context => 0, thread => 0, ip => 0, time => 0, calls => 0, @_);
    return record(11, $of{cpu}, 'L<2Q<3', @of{qw(context thread ip time calls)});
}

sub last_call
{
    my %of = (cpu => 0, context => 0, thread => 0, entry => 0, time => 0, @_);
    return record(12, $of{cpu}, 'L<2Q<2l<L<3', @of{qw(context thread entry time)},
        $of{vector} // -1, map { $_ // 0 } @of{qw(error cycle again)});
}

sub block
{
    my ($start, $end, $count) = @_;
    return record(23, 0, 'Q<3', $start, $end, $count);
}

sub end
{
    my %of = (instructions => 1, blocks => 1, calls => 0, interrupts => 0, switches => 0,
        doubtful => 0, chains_ended => 0, contexts_lost => 0, samples_lost => 0,
        samples_left_out => 0, @_);
    $of{within} //= $of{instructions};
    return record(6, 0, 'Q<11', @of{qw(instructions blocks within calls interrupts switches doubtful
        chains_ended contexts_lost samples_lost samples_left_out)});
}

sub slide
{
    my ($slide) = @_;
    return record(30, 0, 'q<', $slide);
}

sub strange
{
    my ($different, $blocks) = @_;
    return record(31, 0, 'Q<2', $different, $blocks);
}

sub patched
{
    my ($places) = @_;
    return record(32, 0, 'Q<', $places);
}

sub late
{
    my ($blocks) = @_;
    return record(33, 0, 'Q<', $blocks);
}

sub unknown
{
    my ($address) = @_;
    return record(34, 0, 'Q<', $address);
}

# The number of a CPU that shares its thread with another one.
sub one_thread
{
    my ($cpu) = @_;
    return record(35, $cpu, 'Q<', $cpu);
}

1;
