# SPDX-License-Identifier: BSD-2-Clause
# The host programs that tests run: unit tests, the programs of tests/host, fuzzers, the ring on its
# memory model. Part of the Makefile.

# What `make test` runs: everything, or with QUICK=1 what covers most of the tree in the least time.
# docs/testing.md lists what that leaves out.
QUICK_TESTS := tests/unit/units.t tests/boot/suites.t tests/boot/demo.t tests/boot/port.t \
               tests/host/stream_perf.t tests/host/hit_text.t tests/host/difference.t
TESTS       ?= $(if $(QUICK),$(QUICK_TESTS),tests/unit tests/model tests/host tests/boot)

UNIT       := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*_test.c))
HOST       := $(patsubst tests/host/%.c,$(BUILD)/host/%,$(filter-out %/fake_symbols.c,$(wildcard tests/host/*.c)))

tests-built: hosted $(BUILD)/model/ring_model $(BUILD)/host/postmortem $(BUILD)/outside/pitot $(PLUGINS) iso $(BUILD)/test/pitot.iso $(FP_BUILD)/test/pitot.iso $(BUILD)/port.elf $(C_PORTS) $(RUST_PORT)

# The kernel with frame pointers, beside the one without.
$(BUILD)/fp/test/pitot.iso: FORCE
	+$(Q)$(MAKE) --no-print-directory UNWINDER=fp BUILD=$(FP_BUILD) iso $(FP_BUILD)/test/pitot.iso

# A program is linked from its own object, those that its head names, and what these need of an
# archive of the kernel's sources that run on the host. Heads have lines such as
# ` * links: tests/unit/fake_arch.c` and ` * libs: -lelf`. Objects are compiled once for all programs
# with the same flags.
HEADS := $(shell awk '/^ \* (links|libs|sanitizer): / { for (i = 3; i <= NF; i++) print FILENAME "|" $$2 $$i }' tests/*/*.c)
links = $(patsubst $(1)|links:%,%,$(filter $(1)|links:%,$(HEADS)))
libs  = $(patsubst $(1)|libs:%,%,$(filter $(1)|libs:%,$(HEADS)))

# Sources that define no common names, so that the order of requests does not matter. From arch and
# boot: sources without instructions that only the kernel may run. A program names its unwinder
# itself; string functions are the library's. A fake is here if its names exist nowhere else; a fake
# that replaces a source is named in the heads of the programs that use it, and so are commands,
# which are reached only through their section.
HOST_C := $(filter-out core/embed/%.c core/unwind/default_%.c core/lib/string.c kernel/panic/panic.c,$(wildcard core/*.c core/*/*.c kernel/*.c kernel/*/*.c)) \
          $(addprefix arch/x86_64/,debug/accessor.c debug/accessor_made.c debug/branch.c unwind/frame.c debug/insn_map.c debug/operand.c debug/operand_address.c debug/operand_length.c debug/report.c cpu/registers.c) \
          $(addprefix boot/,clock_rate.c information.c nmi_clock.c pvh.c) drivers/acpi.c drivers/hpet.c \
          $(addprefix outside/plugin/,alike.c code.c context.c decode.c decode_atomic.c follow.c follow_interrupt.c follow_switch.c stack.c writers.c) \
          $(addprefix tools/,image/image.c postmortem/dump.c symtab/symbols.c) \
          $(patsubst %,tests/unit/%.c,fake_assert fake_device fake_gdb_target fake_pages fake_symtab fake_unwind_table ring_check \
                                     ring_parts ring_payload ring_stepped ring_writer step)

# An object made before its source was moved would hide the move until a build in a new folder.
$(foreach source,$(filter-out $(wildcard $(HOST_C)),$(HOST_C)),$(error tests/tests.mk: there is no $(source)))

HOSTED     := $(BUILD)/hosted
HOSTED_OBJ := $(HOST_C:%=$(HOSTED)/%.o)
OTHER_OBJ  := $(patsubst %,$(HOSTED)/%.o,$(wildcard tests/unit/*.c tests/host/*.c) $(foreach program,$(UNIT) $(HOST),$(filter-out tests/%,$(call links,$(program:$(BUILD)/%=tests/%.c)))))

$(HOSTED)/%.c.o: %.c $(HOSTED)/flags
	$(call say,HOSTCC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(HOSTFLAGS) $(SANITIZE) -MMD -MP -c $< -o $@

$(eval $(call NOTE,$(HOSTED)/flags,$(HOSTCC) $(HOSTFLAGS) $(SANITIZE)))
$(eval $(call NOTE,$(HOSTED)/members,$(HOSTED_OBJ)))

# A thin archive: it refers to the objects in place.
$(BUILD)/hosted.a: $(HOSTED_OBJ) $(HOSTED)/members
	$(Q)rm -f $@
	$(Q)ar rcsTP $@ $(HOSTED_OBJ)

# FOLDER, NAME, OBJECTS, LIBRARIES. The linker reports which members it used, and the program is
# rebuilt when they change; only the objects named here are passed to the linker by name. The
# archive may be newer, as most of it does not concern this program.
define HOST_PROGRAM
$(BUILD)/$(1)/$(2): $(3) $(HOSTED)/members | $(BUILD)/hosted.a
	$$(call say,LINK,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(HOSTCC) $$(SANITIZE) -Wl,-t,-t $(3) $(BUILD)/hosted.a $(4) -o $$@ > $$@.linked
	$$(Q)sed -n 's|^$(HOSTED)/.*\.o$$$$|$$@: &\n&:|p' $$@.linked > $$@.d
endef
parts = $(patsubst %,$(HOSTED)/%.o,$(1) $(call links,$(1)))

# NAME: a test that forks at each instruction has ` * sanitizer: undefined` in its head, as the
# address sanitizer's shadow makes a fork five times as expensive. It is first linked with that
# sanitizer nevertheless, which shows the sources it needs; these are then compiled for it once
# more, with -O2 like the kernel, which leaves fewer instructions to stop at (drain_test: 167,000 of
# 204,000).
stepped = $(filter $(1)|sanitizer:undefined,$(HEADS))
define STEPPED_PROGRAM
$(call HOST_PROGRAM,stepped,$(1),$(2),$(3))
$(BUILD)/unit/$(1): $(BUILD)/stepped/$(1)
	$$(call say,LINK,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)cp $$<.linked $$@.linked
	$$(Q)$$(HOSTCC) $$(HOSTFLAGS) -O2 -fsanitize=undefined -fno-sanitize-recover=all $$$$(sed -n 's|^$(HOSTED)/\(.*\)\.o$$$$|\1|p' $$@.linked) $(3) -o $$@
-include $(BUILD)/stepped/$(1).d
endef

UNIT_PROGRAM = $(if $(call stepped,tests/unit/$(1).c),$(call STEPPED_PROGRAM,$(1),$(2),$(3)),$(call HOST_PROGRAM,unit,$(1),$(2),$(3)))

$(foreach test,$(notdir $(UNIT)),$(eval $(call UNIT_PROGRAM,$(test),$(call parts,tests/unit/$(test).c),-lcmocka $(call libs,tests/unit/$(test).c))))
$(foreach program,$(notdir $(HOST)),$(eval $(call HOST_PROGRAM,host,$(program),$(call parts,tests/host/$(program).c),$(call libs,tests/host/$(program).c))))

.PHONY: hosted
hosted: $(UNIT) $(HOST)

-include $(sort $(HOSTED_OBJ:.o=.d) $(OTHER_OBJ:.o=.d)) $(UNIT:=.d) $(HOST:=.d)

# libFuzzer belongs to clang. tests/host/fuzz.t builds these, as it can report what is missing; so
# each object is named, and no other is compiled. A call at each comparison would take half of the
# time, and no fuzzer reached more code with it, or found anything sooner.
FUZZ     := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*_fuzz.c))
FUZZ_OBJ := $(patsubst %,$(BUILD)/fuzz/obj/%.o,$(sort $(wildcard tests/fuzz/*.c) $(foreach program,$(FUZZ),$(call links,$(program:$(BUILD)/%=tests/%.c)))))
FUZZ_CC  := clang $(SANITIZE) -fsanitize=fuzzer -fno-sanitize-coverage=trace-cmp

$(BUILD)/fuzz/obj/%.c.o: %.c $(BUILD)/fuzz/flags
	$(call say,CLANG,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(HOSTFLAGS) -MMD -MP -c $< -o $@

$(eval $(call NOTE,$(BUILD)/fuzz/flags,$(FUZZ_CC) $(HOSTFLAGS)))

define FUZZ_PROGRAM
$(1): $(patsubst %,$(BUILD)/fuzz/obj/%.o,$(2) $(call links,$(2)))
	$$(call say,LINK,$$@)
	$$(Q)$$(FUZZ_CC) $$^ -lcmocka $(call libs,$(2)) -o $$@
endef

$(foreach program,$(FUZZ),$(eval $(call FUZZ_PROGRAM,$(program),$(program:$(BUILD)/%=tests/%.c))))

-include $(FUZZ_OBJ:.o=.d)

# The ring's source on its memory model: tests/model/arch/local.h replaces arch's.
# tests/model/order.t makes the broken copies and builds them, as it can report what is missing.
MODEL_FLAGS = -Itests/model $(HOSTFLAGS) $(SANITIZE) -MMD -MP
MODEL_OBJ  := $(patsubst %,$(BUILD)/model/obj/%.o,$(wildcard tests/model/*.c) core/lib/refusal.c core/lib/print.c tests/unit/ring_payload.c)

# The search visits millions of states, and does not access the ring's memory: the address sanitizer
# only watches the ring's source and its programs.
MODEL_SEARCH := $(patsubst %,$(BUILD)/model/obj/tests/model/%.c.o,explore order states transcript)
$(MODEL_SEARCH): MODEL_FLAGS = -Itests/model $(HOSTFLAGS) -O2 -fsanitize=undefined -fno-sanitize-recover=all -MMD -MP

$(BUILD)/model/obj/%.c.o: %.c $(BUILD)/model/flags
	$(call say,HOSTCC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(MODEL_FLAGS) -c $< -o $@

$(eval $(call NOTE,$(BUILD)/model/flags,$(HOSTCC) $(HOSTFLAGS) $(SANITIZE)))

MODEL_RING := $(BUILD)/model/obj/core/ring/ring.c.o $(BUILD)/model/obj/tests/unit/ring_parts.c.o

$(BUILD)/model/ring_model: $(MODEL_RING) $(MODEL_OBJ)
	$(Q)$(HOSTCC) $(SANITIZE) $^ -o $@

# It runs only briefly, so the compiler should be fast.
$(BUILD)/model/broken/%: $(BUILD)/model/broken/%.c $(MODEL_OBJ)
	$(Q)$(HOSTCC) $(MODEL_FLAGS) -O0 $^ -o $@

-include $(MODEL_OBJ:.o=.d) $(MODEL_RING:.o=.d)
