# SPDX-License-Identifier: BSD-2-Clause
# pitot, which watches unmodified kernels in QEMU: the command and the plugins. Part of the Makefile.

## make outside     build/outside/pitot, to put before your own QEMU command, your kernel unchanged (docs/outside.md):
##                  build/outside/pitot record -g -- qemu-system-x86_64 -kernel my.elf ...
outside: packages-build $(BUILD)/outside/pitot $(PLUGINS)

## make install     pitot, its plugins, its manual page and completion for bash and zsh, in PREFIX=/usr/local, after DESTDIR=;
##                  make uninstall removes them
PREFIX ?= /usr/local
INSTALLED = $(DESTDIR)$(PREFIX)
COMPLETION := $(BUILD)/outside/pitot.bash $(BUILD)/outside/pitot.zsh
INTO_BASH   = $(INSTALLED)/share/bash-completion/completions/pitot
# Where zsh looks under its own prefix and under /usr/local; for packages Debian has another folder.
ZSH_FOLDER  = site-functions
INTO_ZSH    = $(INSTALLED)/share/zsh/$(ZSH_FOLDER)/_pitot
install: packages-build $(BUILD)/outside/pitot $(PLUGINS) $(COMPLETION)
	$(Q)install -D -t $(INSTALLED)/bin $(BUILD)/outside/pitot
	$(Q)install -D -m 644 -t $(INSTALLED)/lib/pitot $(PLUGINS)
	$(Q)install -D -m 644 -t $(INSTALLED)/share/man/man1 outside/pitot.1
	$(Q)install -D -m 644 $(BUILD)/outside/pitot.bash $(INTO_BASH)
	$(Q)install -D -m 644 $(BUILD)/outside/pitot.zsh $(INTO_ZSH)

uninstall:
	$(Q)rm -f $(INSTALLED)/bin/pitot $(INSTALLED)/share/man/man1/pitot.1 $(PLUGINS:$(BUILD)/outside/%=$(INSTALLED)/lib/pitot/%) $(INTO_BASH) $(INTO_ZSH)
	$(Q)[ ! -d $(INSTALLED)/lib/pitot ] || rmdir $(INSTALLED)/lib/pitot

$(COMPLETION): $(BUILD)/outside/pitot.%: $(BUILD)/outside/pitot
	$(Q)$< --completion $* > $@

## make deb         build/pitot_VERSION_amd64.deb, for this Debian and later ones: sudo apt install ./build/pitot_*.deb
DEB := $(BUILD)/pitot_$(VERSION)_amd64.deb
deb: packages-build
	+$(Q)$(MAKE) --no-print-directory $(BUILD)/outside/pitot $(PLUGINS) $(COMPLETION)
	$(Q)rm -rf $(BUILD)/deb
	+$(Q)$(MAKE) --no-print-directory install PACKAGES=skip PREFIX=/usr ZSH_FOLDER=vendor-completions DESTDIR=$(abspath $(BUILD))/deb
	$(Q)tools/package $(BUILD)/deb $(VERSION) $(DEB)
	@echo $(DEB)

# --- The command ---

PITOT_CORE := $(addprefix core/,$(addsuffix .c,lib/print lib/refusal lib/words symbols/describe symbols/nearest symbols/place symbols/table lib/glob lib/number lib/option))

# Of this tree, not of one around it; none without git.
COMMIT := $(and $(wildcard .git),$(shell git log -1 --format=' (%h)' --abbrev=12 2>/dev/null))
$(eval $(call NOTE,$(BUILD)/outside/commit,$(COMMIT)))

# What every page has, as bytes: outside/pitot/show_page.c.
PAGE := answer.js page.css page.html page.js
$(BUILD)/outside/page.o: $(PAGE:%=outside/show/%)
	$(Q)mkdir -p $(@D)
	$(Q)cd outside/show && ld -r -b binary -z noexecstack -o $(abspath $@) $(PAGE)

$(BUILD)/outside/pitot: $(wildcard outside/pitot/*.[ch] outside/*.h core/abi/*.h core/lib/*.h core/symbols/*.h) $(PITOT_CORE) $(BUILD)/outside/page.o $(BUILD)/outside/commit $(BUILD)/hosted/flags
	$(call say,HOSTCC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(HOSTFLAGS) -DPITOT_COMMIT='"$(COMMIT)"' $(filter %.c %.o,$^) -ldw -lelf -liberty -o $@
