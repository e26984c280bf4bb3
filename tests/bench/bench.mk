# SPDX-License-Identifier: BSD-2-Clause
# The programs of `make bench` (docs/bench.md). Part of the Makefile.

## make bench       what hits, frames, events, look-ups and tables cost, on many CPUs too, beside libunwind, libgcc, LTTng-UST and Linux
bench: packages-bench
	+$(Q)$(MAKE) --no-print-directory bench-built
	$(Q)perl -Itests/lib tests/bench/bench.pl

## make bench-table writes into docs/bench.md what hits cost in both kernels
bench-table: both-kernels packages-test
	+$(Q)$(MAKE) --no-print-directory tests-built
	$(Q)perl tests/bench/hit_table.pl

bench-built: $(sort $(BUILD)/pitot.iso $(BUILD)/test/pitot.iso $(BUILD)/host/gather.so $(BUILD)/programs.tar $(BUILD)/outside/pitot $(PLUGINS) $(FP_BUILD)/test/pitot.iso $(BUILD)/bench/objects $(FP_BUILD)/bench/objects) \
             $(BUILD)/bench/unwind $(BUILD)/bench/tables $(BUILD)/bench/ring

# The unwinder is compiled as for the kernel, except for the addresses that it is linked for. The
# code that it unwinds is one source in three builds (tests/bench/unwind/chain.h).
BENCH_KERNEL := core/unwind/unwind.c core/unwind/orc.c core/unwind/fp.c core/unwind/table.c core/lib/crc32.c \
                core/unwind/default_fp.c core/lib/refusal.c core/lib/print.c arch/x86_64/unwind/frame.c arch/x86_64/cpu/registers.c
BENCH_FLAGS  := -std=gnu11 -g -O2 -ffile-prefix-map=$(CURDIR)=. -fno-pie -fomit-frame-pointer -fasynchronous-unwind-tables -fcf-protection=none \
                -fno-stack-protector $(WARNINGS) -I. -DPITOT_OWN=kernel/x86_64/own.h
