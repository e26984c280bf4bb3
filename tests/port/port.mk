# SPDX-License-Identifier: BSD-2-Clause
# A second, tiny kernel that contains Pitot (docs/porting.md). Part of the Makefile.

# These objects may be linked into it; as they are in an archive, only those that it needs are.
PORT_TAKES := $(wildcard core/*.c core/*/*.c $(foreach room,arch kernel,$(room)/x86_64/*/*.c $(room)/x86_64/*/*.asm))
PORT_OBJ   := $(patsubst %,$(BUILD)/obj/%.o,$(wildcard tests/port/*.asm tests/port/*.c))

$(BUILD)/port.a: $(filter $(PORT_TAKES:%=$(BUILD)/obj/%.o),$(KERNEL_OBJ))
	$(Q)rm -f $@
	$(Q)ar rcsTP $@ $^

$(BUILD)/port.elf: $(PORT_OBJ) $(BUILD)/port.a tests/port/linker.ld $(TABLE_TOOLS)
	$(call LINK,tests/port/linker.ld,$(PORT_OBJ) $(BUILD)/port.a,-Map=$@.map)

-include $(PORT_OBJ:.o=.d)
