# SPDX-License-Identifier: BSD-2-Clause
# The sample kernel with build/lib/pitot.o, at each level of docs/porting.md. Part of the Makefile.

C_PORT_FLAGS := -std=gnu11 -O2 -g -ffreestanding -fno-pic -mcmodel=kernel -mno-red-zone -mgeneral-regs-only \
                -fcf-protection=none -fno-stack-protector -fno-omit-frame-pointer -fno-optimize-sibling-calls \
                -fasynchronous-unwind-tables -ffile-prefix-map=$(CURDIR)=. -Wall -Wextra -Werror -I$(BUILD)/lib/include -I.
comma := ,
C_PORT_PLAIN := $(addprefix ports/c/,boot.S entry.S cpu.c others.c thread.c main.c)

# NAME, LEVELS, OPTIONS, LINKER SCRIPT, CPUS of the object, of the kernel, kind of the object: each level has its part of what
# Pitot is given.
define C_PORT
$(BUILD)/ports/c-$(1).elf: $(C_PORT_PLAIN) $(2:%=ports/c/pitot_level%.c) $(or $(4),ports/c/kernel.ld) $(BUILD)/$(7:%=%/)$(5:%=cpus%/)lib/pitot.o ports/c/kernel.h ports/c/variants/gates.h ports/c/variants/ring3.h $(patsubst %,$(BUILD)/lib/include/%,pitot.h pitot_kernel.h pitot_trace.h cfi_gas.inc) ports/c/port.mk
	$$(call say,LINK,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)echo 'exec $$(CC) $$(C_PORT_FLAGS) -DCPUS=$(or $(6),$(5),1) -Wl,--build-id=sha1 $(3) -nostdlib -static -no-pie -Wl,-T,$(or $(4),ports/c/kernel.ld)' \
		'-Wl,-z,max-page-size=4096 -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments $$(filter %.c %.S %.o,$$^) "$$$$@"' > $$(@:.elf=.link)
	$$(Q)sh $$(@:.elf=.link) -o $$@
