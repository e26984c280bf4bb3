# SPDX-License-Identifier: BSD-2-Clause
# Builds Pitot as one object for another kernel (docs/porting.md), build/lib/pitot.o, its headers in build/lib/include, and what that
# kernel's makefile includes. `make lib` adds programs for the link, build/lib/bin.
# Needs only core/ and arch/:
#
#     make -f core/embed/lib.mk [BUILD=build] [LEVEL=3] [GDB=] [CPUS=1] [RING=65536] [MEMORY=1048576] [INLINE=core/embed/inline.h] [CC=gcc] [NASM=nasm]
#
# LEVEL: 4 adds console commands, with MEMORY bytes for rings and reports. GDB: 1 adds gdb, at any level.
# CPUS: maximum of CPUs, up to 64; RING: bytes of each CPU's ring, a power of two. INLINE: a header of the kernel's with pitot_cpu and
# pitot_clock as static inline functions, for fewer instructions a hit.
BUILD ?= build
COMMA := ,
CPUS  ?= 1
RING  ?= 65536
# VARIABLE, ALLOWED, IN WORDS: one of these words.
ONE_OF = $(if $(and $(filter 1,$(words $($(1)))),$(filter $($(1)),$(2))),,$(error $(1)=$($(1)): $(3)))
$(call ONE_OF,CPUS,$(shell seq 64),1 to 64)
$(call ONE_OF,RING,$(shell for i in $$(seq 12 30); do echo $$((1 << i)); done),a power of two from 4096 to 1073741824)
$(if $(strip $(GDB)),$(call ONE_OF,GDB,1,1$(COMMA) or nothing))
LEVEL ?= 3
MEMORY ?= 1048576
INLINE ?= core/embed/inline.h
$(if $(wildcard $(INLINE)),,$(error INLINE=$(INLINE): no such file))
NASM  ?= nasm
CC    := $(if $(filter default,$(origin CC)),gcc,$(CC))
LIB   := $(BUILD)/lib
Q     := $(if $(filter 1,$(V)),,@)

LIB_CFLAGS := -std=gnu11 -O2 -g -ffreestanding -fno-pic -mcmodel=kernel -mno-red-zone -mgeneral-regs-only \
              -fasynchronous-unwind-tables -fcf-protection=none -fno-stack-protector -fno-common \
              -ffile-prefix-map=$(CURDIR)=. -fno-optimize-sibling-calls -fno-omit-frame-pointer -Wall -Wextra -Werror \
              -I. -DPITOT_PATCHED -DPITOT_OWN=arch/embed/own.h -DEMBED_CPUS=$(CPUS) -DEMBED_RING_SIZE=$(RING) -DEMBED_INLINE='"$(INLINE)"' \
              -DEMBED_ASKS_MEMBERS=$(if $(filter core/embed/inline.h,$(INLINE)),true,false)

