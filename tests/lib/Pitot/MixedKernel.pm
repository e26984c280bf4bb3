# SPDX-License-Identifier: BSD-2-Clause
#
# Kernels whose files are compiled in twenty ways: by gcc and clang, at each level of optimisation,
# with and without frame pointers, a twentieth of the files in each. The next rotation compiles each
# file in the next way; all rotations together have every file in every way.
#
#     use Pitot::MixedKernel;
#
#     my $kernel = mixed_kernel(0, "$scratch/kernel.elf");      # up to rotations() - 1; may die
#
# The kernel has its symbols; the caller makes the other tables. Objects are kept in build/mixed/,
# and recompiled when the compiler's version, the flags, the file or any header has changed. Several
# tests may call it at once. Needs the kernel's assembled objects.
package Pitot::MixedKernel;

use strict;
use warnings;

use Digest::SHA qw(sha1_hex);
use Exporter qw(import);
use Fcntl qw(:flock);
use File::Basename qw(dirname);
use File::Find qw(find);
use File::Path qw(make_path);

use Pitot::Files;

our @EXPORT = qw(mixed_kernel rotations ways);

my $build = $ENV{BUILD} // 'build';
my $text_limit = 100;    # lines of the compiler's messages
my @ways;
for my $cc (qw(clang gcc)) {
    for my $level (qw(-O0 -O1 -O2 -O3 -Os)) {
        push(@ways, map { {cc => $cc, level => $level, unwinder => $_} } qw(orc fp));
    }
}

sub rotations
{
    return scalar @ways;
}

# The names of these ways.
sub ways
{
    return map { "$_->{cc} $_->{level} $_->{unwinder}" } @ways;
}

sub command
{
    my ($command) = @_;
    local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)} = ('') x 3;
    my @lines = `($command) 2>&1 < /dev/null`;
    return join('', @lines) if $? == 0;
    splice(@lines, $text_limit);
    die("$command\n", @lines);
}

my (%flags, %version);

# The kernel's own flags, without those that produce no code, and without a limit that is not meant
# for -O0.
sub command_of
{
    my ($way) = @_;
    my $to = "$build/mixed/flags-$way->{cc}-$way->{unwinder}";
    $flags{$to} //= do {
        command("make -s BUILD=$to CC=$way->{cc} UNWINDER=$way->{unwinder} $to/flags");
        slurp("$to/flags") =~ s/ \S+\n\z//r;
    };
    return "$flags{$to} -g0 $way->{level} -Wno-frame-larger-than -c";
}

sub headers_digest
{
    my @headers;
    find({no_chdir => 1, wanted => sub { push(@headers, $_) if /\.h$/ }},
        qw(arch boot core drivers kernel tests/kernel));
    return sha1_hex(map { ($_, "\0", slurp($_), "\0") } sort @headers);
}

# Returns the object, compiled again unless its key matches these sources and this way.
sub object
{
    my ($source, $way, $to, $rest_of_key) = @_;
    my $object = "$to/$source.o";
    my $command = command_of($way);
    $version{$way->{cc}} //= command("$way->{cc} --version");
    my $key = sha1_hex($command, $version{$way->{cc}}, $rest_of_key, slurp($source));
    return $object if -e $object && slurp_if_there("$object.key") eq $key;
    make_path(dirname($object));
    unlink("$object.key");
    command("$command $source -o $object");
    open(my $file, '>', "$object.key") or die("$object.key: $!\n");
    print $file $key;
    close($file) or die("$object.key: $!\n");
    return $object;
}

# Links the kernel to `path`, and returns the path.
sub mixed_kernel
{
    my ($rotation, $path) = @_;
    my $to = "$build/mixed/$rotation";
    make_path($to);
    open(my $lock, '>', "$to/lock") or die("$to/lock: $!\n");
    flock($lock, LOCK_EX) or die("$to/lock: $!\n");

    command("make -s $build/bench/objects");
    my @sources = sort map { s{^\Q$build\E/obj/(.*)\.o$}{$1}r }
        split(' ', slurp("$build/bench/objects"));
    my $headers = headers_digest();
    my @objects = map { object($sources[$_], $ways[($_ + $rotation) % @ways], $to, $headers) }
        0 .. $#sources;
    push(@objects, map { "$build/obj/$_.o" }
        glob('boot/*.asm arch/x86_64/*/*.asm kernel/x86_64/*/*.asm'));
    command("ld -nostdlib -static -T linker.ld -z max-page-size=4096 -z noexecstack"
        . " --no-warn-rwx-segments --build-id=sha1 @objects -o $path");
    command("$build/host/symtab $path");
    return $path;
}

1;