BENCH_OBJ    := $(BENCH_KERNEL:%=$(BUILD)/bench/%.o) $(patsubst %,$(BUILD)/bench/%.o,plain dense framed outermost.asm table.asm)
BENCH_UNWIND := $(filter-out %/chain.c %/libunwind.c %/libunwind_missing.c,$(wildcard tests/bench/unwind/*.c)) \
                tests/bench/tables/sorted_rows.c
LIBUNWIND     = $(shell $(HOSTCC) -E -include libunwind.h -x c /dev/null >/dev/null 2>&1 && echo yes)

$(BUILD)/bench/%.c.o: %.c $(BUILD)/flags
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -mcmodel=kernel,$(CFLAGS)) -MMD -MP -c $< -o $@

$(BUILD)/bench/%.asm.o: tests/bench/unwind/%.asm arch/x86_64/unwind/cfi.inc
	$(Q)mkdir -p $(@D)
	$(Q)$(NASM) -f elf64 -I ./ $< -o $@

$(BUILD)/bench/plain.o: CHAIN := -DCHAIN_BODY=36
$(BUILD)/bench/dense.o: CHAIN := -DCHAIN_BODY=0
$(BUILD)/bench/framed.o: CHAIN := -DCHAIN_BODY=36 -DCHAIN_FRAMED -fno-omit-frame-pointer
$(BUILD)/bench/plain.o $(BUILD)/bench/dense.o $(BUILD)/bench/framed.o: tests/bench/unwind/chain.c tests/bench/unwind/chain.h Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(BENCH_FLAGS) -mgeneral-regs-only -DCHAIN=chain_$(basename $(@F)) $(CHAIN) -c $< -o $@

$(BUILD)/bench/unwind: $(BENCH_UNWIND) $(BENCH_OBJ) $(BUILD)/host/orcgen $(wildcard tests/bench/*/*.[ch])
	$(call say,HOSTCC,$@)
	$(Q)$(HOSTCC) $(BENCH_FLAGS) -no-pie $(BENCH_UNWIND) $(BENCH_OBJ) \
		tests/bench/unwind/$(if $(LIBUNWIND),libunwind.c -lgcc_s -lunwind,libunwind_missing.c -lgcc_s) \
		-Wl,-z,now,-z,noexecstack,--build-id=sha1,--defsym=_text=__start_chain_text,--defsym=_etext=__stop_chain_text -o $@
	$(Q)$(BUILD)/host/orcgen --exempt .text --exempt .init --exempt .fini --exempt .plt --exempt .plt.got $@

$(BUILD)/bench/tables: $(wildcard tests/bench/tables/*.[ch]) core/unwind/table.c core/lib/crc32.c core/lib/refusal.c \
                       core/lib/print.c tools/orcgen/table.c $(wildcard core/unwind/table.h core/abi/*.h tools/orcgen/table.h)
	$(call say,HOSTCC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(HOSTCC) $(BENCH_FLAGS) -no-pie $(filter %.c,$^) -lm -o $@

# The ring, and the writers compared with it as kernel code, have the kernel's flags, once with the
# kernel's clock and once with a stopped one; all their names but the writers' are local. The others
# are compiled as programs are.
BENCH_RING       := tests/bench/ring
BENCH_RING_TWICE := core/ring/ring.c core/sample/sample.c tests/unit/ring_parts.c \
                    $(addprefix $(BENCH_RING)/,floor.c pitot.c sample_writer.c)
BENCH_RING_OBJ   := $(BUILD)/bench/ring-running.o $(BUILD)/bench/ring-still.o \
                    $(patsubst %,$(BUILD)/bench/%.o,$(BENCH_RING)/clock.c core/lib/refusal.c core/lib/print.c)
CK_RING           = $(shell $(HOSTCC) -E -include ck_ring.h -x c /dev/null >/dev/null 2>&1 && echo yes)
LTTNG             = $(shell $(HOSTCC) -E -include lttng/tracepoint.h -x c /dev/null >/dev/null 2>&1 && echo yes)

$(BUILD)/bench/ring-still.o: CLOCK := -UPITOT_OWN -DPITOT_OWN=tests/bench/ring/still.h -DCLOCK=still
$(BUILD)/bench/ring-running.o: CLOCK := -DCLOCK=running
$(BUILD)/bench/ring-still.o $(BUILD)/bench/ring-running.o: $(BENCH_RING_TWICE) $(wildcard $(BENCH_RING)/*.h core/ring/*.h core/sample/*.h arch/*.h arch/x86_64/*/*.h) $(BUILD)/flags
	$(Q)mkdir -p $@.parts
	$(Q)for source in $(BENCH_RING_TWICE); do \
		$(CC) $(filter-out -mcmodel=kernel,$(CFLAGS)) $(CLOCK) -c $$source -o $@.parts/$$(basename $$source).o || exit 1; done
	$(Q)ld -r $@.parts/*.o -o $@
	$(Q)objcopy --wildcard --keep-global-symbol='writer_*' $@

$(BUILD)/bench/ring: $(BENCH_RING_OBJ) $(wildcard $(BENCH_RING)/*)
	$(call say,HOSTCC,$@)
	$(Q)$(HOSTCC) $(BENCH_FLAGS) -no-pie $(addprefix $(BENCH_RING)/,main.c targets.c check.c steps.c rounds.c) $(BENCH_RING_OBJ) \
		$(BENCH_RING)/$(if $(CK_RING),ck.c,ck_missing.c) \
		$(BENCH_RING)/$(if $(LTTNG),lttng.c -llttng-ust -ldl,lttng_missing.c) -lpthread -z noexecstack -o $@

# The kernel's C objects, for tests/bench/sizes.pl.
$(BUILD)/bench/objects: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(filter %.c.o,$(KERNEL_OBJ))' > $@

$(BUILD)/fp/bench/objects: FORCE
	+$(Q)$(MAKE) --no-print-directory UNWINDER=fp BUILD=$(BUILD)/fp $@

-include $(wildcard $(BUILD)/bench/*/*.d $(BUILD)/bench/*/*/*.d)