endef
# The kernel calls $(2) instead of $(1).
elsewhere = -Wl$(comma)--wrap=$(1) -Wl$(comma)--defsym=__wrap_$(1)=$(2)
wrap = $(patsubst %,-Wl$(comma)--wrap=%,$(1))
small := $(call wrap,pitot_start pitot_stop stack_find)
own := $(call wrap,trap_serve pitot_init)
$(eval $(call C_PORT,level0,0))
$(eval $(call C_PORT,level1,0 1))
$(eval $(call C_PORT,level2,0 1 2))
$(eval $(call C_PORT,undescribed,0 1 2,-iquote ports/c/variants/undescribed))
$(eval $(call C_PORT,own-gate,0 1 2,$(own)))
$(eval $(call C_PORT,small,0 1 2,$(small) -Wl$(comma)--defsym=__real_pitot_command=0))
$(eval $(call C_PORT,task-state,0 1 2,$(call wrap,pitot_start)))
$(eval $(call C_PORT,task-state-two,0 1 2 3,$(call wrap,pitot_start),,2))
$(eval $(call C_PORT,many-threads,0 1 2,$(call wrap,record_begin)))
frames = $(call wrap,pitot_tick pitot_start) -Wl$(comma)--defsym=SPOIL=$(1)
$(eval $(call C_PORT,frame-copied,0 1 2,$(call frames,0)))
$(eval $(call C_PORT,bp-wrong,0 1 2,$(call frames,1)))
$(eval $(call C_PORT,frame-low,0 1 2,$(call frames,2)))
$(eval $(call C_PORT,cramped,0 1 2,$(call wrap,pitot_tick stack_find)))
disarms = $(call wrap,record_begin record_end) -Wl$(comma)--defsym=WHEN=$(1)
$(eval $(call C_PORT,disarms,0 1 2,$(call disarms,1)))
$(eval $(call C_PORT,disarms-late,0 1 2,$(call disarms,2)))
outer = $(call wrap,pitot_init pitot_start) -Wl$(comma)--defsym=GATE=$(1)
$(eval $(call C_PORT,outer-entry,0 1 2,$(call outer,1)))
$(eval $(call C_PORT,outer-gateless,0 1 2,$(call outer,0)))
$(eval $(call C_PORT,tickless,0 1 2,$(call elsewhere,pitot_tick,pitot_doubtful)))
$(eval $(call C_PORT,stray,0 1 2,$(call wrap,record_end)))
$(eval $(call C_PORT,stray-first,0 1 2,$(call wrap,record_end pitot_init) -Wl$(comma)--defsym=GATE=1))
served = $(call wrap,pitot_init trap_serve record_end) -Wl$(comma)--defsym=OWN_STACK=$(1)
$(eval $(call C_PORT,served,0 1 2,$(call served,0)))
$(eval $(call C_PORT,served-stack,0 1 2,$(call served,1)))
$(eval $(call C_PORT,program,0 1 2,$(call wrap,trap_serve record_end)))
$(eval $(call C_PORT,program-chain,0 1 2,$(call wrap,trap_serve pitot_init record_end)))
$(eval $(call C_PORT,program-above,0 1 2,$(call wrap,trap_serve pitot_init record_end) -Wl$(comma)--defsym=above=1))
$(eval $(call C_PORT,program-below,0 1 2,$(call wrap,trap_serve pitot_init record_end) -Wl$(comma)--defsym=below=1))
watch = $(call wrap,trap_serve pitot_init other_main record_begin work) -Wl$(comma)--defsym=OWN_GATE=$(1)
$(eval $(call C_PORT,program-watch,0 1 2 3,$(call watch,0),,2))
$(eval $(call C_PORT,program-own-gate,0 1 2 3,$(call watch,1),,2))
$(eval $(call C_PORT,program-watch-level4,0 1 2 3 4,$(call watch,0),,2,,level4))
$(eval $(call C_PORT,program-one,0 1 2,$(call watch,0)))
$(eval $(call C_PORT,program-returnless,0 1 2,$(call watch,0) $(call elsewhere,pitot_program_returns,pitot_doubtful)))
$(eval $(call C_PORT,program-returnless-level4,0 1 2 4,$(call watch,0) $(call elsewhere,pitot_program_returns,pitot_doubtful),,,,level4))
$(eval $(call C_PORT,low,0 1 2,-Wl$(comma)--defsym=LOW=1))
$(eval $(call C_PORT,nameless,0 1 2,-Wl$(comma)--build-id=none))
$(eval $(call C_PORT,level3,0 1 2 3,,,2))
$(eval $(call C_PORT,patched,0 1 2 3,-DPITOT_PATCHED,,2))
$(eval $(call C_PORT,switches,0 1,$(call wrap,pitot_thread_runs)))
$(eval $(call C_PORT,siteless,0,,$(BUILD)/ports/siteless.ld))
check = $(call wrap,pitot_init record_end) -Wl$(comma)--defsym=TRAPS=$(1)
$(eval $(call C_PORT,check,0 1 2 3,$(call check,1),,2))
$(eval $(call C_PORT,check-trapless,0 1 2 3,$(call check,0),,2))
$(eval $(call C_PORT,moves,0 1 2 3,$(call wrap,pitot_stand others_ask pitot_start),,2))
$(eval $(call C_PORT,level3-inline,0 1 2 3,$(call wrap,pitot_init),,,2,inline))
$(eval $(call C_PORT,lacks,0 1 2 3,$(call wrap,pitot_init),,2))
$(eval $(call C_PORT,one-of-two,0 1 2,,,2,1))
$(eval $(call C_PORT,two-of-one,0 1 2 3,,,,2))
$(eval $(call C_PORT,deaf,0 1 2 3,$(call elsewhere,pitot_stand,pitot_doubtful),,2))
$(eval $(call C_PORT,istless,0 1 2,$(call wrap,pitot_init) -Wl$(comma)--defsym=GATE=2))
$(eval $(call C_PORT,ist-shared,0 1 2,$(call wrap,pitot_init) -Wl$(comma)--defsym=GATE=3))
$(eval $(call C_PORT,level4,0 1 2 4,,,,,level4))
$(eval $(call C_PORT,level4-words,0 1 2 4,$(call wrap,pitot_command),,,,level4))
$(eval $(call C_PORT,level4-two,0 1 2 3 4,,,2,,level4))
$(eval $(call C_PORT,level4-small,0 1 2 4,$(small) $(call wrap,pitot_command),,,,level4))
$(eval $(call C_PORT,level4-tickless,0 1 2 4,$(call elsewhere,pitot_tick,pitot_doubtful) -Wl$(comma)--build-id=none,,,,level4))
$(eval $(call C_PORT,level4-deaf,0 1 2 3 4,$(call elsewhere,pitot_stand,pitot_doubtful),,2,,level4))
$(eval $(call C_PORT,level4-dropped,0 1 2 4,,$(BUILD)/ports/no-commands.ld,,,level4))
$(eval $(call C_PORT,kept-behind,0 1 2 4,,$(BUILD)/ports/kept-behind.ld,,,level4))
$(eval $(call C_PORT,level7,0 1 2 4 7,,$(BUILD)/ports/kept.ld,,,level4))
$(eval $(call C_PORT,level6,0 1 2 4 6,,,,,level4))
calls = $(call wrap,pitot_init) -Wl$(comma)--defsym=TELLS=$(1)
$(eval $(call C_PORT,calls,0 1 2 4,$(call calls,0),,,,level4))
$(eval $(call C_PORT,tells,0 1 2 4,$(call calls,1),,,,level4))
$(eval $(call C_PORT,level5,0 1 2 5,,,,,level5))
$(eval $(call C_PORT,gdb-port,0 1 2 5,$(call wrap,pitot_init),,,,level5))
$(eval $(call C_PORT,lineless,0 1 2 5,$(call elsewhere,gdb_put,0),,,,level5))
$(eval $(call C_PORT,vanishes,0 1 2 5,$(call wrap,gdb_get),,,,level5))
$(eval $(call C_PORT,gdb-stack,0 1 2 5,$(call wrap,pitot_gdb_poll gdb_get record_end),,,,level5))
$(eval $(call C_PORT,gdbless,0 1 2 5))
$(eval $(call C_PORT,level5-two,0 1 2 3 5,,,2,,level5))
$(eval $(call C_PORT,hides,0 1 2 3 5,$(call wrap,other_main record_begin),,2,,level5))
$(eval $(call C_PORT,gdb-program,0 1 2 3 5,$(call wrap,other_main trap_serve),,2,,level5))
first = $(call wrap,record_begin) $(call elsewhere,pitot_stand,$(1))
$(eval $(call C_PORT,gdb-deaf,0 1 2 3 5,$(call first,pitot_doubtful),,2,,level5))
$(eval $(call C_PORT,gdb-frameless,0 1 2 3 5,$(call first,frameless_stand),,2,,level5))
$(eval $(call C_PORT,monitor,0 1 2 4 5 6,$(call wrap,console_run),,,,monitor))
$(eval $(call C_PORT,monitor-two,0 1 2 3 4 5 6,$(call wrap,console_run),,2,,monitor))
$(eval $(call C_PORT,threadless,0 1 2 4 5,,,,,monitor))
$(eval $(call C_PORT,dropped,0,,$(BUILD)/ports/dropped.ld))

