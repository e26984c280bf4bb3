# SPDX-License-Identifier: BSD-2-Clause
# Stopped machines: gdb, dumps, QEMU's stub. Part of the Makefile.

## make gdb         QEMU stopped at the kernel's entry, and gdb attached to it, with symbols, source and Pitot's commands;
##                  GDB=inside: by the kernel's own stub
gdb: packages-gdb
	+$(Q)$(MAKE) --no-print-directory $(BUILD)/pitot.iso $(BUILD)/host/postmortem
	$(Q)RUN='$(subst ','\'',$(RUN))' tools/gdb/attach

## make postmortem  the recording of a machine that has stopped, for perf: FROM=DUMP or FROM=SOCKET (docs/crash.md)
postmortem: packages-build
	+$(Q)$(MAKE) --no-print-directory $(BUILD)/host/postmortem
	$(Q)$(BUILD)/host/postmortem -k $(BUILD)/pitot.elf -o $(BUILD)/postmortem.perf $(if $(FROM),$(call quoted,$(FROM)))
	@echo 'perf report -i $(BUILD)/postmortem.perf --vmlinux=$(BUILD)/pitot.elf'
