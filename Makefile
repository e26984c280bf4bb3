# SPDX-License-Identifier: BSD-2-Clause
# Pitot's build. `make help` lists what can be asked for; each line of it stands below, after two
# hash signs.

ifneq ($(words $(CURDIR)),1)
$(error $(CURDIR): make reads that as several names; use a path without spaces)
endif

## Variables, on the command line of make:
##   UNWINDER=orc|fp        call chains by a table, without frame pointers; or with them, and both ways
##   FIRMWARE=bios|uefi|qboot   MACHINE=qemu|bochs   ACCEL=tcg   CPU=max   MEM=256M
##   SMP=n                  CPUs: 1; each test says how many it needs
##   CC=gcc|clang           BUILD=build            V=1 shows the commands
##   RUN="CMD; CMD"         what the boot types by itself; then the prompt, if stdin is a terminal
UNWINDER ?= orc
FIRMWARE ?= bios
MACHINE  ?= qemu
ACCEL    ?= tcg
SMP      ?= 1
CPU      ?= max
MEM      ?= 256M
BUILD    ?= build
VERSION  := $(shell sed -n 's/.*PITOT_VERSION "\(.*\)"/\1/p' core/abi/version.h)
CC       := $(if $(filter default,$(origin CC)),gcc,$(CC))
HOSTCC   ?= gcc
NASM     ?= nasm
DEMO     := perf record -e mem:kernel_flag:rw -g -- fs-stress; perf report -g caller -s sym
RUN      ?= $(DEMO)
FP_BUILD := $(if $(filter fp,$(UNWINDER)),$(BUILD),$(BUILD)/fp)
export UNWINDER FIRMWARE MACHINE ACCEL SMP CPU MEM BUILD FP_BUILD

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-6s %s\n' '$(1)' '$(2)')
# As one word of the shell.
quoted = '$(subst ','\'',$(1))'
# What commands depend on beside files stands in a file, FILE: TEXT, which is written when it changes. Make 4.3 leaves the file's
# last line end in place now and then.
define NOTE
$(1): $(if $(subst |$(strip $(2))|,,|$(strip $(file <$(1)))|),FORCE)
	$$(Q)mkdir -p $$(@D)
	$$(Q)echo '$(2)' > $$@
endef

# How chains are made, and what is not linked then. Optimisers may move a prologue or share an epilogue: the table follows
# them, frame pointers need that they do not (docs/unwinding.md). Tail calls would leave callers out of every chain.
FRAME_POINTERS := -fno-omit-frame-pointer $(if $(findstring clang,$(CC)), \
                  -mno-omit-leaf-frame-pointer -mllvm -enable-shrink-wrap=false, \
                  -fno-shrink-wrap -fno-schedule-insns2 -fno-reorder-blocks-and-partition)
ifeq ($(UNWINDER),orc)
UNWINDER_FLAGS := -fomit-frame-pointer
UNWINDER_OTHER := core/unwind/default_fp.c core/unwind/fp.c
else ifeq ($(UNWINDER),fp)
UNWINDER_FLAGS := $(FRAME_POINTERS)
UNWINDER_OTHER := core/unwind/default_orc.c
else
$(error UNWINDER=$(UNWINDER): orc and fp are allowed)
endif

# gcc's -Oz loads small constants by push and pop, and does not say so in the call frame information.
ifneq ($(filter -Oz,$(CC) $(EXTRA_CFLAGS)),)
$(error -Oz: its unwind information is wrong between a push and a pop; -Os is allowed)
endif

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
            -Wwrite-strings -Wpointer-arith -Werror
CFLAGS   := -std=gnu11 -O2 -g -ffreestanding -fno-pic -mcmodel=kernel -mno-red-zone -mgeneral-regs-only \
            -fasynchronous-unwind-tables -fcf-protection=none -fno-stack-protector -fno-common \
            -ffile-prefix-map=$(CURDIR)=. -fno-optimize-sibling-calls $(UNWINDER_FLAGS) $(WARNINGS) -Wframe-larger-than=2048 -I. -DPITOT_PATCHED -DPITOT_OWN=kernel/x86_64/own.h $(EXTRA_CFLAGS)
# cmocka 2 calls assert_in_range deprecated; cmocka 1.1 has nothing in its place.
HOSTFLAGS := -std=gnu11 -g -O1 -ffile-prefix-map=$(CURDIR)=. $(WARNINGS) -Wno-error=deprecated-declarations -I. -DPITOT_OWN=tests/unit/own.h
SANITIZE  := -fsanitize=address,undefined -fno-sanitize-recover=all