$(patsubst %,$(BUILD)/ports/c-%.elf,level4 level4-small level6 level7): ports/c/variants/commands.c
$(BUILD)/ports/c-level3-inline.elf: ports/c/variants/memberless.c
$(BUILD)/ports/c-lacks.elf: ports/c/variants/lacks.c
$(BUILD)/ports/c-calls.elf $(BUILD)/ports/c-tells.elf: ports/c/variants/calls.c
$(BUILD)/ports/c-switches.elf: ports/c/variants/switches.c
$(BUILD)/ports/c-check.elf $(BUILD)/ports/c-check-trapless.elf: ports/c/variants/check.c
$(BUILD)/ports/c-own-gate.elf: ports/c/variants/own_gate.c
$(BUILD)/ports/c-level4.elf $(BUILD)/ports/c-level4-small.elf: ports/c/variants/tab.c
$(BUILD)/ports/c-level4-small.elf $(BUILD)/ports/c-small.elf: ports/c/variants/small_stack.c
$(BUILD)/ports/c-level4-words.elf: ports/c/variants/words.c
$(BUILD)/ports/c-cramped.elf: ports/c/variants/cramped.c
$(BUILD)/ports/c-disarms.elf $(BUILD)/ports/c-disarms-late.elf: ports/c/variants/disarms.c
$(BUILD)/ports/c-gdb-port.elf: ports/c/variants/gdb_port.c
$(BUILD)/ports/c-moves.elf: ports/c/variants/moves.c
$(BUILD)/ports/c-task-state.elf $(BUILD)/ports/c-task-state-two.elf: ports/c/variants/task_state.c
$(BUILD)/ports/c-vanishes.elf: ports/c/variants/vanishes.c
$(BUILD)/ports/c-many-threads.elf: ports/c/variants/many_threads.c
$(patsubst %,$(BUILD)/ports/c-%.elf,frame-copied bp-wrong frame-low): ports/c/variants/frames.c
$(BUILD)/ports/c-outer-entry.elf $(BUILD)/ports/c-outer-gateless.elf: ports/c/variants/outer_entry.c
$(BUILD)/ports/c-gdb-stack.elf: ports/c/variants/gdb_stack.c
$(BUILD)/ports/c-hides.elf: ports/c/variants/hides.c
$(BUILD)/ports/c-gdb-program.elf: ports/c/variants/gdb_program.c
$(BUILD)/ports/c-gdb-deaf.elf $(BUILD)/ports/c-gdb-frameless.elf: ports/c/variants/gdb_first.c
$(BUILD)/ports/c-monitor.elf $(BUILD)/ports/c-monitor-two.elf: ports/c/variants/monitor.c
$(BUILD)/ports/c-stray.elf: ports/c/variants/stray.c
$(BUILD)/ports/c-program.elf: ports/c/variants/program.c
$(BUILD)/ports/c-program-chain.elf $(BUILD)/ports/c-program-above.elf $(BUILD)/ports/c-program-below.elf: ports/c/variants/program_chain.c
$(patsubst %,$(BUILD)/ports/c-%.elf,program-watch program-own-gate program-watch-level4 program-one program-returnless program-returnless-level4): ports/c/variants/program_watch.c
$(BUILD)/ports/c-stray-first.elf: ports/c/variants/stray.c
$(BUILD)/ports/c-served.elf $(BUILD)/ports/c-served-stack.elf: ports/c/variants/served.c
$(patsubst %,$(BUILD)/ports/c-%.elf,stray-first istless ist-shared): ports/c/variants/gate.c

