# SPDX-License-Identifier: BSD-2-Clause
# Builds what is booted: the kernel, the kernel with the test suites, and the images from which GRUB starts them. Part of the Makefile.

# The ring's tests use the same records and the same checker on the host and in the kernel.
SUITE_OBJ  := $(patsubst %,$(BUILD)/obj/%.o,$(wildcard tests/kernel/*.c tests/kernel/*.asm) tests/unit/ring_parts.c tests/unit/ring_payload.c tests/unit/ring_check.c)

$(BUILD)/pitot.elf: $(KERNEL_OBJ) linker.ld $(TABLE_TOOLS)
	$(call LINK,linker.ld,$(filter %.o,$^))

$(BUILD)/pitot-test.elf: $(KERNEL_OBJ) $(SUITE_OBJ) linker.ld $(TABLE_TOOLS)
	$(call LINK,linker.ld,$(filter %.o,$^))

$(BUILD)/pitot.iso: $(BUILD)/pitot.elf $(BUILD)/programs.tar boot/grub.cfg tools/mkiso $(BUILD)/host/clock.so
	$(call say,ISO,$@)
	$(Q)tools/mkiso $@ $(filter %.elf %.tar,$^)

# The test image: both kernels and the test programs. Without GRUB, tools/machine boots the same files from the image's folder.
$(BUILD)/test/pitot.iso: $(BUILD)/pitot.elf $(BUILD)/pitot-test.elf $(BUILD)/test/programs.tar boot/grub.cfg tools/mkiso $(BUILD)/host/clock.so
	$(call say,ISO,$@)
	$(Q)ln -sf ../pitot.elf ../pitot-test.elf $(@D)
	$(Q)tools/mkiso $@ $(filter %.elf %.tar,$^)

-include $(SUITE_OBJ:.o=.d)
