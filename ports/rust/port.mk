# SPDX-License-Identifier: BSD-2-Clause
# A kernel in Rust with build/lib/pitot.o. Part of the Makefile. Debian's rustc has core only for host programs; main.rs says
# what that means.

RUSTC ?= $(firstword $(wildcard /usr/bin/rustc) rustc)
RUST_FLAGS := --edition 2021 --crate-type staticlib --crate-name kernel -O -g -C panic=abort -C relocation-model=static \
              -C code-model=kernel -C no-redzone=yes -C force-frame-pointers=yes -C force-unwind-tables=yes \
              -C target-feature=-sse,-sse2,-sse3,-ssse3,-sse4.1,-sse4.2,-avx,-avx2 \
              --remap-path-prefix $(CURDIR)=.

$(BUILD)/ports/rust/libkernel.a: $(wildcard ports/rust/*.rs)
	$(call say,RUSTC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(RUSTC) $(RUST_FLAGS) ports/rust/main.rs -o $@

$(BUILD)/ports/rust.elf: $(BUILD)/ports/rust/libkernel.a ports/rust/boot.S ports/rust/kernel.ld $(BUILD)/lib/pitot.o $(BUILD)/lib/include/cfi_gas.inc
	$(call say,LINK,$@)
	$(Q)echo 'exec $(CC) -I$(BUILD)/lib/include -nostdlib -static -no-pie -Wl,--build-id=sha1 -Wl,-T,ports/rust/kernel.ld -Wl,--gc-sections' \
		'-Wl,-z,max-page-size=4096 -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments ports/rust/boot.S $(BUILD)/lib/pitot.o' \
		'$(BUILD)/ports/rust/libkernel.a "$$@"' > $(@:.elf=.link)
	$(Q)sh $(@:.elf=.link) -o $@

$(BUILD)/ports/rust/layout: tests/host/rust_layout.rs ports/rust/pitot.rs
	$(call say,RUSTC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(RUSTC) --edition 2021 $< -o $@

RUST_PORT := $(BUILD)/ports/rust/layout $(BUILD)/ports/rust.elf $(BUILD)/ports/rust-tables.elf
