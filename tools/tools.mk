# SPDX-License-Identifier: BSD-2-Clause
# Programs of the host: what fills a kernel's tables, starts a machine and reads a stopped one. Part of the Makefile.

# Fill the linked kernel's reserved sections.
TABLE_TOOLS := $(BUILD)/host/symtab $(BUILD)/host/orcgen $(BUILD)/host/insnmap

define TOOL
$(BUILD)/host/$(1): $(wildcard tools/$(1)/*.[ch] tools/image/*.[ch] core/abi/*.h) $(3) $(BUILD)/hosted/flags
	$$(call say,HOSTCC,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(HOSTCC) $$(HOSTFLAGS) $$(filter %.c,$$^) $(2) -o $$@
endef

$(eval $(call TOOL,symtab,-lelf))
$(eval $(call TOOL,orcgen,-ldw -lelf))
$(eval $(call TOOL,insnmap,-lZydis -lelf))

# Preloaded: into QEMU by tools/machine, into GRUB's tool by tools/mkiso.
$(BUILD)/host/gather.so: tools/gather/gather.c
$(BUILD)/host/clock.so: tools/clock/clock.c
$(BUILD)/host/gather.so $(BUILD)/host/clock.so: $(BUILD)/hosted/flags
	$(call say,HOSTCC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(HOSTFLAGS) -O2 -fPIC -shared $(filter %.c,$^) -o $@

# Uses the kernel's own stream code.
STREAM_SOURCES := $(addprefix core/,$(addsuffix .c,lib/print lib/refusal lib/crc32 ring/walk symbols/symbols symbols/table sample/view stream/head stream/stage stream/stream stream/tracing_data tracepoint/format stream/zstd_encoder stream/zstd_sequences))
STREAM_HEADERS := $(wildcard core/*.h core/*/*.h arch/*.h)
$(eval $(call TOOL,postmortem,-lelf,$(STREAM_SOURCES) $(STREAM_HEADERS)))

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