KERNEL_C   := $(filter-out %/offsets.c core/embed/%.c $(UNWINDER_OTHER),$(wildcard boot/*.c arch/x86_64/*/*.c drivers/*.c core/*.c core/*/*.c kernel/*.c kernel/*/*.c kernel/x86_64/*/*.c))
KERNEL_ASM := $(wildcard boot/*.asm arch/x86_64/*/*.asm kernel/x86_64/*/*.asm)
KERNEL_OBJ := $(KERNEL_ASM:%=$(BUILD)/obj/%.o) $(KERNEL_C:%=$(BUILD)/obj/%.o)

# Every rule is written here. The built-in ones, tried on each source and header, took make five times as long as all the rest.
MAKEFLAGS += --no-builtin-rules

.DEFAULT_GOAL := iso
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: both-kernels run test near lib soak shake elsewhere budgets iso gallery perfdata live show trace viewers demo picture gdb postmortem outside install uninstall deb bench bench-table check release help clean packages tests-built bench-built FORCE

##
## make run         installs what running needs and is missing, boots the image in QEMU, shows the demonstration, leaves you at the prompt
run: packages-run $(if $(filter uefi,$(FIRMWARE)),packages-uefi) $(if $(filter bochs,$(MACHINE)),packages-bochs)
	+$(Q)$(MAKE) --no-print-directory iso
	$(Q)script='$(subst ','\'',$(RUN))'; [ -t 0 ] || script="$$script; poweroff"; \
		RUN="$$script" ISO=$(BUILD)/pitot.iso COM2=$(BUILD)/com2.bin tools/machine

## make test        installs what is missing, then all tests; TESTS="NAME..." those of files or folders of tests, or the unit
##                  tests of sources (TESTS=core/ring): seconds, and ALL=1 what else a change there touches; QUICK=1 for after
##                  each edit: a minute
NEAR = $(if $(ALL)$(filter tests tests/% %.t,$(TESTS)),,--near)
test: both-kernels packages-test
	+$(Q)$(MAKE) --no-print-directory $(if $(NEAR),near,tests-built)
	$(Q)tools/tests -j2 $(NEAR) $(TESTS)

near:
	+$(Q)targets=$$(tools/tests --targets $(TESTS)) && $(MAKE) --no-print-directory $$targets

## make soak        the tests that take long
soak: both-kernels packages-test
	+$(Q)$(MAKE) --no-print-directory tests-built
	$(Q)SOAK=1 tools/tests $(TESTS)

## make shake       the tests again and again, beside busy loops: TESTS="NAME..." TIMES=10 LOADS="1 2 4"; STOPS=0.3: and
##                  with emulators that stand still for so many seconds
shake: both-kernels packages-test
	+$(Q)$(MAKE) --no-print-directory tests-built
	$(Q)tools/shake $(TESTS)

## make elsewhere   the README's two commands in another, new Debian, as root and as a user: DIST=trixie|bookworm|sid
##                  DO="run test" WHO="root user" TESTS="NAME..." KEEP=1 (tools/elsewhere); needs root
DIST ?= trixie
DO   ?= run test
elsewhere:
	$(Q)TESTS='$(if $(filter file,$(origin TESTS)),,$(TESTS))' QUICK='$(QUICK)' SOAK='$(SOAK)' KEEP='$(KEEP)' WHO='$(WHO)' tools/elsewhere $(DIST) $(DO)

## make budgets     what the tests took last time becomes their budget, in tests/budgets
budgets:
	$(Q)tools/tests --budgets

## make iso         build/pitot.iso, for GRUB under BIOS and UEFI
iso: $(BUILD)/pitot.iso $(BUILD)/symfs/vmlinux $(BUILD)/host/gather.so

## make gallery     docs/gallery.md, drawn anew by the test that knows what must be in its pictures
gallery: packages-test
	+$(Q)$(MAKE) --no-print-directory $(BUILD)/test/pitot.iso
	$(Q)touch docs/gallery.md
	$(Q)cp docs/gallery.md $(BUILD)/gallery.before && rm -f $(BUILD)/gallery.md
	$(Q)prove tests/boot/gallery.t || { cp $(BUILD)/gallery.md docs/gallery.md && prove tests/boot/gallery.t; } || \
		{ cp $(BUILD)/gallery.before docs/gallery.md; exit 1; }

## make lib         build/lib, for a kernel of your own (docs/porting.md): pitot.o, pitot.mk, include and bin; LEVEL=3|4 GDB=1 CPUS=1
##                  RING=65536 MEMORY=1048576 (bytes of a CPU's ring; of what the commands of LEVEL=4 may take); GDB=1: gdb may come
lib: packages-build
	+$(Q)$(MAKE) --no-print-directory $(BUILD)/lib/pitot.o $(LIB_BIN)

## make check       format, layers, static analysis
check: packages-check
	+$(Q)$(MAKE) --no-print-directory $(BUILD)/pitot.elf
	$(Q)tools/check

## make clean       removes everything that was built
clean:
	$(Q)rm -rf $(BUILD)

## make help        this list
help:
	$(Q)sed -n 's/^## \{0,1\}//p' outside/outside.mk Makefile tools/show.mk tools/tools.mk tests/bench/bench.mk

$(BUILD):
	$(Q)mkdir -p $@

both-kernels:
	$(Q)[ $(UNWINDER) = orc ] || { echo 'the tests look at both kernels by themselves: leave UNWINDER=$(UNWINDER) out'; exit 1; }

packages-%:
	$(Q)tools/packages $*

# --- Recipes of kernels and programs --------------------------------------------------------------------------------------

$(eval $(call NOTE,$(BUILD)/flags,$(CC) $(CFLAGS) $(NASM)))

# By way of assembly, for a byte after calls that do not return. clang 14 warns of a line that it
# wrote itself.
define COMPILE
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(1) -MMD -MP -MF $(@:.o=.d) -MT $@ -S $< -o $(@:.o=.s)
	$(Q)tools/pad-calls $(@:.o=.s) > $(@:.o=.padded.s)
	$(Q)$(CC) -Wa,--no-warn -c $(@:.o=.padded.s) -o $@
endef

$(BUILD)/obj/%.c.o: %.c $(BUILD)/flags tools/pad-calls
	$(call COMPILE,$(CFLAGS))

# The labels that the CFI macros need would name places inside routines; they end here.
define ASSEMBLE
	$(call say,NASM,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(NASM) -f elf64 -g -F dwarf -I $(BUILD)/gen/ -I ./ $< -o $@
	$(Q)tools/drop-folder $@ $<
	$(Q)objcopy --wildcard --strip-symbol='..@*' --strip-symbol='*.cfi_finish' --strip-symbol='*.fde*' \
		--strip-symbol='cfi_cie_*' $@
endef

$(BUILD)/obj/%.asm.o: %.asm $(BUILD)/gen/offsets.inc arch/x86_64/unwind/cfi.inc arch/x86_64/entry/frame.inc tools/drop-folder
	$(ASSEMBLE)

$(BUILD)/gen/offsets.inc: arch/x86_64/cpu/offsets.c kernel/x86_64/cpu/offsets.c $(BUILD)/flags $(wildcard arch/x86_64/*/*.h kernel/x86_64/*/*.h)
	$(Q)mkdir -p $(@D)
	$(Q)for source in $(filter %.c,$^); do $(CC) $(CFLAGS) -S $$source -o - || exit 1; done > $(@:.inc=.s)
	$(Q)sed -n 's/.*"@\(.*\)".*/\1/p' $(@:.inc=.s) > $@

# LINKER SCRIPT, OBJECTS AND ARCHIVES, OPTIONS. The build id is a hash of what is linked, so it does not depend on the link, nor
# on the tables filled in after it.
define LINK
	$(call say,LINK,$@)
	$(Q)ld -nostdlib -static -T $(1) -z max-page-size=4096 -z noexecstack --no-warn-rwx-segments \
		--build-id=0x$$(cat $(2) | sha1sum | cut -c1-40) $(2) -o $@ $(3)
	$(Q)$(BUILD)/host/symtab $@
	$(Q)$(BUILD)/host/orcgen --exempt .boot $@
	$(Q)$(BUILD)/host/insnmap --exempt .boot $@
endef

# One object for another kernel. Its own makefile needs nothing but core/ and arch/.
$(BUILD)/lib/pitot.o: FORCE
	+$(Q)$(MAKE) --no-print-directory -f core/embed/lib.mk BUILD=$(BUILD) CC='$(CC)' NASM='$(NASM)' V=$(V)

$(patsubst %,$(BUILD)/lib/include/%,pitot.h pitot_kernel.h pitot_trace.h cfi_gas.inc): $(BUILD)/lib/pitot.o

# Programs for that kernel's compilation and link.
LIB_BIN := $(patsubst %,$(BUILD)/lib/bin/%,pitot-tables pad-calls symtab orcgen insnmap)
$(LIB_BIN): $(BUILD)/host/symtab $(BUILD)/host/orcgen $(BUILD)/host/insnmap tools/pitot-tables tools/pad-calls
	$(Q)mkdir -p $(@D)
	$(Q)cp $(filter %/$(@F),$^) $@

# What else is built, each beside its sources. They use the variables and the recipes above.
include tools/tools.mk tools/show.mk outside/plugin/plugin.mk outside/outside.mk boot/image.mk programs/programs.mk tests/port/port.mk ports/c/port.mk ports/rust/port.mk tests/tests.mk tests/bench/bench.mk

-include $(KERNEL_OBJ:.o=.d)
