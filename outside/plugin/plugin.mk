# SPDX-License-Identifier: BSD-2-Clause
# The plugin (outside/plugin/plugin.c), for each version of QEMU's interface. Part of the Makefile.

PLUGIN_APIS := 1 2 3 4 5 6 7
PLUGINS     := $(PLUGIN_APIS:%=$(BUILD)/outside/plugin-v%.so)
PLUGIN_C    := $(wildcard outside/plugin/*.c) arch/x86_64/debug/branch.c

$(PLUGINS): $(BUILD)/outside/plugin-v%.so: $(PLUGIN_C) $(wildcard outside/plugin/*.h) $(wildcard outside/*.h) arch/x86_64/debug/branch.h outside/plugin/plugin.mk $(BUILD)/hosted/flags
	$(call say,HOSTCC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(HOSTFLAGS) -O2 -flto=auto -shared -fPIC -fvisibility=hidden -DQEMU_API=$* $(PLUGIN_C) -o $@
