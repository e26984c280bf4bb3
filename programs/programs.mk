# SPDX-License-Identifier: BSD-2-Clause
# Builds the programs of user mode, and the archive from which the kernel unpacks them (docs/programs.md). Part of the Makefile.

# Compiled like the kernel, but for their own link address, and always with frame pointers, which their call chains need
# (docs/programs.md). The archive has them without debug information; $(BUILD)/programs has them with it.
PROGRAMS        := chance fs-load poll-load spin
# Programs for the tests: instructions that access data, attacks on the kernel, all system calls. Only the tests' archive has them.
TEST_PROGRAMS   := accesses attack calls
PROGRAM_FLAGS    = $(filter-out -mcmodel=kernel -mno-red-zone $(UNWINDER_FLAGS),$(CFLAGS)) $(FRAME_POINTERS)
PROGRAM_LIBRARY := $(patsubst %,$(BUILD)/programs/obj/%.o,start.asm text.c memory.c)
PROGRAM_ELF     := $(PROGRAMS:%=$(BUILD)/programs/%)
TEST_ELF        := $(TEST_PROGRAMS:%=$(BUILD)/programs/%)

$(BUILD)/programs/obj/%.c.o: programs/%.c $(BUILD)/flags tools/pad-calls
	$(call COMPILE,$(PROGRAM_FLAGS))

$(BUILD)/programs/obj/%.c.o: tests/programs/%.c $(BUILD)/flags tools/pad-calls
	$(call COMPILE,$(PROGRAM_FLAGS))

$(BUILD)/programs/obj/%.asm.o: programs/%.asm arch/x86_64/unwind/cfi.inc tools/drop-folder
	$(ASSEMBLE)

$(BUILD)/programs/obj/%.asm.o: tests/programs/%.asm arch/x86_64/unwind/cfi.inc tools/drop-folder
	$(ASSEMBLE)

$(BUILD)/programs/accesses: $(BUILD)/programs/obj/accesses.asm.o
$(BUILD)/programs/attack: $(BUILD)/programs/obj/attack.asm.o
$(PROGRAM_ELF) $(TEST_ELF): $(BUILD)/programs/%: $(BUILD)/programs/obj/%.c.o $(PROGRAM_LIBRARY) programs/link.ld $(BUILD)/host/symtab
	$(call say,LINK,$@)
	$(Q)ld -nostdlib -static -T programs/link.ld -z max-page-size=4096 -z noexecstack --build-id=sha1 $(filter %.o,$^) -o $@
	$(Q)$(BUILD)/host/symtab --program $@

# $(call ARCHIVE,programs): archives these programs, without debug information.
define ARCHIVE
	$(Q)rm -rf $@.root && mkdir -p $@.root/bin
	$(Q)for program in $(1); do objcopy --strip-debug $(BUILD)/programs/$$program $@.root/bin/$$program || exit 1; done
	$(Q)tar --format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C $@.root -cf $@ bin
endef

$(BUILD)/programs.tar: $(PROGRAM_ELF) programs/programs.mk
	$(call ARCHIVE,$(PROGRAMS))

$(BUILD)/test/programs.tar: $(PROGRAM_ELF) $(TEST_ELF) programs/programs.mk
	$(call ARCHIVE,$(PROGRAMS) $(TEST_PROGRAMS))

# The machine's files where perf expects them: perf report --symfs=$(BUILD)/symfs (docs/programs.md).
$(BUILD)/symfs/vmlinux: $(BUILD)/pitot.elf $(PROGRAM_ELF)
	$(Q)mkdir -p $(@D)/bin
	$(Q)for program in $(PROGRAMS) $(TEST_PROGRAMS); do ln -sf ../../programs/$$program $(@D)/bin/$$program || exit 1; done
	$(Q)ln -sf ../pitot.elf $@

-include $(wildcard $(BUILD)/programs/obj/*.d)