$(BUILD)/ports/c-undescribed.elf: ports/c/variants/undescribed/cfi_gas.inc

# Other builds of the object: FOLDER, VARIABLES.
define C_PORT_LIB
$(BUILD)/$(1)/lib/pitot.o: FORCE
	+$$(Q)$$(MAKE) --no-print-directory -f core/embed/lib.mk BUILD=$(BUILD)/$(1) $(2) CC='$$(CC)' NASM='$$(NASM)' V=$$(V)
endef
$(eval $(call C_PORT_LIB,cpus2,CPUS=2))
$(eval $(call C_PORT_LIB,level4,LEVEL=4))
$(eval $(call C_PORT_LIB,level4/cpus2,LEVEL=4 CPUS=2))
$(eval $(call C_PORT_LIB,inline,CPUS=2 INLINE=ports/c/variants/inline.h))
$(eval $(call C_PORT_LIB,level5,GDB=1))
$(eval $(call C_PORT_LIB,level5/cpus2,GDB=1 CPUS=2))
$(eval $(call C_PORT_LIB,monitor,LEVEL=4 GDB=1))
$(eval $(call C_PORT_LIB,monitor/cpus2,LEVEL=4 GDB=1 CPUS=2))

# Linker scripts that drop sections they do not know.
$(BUILD)/ports/dropped.ld: ports/c/kernel.ld
	$(Q)mkdir -p $(@D)
	$(Q)sed 's|/DISCARD/ : {|& *(pitot_*)|' $< > $@

$(BUILD)/ports/siteless.ld: ports/c/kernel.ld
	$(Q)mkdir -p $(@D)
	$(Q)sed 's|/DISCARD/ : {|& *(pitot_sites)|' $< > $@

# What a reset leaves alone is not in the image, so the loader does not write there.
$(BUILD)/ports/kept.ld: ports/c/kernel.ld
	$(Q)mkdir -p $(@D)
	$(Q)sed 's|^    \.bss :|    .kept BASE + 0x2000000 (NOLOAD) : { *(.bss.pitot_kept) . = ALIGN(0x100000); kept_start = .; . += 0x100000; }\n    . = ADDR(.data) + SIZEOF(.data);\n&|' $< > $@

$(BUILD)/ports/kept-behind.ld: ports/c/kernel.ld
	$(Q)mkdir -p $(@D)
	$(Q)sed 's|\*(.bss .bss.\* COMMON)|*(.bss .bss.[!p]* COMMON)|' $< > $@

$(BUILD)/ports/no-commands.ld: ports/c/kernel.ld
	$(Q)mkdir -p $(@D)
	$(Q)sed 's|/DISCARD/ : {|& *(pitot_commands)|' $< > $@

# With tables: symbols, and chains by the compiler's unwind information. The kernel in Rust, too.
$(BUILD)/ports/%-tables.elf: $(BUILD)/ports/%.elf $(LIB_BIN)
	$(call say,TABLES,$@)
	$(Q)$(BUILD)/lib/bin/pitot-tables --text text_start,text_end --exempt .boot -- sh $(<:.elf=.link) -o $@

C_PORTS := $(patsubst %,$(BUILD)/ports/c-%.elf,level0 level1 level2 level3 level2-tables undescribed-tables own-gate-tables small-tables low-tables nameless-tables level3-tables level4 level4-tables level6-tables calls-tables tells-tables level7-tables level4-small-tables level4-words-tables level4-two-tables level4-tickless-tables level4-deaf-tables level3-inline patched switches siteless lacks moves one-of-two two-of-one deaf dropped istless ist-shared task-state task-state-two tickless many-threads frame-copied bp-wrong frame-low cramped disarms disarms-late outer-entry outer-gateless stray check check-trapless kept-behind stray-first served served-stack program program-chain-tables program-watch-tables program-own-gate-tables program-watch-level4-tables program-one program-returnless program-returnless-level4-tables program-above program-below-tables level5 gdb-port lineless vanishes gdb-stack gdbless level5-two hides gdb-program gdb-deaf gdb-frameless monitor-tables monitor-two-tables threadless-tables)