LIB_C   := $(wildcard core/*.c $(foreach room,lib symbols tracepoint breakpoint unwind ring sample aggregate event stream \
               contract embed,core/$(room)/*.c)) core/recording/merge.c \
           $(wildcard arch/embed/*.c) \
           $(patsubst %,arch/x86_64/debug/%.c,accessor accessor_made branch debugreg insn_map machine operand \
               operand_address operand_length program_candidates report trap user_step watched) \
           $(patsubst %,arch/x86_64/cpu/%.c,instructions registers site) arch/x86_64/memory/memory.c \
           $(patsubst %,arch/x86_64/smp/%.c,park rendezvous) arch/x86_64/unwind/frame.c
# core/embed/sources.c and core/embed/init.c replace these.
LIB_C     := $(filter-out core/contract/own%.c core/own_kernel.c core/event/sources.c,$(LIB_C))
LIB_ROOTS := pitot_init pitot_call_path embed_debug_entry pitot_thread_runs pitot_gdb_start

# Objects that only put themselves into a section: no symbol refers to them.
LIB_WHOLE :=
ifeq ($(LEVEL),4)
LIB_CFLAGS += -DEMBED_MEMORY=$(MEMORY)
LIB_C     += $(wildcard $(foreach room,console perf report script recording,core/$(room)/*.c)) \
             arch/x86_64/cpu/cpu_name.c
LIB_C     := $(sort $(filter-out core/embed/stream.c,$(LIB_C)))
LIB_ROOTS += pitot_command pitot_describe
LIB_WHOLE += core/perf/perf.c core/console/help.c core/console/version.c $(if $(filter 1,$(GDB)),core/gdb/monitor.c)
else ifeq ($(LEVEL),3)
LIB_C     := $(filter-out core/embed/command.c,$(LIB_C))
else
$(error LEVEL=$(LEVEL): 3 or 4)
endif

# gdb, or its stubs.
LIB_GDB := core/embed/gdb.c core/embed/no_monitor.c $(wildcard core/gdb/*.c arch/embed/debugger*.c) \
           $(patsubst %,arch/x86_64/debug/%.c,stop stop_access stop_registers stop_step)
LIB_C   := $(filter-out $(if $(filter 1,$(GDB)),core/embed/no_gdb.c,$(LIB_GDB)),$(sort $(LIB_C) $(LIB_GDB)))
LIB_C   := $(filter-out $(if $(filter 4,$(LEVEL)),core/embed/no_monitor.c,core/gdb/monitor.c),$(LIB_C))

LIB_ASM := arch/x86_64/cpu/leaf.asm arch/x86_64/entry/gate.asm arch/embed/debug_entry.asm
LIB_OBJ := $(patsubst %,$(LIB)/obj/%.o,$(filter-out core/unwind/default_%.c,$(LIB_C)) $(LIB_ASM))

.DELETE_ON_ERROR:
.PHONY: lib FORCE
lib: $(LIB)/pitot.o $(LIB)/pitot.mk $(patsubst %,$(LIB)/include/%,pitot.h pitot_kernel.h pitot_trace.h cfi_gas.inc cfi.inc)

# The kernel's include path has this folder, and no other of Pitot's.
$(LIB)/include/pitot.h: core/pitot.h
$(LIB)/include/pitot_kernel.h: core/pitot_kernel.h
$(LIB)/include/pitot_trace.h: core/pitot_trace.h
$(LIB)/include/cfi_gas.inc: arch/x86_64/unwind/cfi_gas.inc
$(LIB)/include/cfi.inc: arch/x86_64/unwind/cfi.inc
$(LIB)/pitot.mk: core/embed/pitot.mk
$(patsubst %,$(LIB)/%,pitot.mk $(patsubst %,include/%,pitot.h pitot_kernel.h pitot_trace.h cfi_gas.inc cfi.inc)):
	$(Q)mkdir -p $(@D)
	$(Q)cp $< $@

# A change of flags rebuilds everything.
LIB_NOTE := '$(subst ','\'',$(CC) $(LIB_CFLAGS) $(NASM) $(LEVEL) $(GDB))'
$(LIB)/flags: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)echo $(LIB_NOTE) | cmp -s - $@ || echo $(LIB_NOTE) > $@

$(LIB)/obj/%.c.o: %.c $(LIB)/flags
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LIB_CFLAGS) -MMD -MP -c $< -o $@

$(LIB)/offsets.inc: arch/x86_64/cpu/offsets.c $(LIB)/flags
	$(Q)$(CC) $(LIB_CFLAGS) -S $< -o - | sed -n 's/.*"@\(.*\)".*/\1/p' > $@

$(LIB)/obj/%.asm.o: %.asm $(LIB)/offsets.inc arch/x86_64/unwind/cfi.inc arch/x86_64/entry/frame.inc
	$(Q)mkdir -p $(@D)
	$(Q)$(NASM) -f elf64 -I $(LIB)/ -I ./ $< -o $@
	$(Q)objcopy --wildcard --strip-symbol='..@*' --strip-symbol='*.cfi_finish' --strip-symbol='*.fde*' \
		--strip-symbol='cfi_cie_*' $@

# The marks of the tables, in the object of tools/pitot-tables, which a kernel may lack.
LIB_TABLES := symtab/symtab_blob unwind_table/unwind_table insn_map/insn_map
LIB_MARKS   = $(foreach table,$(LIB_TABLES),$(foreach end,start end,$(call $(1),$(word 1,$(subst /, ,$(table)))_$(end),pitot_$(notdir $(table))_$(end))))
LIB_RENAME  = --redefine-sym $(1)=$(2)
LIB_WEAKEN  = --weaken-symbol $(2)

# Makes all names but those of pitot.h local. Only the marks of the kernel's sections and of the tables may remain undefined.
$(LIB)/pitot.o: $(LIB_OBJ) core/embed/sections.ld core/embed/lib.mk
	$(Q)rm -f $(LIB)/pitot.a
	$(Q)ar rcsTP $(LIB)/pitot.a $(LIB_OBJ)
	$(Q)ld -r -z noexecstack -Map=$(LIB)/pitot.map -T core/embed/sections.ld $(patsubst %,-u %,$(LIB_ROOTS)) \
		$(LIB_WHOLE:%=$(LIB)/obj/%.o) $(LIB)/pitot.a -o $@
	$(Q)objcopy $(call LIB_MARKS,LIB_RENAME) $@
	$(Q)objcopy $(call LIB_MARKS,LIB_WEAKEN) $@
	$(Q)objcopy --wildcard --keep-global-symbol='pitot_*' $@
	$(Q)! nm -u $@ | grep -v ' [Uw] __\(start\|stop\)_pitot_\(tracepoints\|sites\|commands\|traps\)$$\| w pitot_\w*_\(start\|end\)$$' || { rm $@; exit 1; }

-include $(LIB_OBJ:.o=.d)
