# SPDX-License-Identifier: BSD-2-Clause
#
# Whole files, byte for byte, and lists of files.
#
#     use Pitot::Files;
#
#     my $text = slurp($path);              # dies if there is none
#     my $log = slurp_if_there($path);      # '' if there is none
#     my @files = files_below('core');      # also in nested folders
#     write_bytes($path, $header, @records);
#     need_room($folder);                   # dies with the reason if nothing can be written
package Pitot::Files;

use strict;
use warnings;

use Exporter qw(import);
use File::Find qw(find);

our @EXPORT = qw(slurp slurp_if_there files_below write_bytes need_room);

sub slurp
{
    my ($path) = @_;
    open(my $file, '<:raw', $path) or die("$path: $!\n");
    local $/;
    return scalar <$file> // '';
}

# A file of /proc may disappear between a test for it and the read, so the read decides.
sub slurp_if_there
{
    my ($path) = @_;
    open(my $file, '<:raw', $path) or return '';
    local $/;
    return scalar <$file> // '';
}

sub write_bytes
{
    my ($path, @bytes) = @_;
    open(my $file, '>:raw', $path) or die("$path: $!\n");
    print {$file} @bytes;
    close($file) or die("$path: $!\n");
    return;
}

# Called after a program has run, because many lose output silently if they cannot write it.
sub need_room
{
    my ($folder) = @_;
    my $probe = "$folder/room.$$";
    open(my $file, '>', $probe) or die("nothing can be written to $folder: $!\n");
    my $printed = print {$file} 'x' x 65536;
    my $written = close($file) && $printed;
    my $why = $!;
    unlink($probe);
    $written or die("nothing can be written to $folder: $why\n");
    return;
}

sub files_below
{
    my @files;
    find({no_chdir => 1, wanted => sub { push(@files, $_) if -f } }, @_);
    return sort(@files);
}

1;
