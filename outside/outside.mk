# SPDX-License-Identifier: BSD-2-Clause
# pitot, which watches unmodified kernels in QEMU: the command and the plugins. Part of the Makefile.

## make outside     build/outside/pitot, to put before your own QEMU command, your kernel unchanged (docs/outside.md):
##                  build/outside/pitot record -g -- qemu-system-x86_64 -kernel my.elf ...
outside: packages-build $(BUILD)/outside/pitot $(PLUGINS)

## make install     pitot, its plugins and its manual page, in PREFIX=/usr/local, after DESTDIR=; make uninstall removes them
##
PREFIX ?= /usr/local
INSTALLED = $(DESTDIR)$(PREFIX)
install: packages-build $(BUILD)/outside/pitot $(PLUGINS)
	$(Q)install -D -t $(INSTALLED)/bin $(BUILD)/outside/pitot
	$(Q)install -D -m 644 -t $(INSTALLED)/lib/pitot $(PLUGINS)
	$(Q)install -D -m 644 -t $(INSTALLED)/share/man/man1 outside/pitot.1

uninstall:
	$(Q)rm -f $(INSTALLED)/bin/pitot $(INSTALLED)/share/man/man1/pitot.1 $(PLUGINS:$(BUILD)/outside/%=$(INSTALLED)/lib/pitot/%)
	$(Q)[ ! -d $(INSTALLED)/lib/pitot ] || rmdir $(INSTALLED)/lib/pitot

# --- The command ---

PITOT_CORE := $(addprefix core/,$(addsuffix .c,lib/print lib/refusal lib/words symbols/describe symbols/distance symbols/nearest symbols/place symbols/suggest symbols/table symbols/table_suggest lib/glob lib/number lib/option))

# What every page of `pitot show` has, as bytes: outside/pitot/show_page.c.
PAGE := page.css page.html page.js
$(BUILD)/outside/page.o: $(PAGE:%=outside/show/%)
	$(Q)mkdir -p $(@D)
	$(Q)cd outside/show && ld -r -b binary -z noexecstack -o $(abspath $@) $(PAGE)

$(BUILD)/outside/pitot: $(wildcard outside/pitot/*.[ch] outside/*.h core/abi/*.h core/lib/*.h core/symbols/*.h) $(PITOT_CORE) $(BUILD)/outside/page.o $(BUILD)/hosted/flags
	$(call say,HOSTCC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(HOSTFLAGS) $(filter %.c %.o,$^) -ldw -lelf -liberty -o $@
