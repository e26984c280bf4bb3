# SPDX-License-Identifier: BSD-2-Clause
# For the makefile of a kernel that contains Pitot: `make lib` puts it beside the object.
#
#     include .../build/lib/pitot.mk
#     CFLAGS += $(PITOT_CFLAGS)
#     PITOT_TABLES := --text text_start,text_end --exempt .boot
#     kernel.elf: $(OBJECTS) $(PITOT_OBJECT)
#             $(PITOT_LINK) $(LD) -T kernel.ld $^ -o $@
#
# PITOT_TABLES: options of pitot-tables, for a text that is not from _text to _etext. Without
# $(PITOT_LINK) the kernel has no tables.
PITOT        := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
PITOT_OBJECT := $(PITOT)/pitot.o
PITOT_CFLAGS := -I$(PITOT)/include -mno-red-zone -fno-omit-frame-pointer -fno-optimize-sibling-calls -fasynchronous-unwind-tables
PITOT_LINK    = $(PITOT)/bin/pitot-tables $(PITOT_TABLES) --
