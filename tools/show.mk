# SPDX-License-Identifier: BSD-2-Clause
# Recordings in other projects' programs, and the release. Part of the Makefile. A whole file replaces the one of the last time;
# until then it is beside it.

RECORDING = $(call quoted,$(or $(FROM),$(BUILD)/com2.bin))

## make perfdata    build/perf.data, a file for perf, of the stream of `make run`, or FROM=CAPTURE: a stream, or a serial line's
##                  log with base64 blocks, BLOCK=N; and build/perf.data.kallsyms, the recorded kernel's symbols, for hotspot
perfdata: | $(BUILD)
	$(Q)tools/perf-file $(RECORDING) $(BUILD)/perf.data $(BUILD)/symfs/vmlinux
	@echo 'perf report -i $(BUILD)/perf.data --symfs=$(BUILD)/symfs --vmlinux=$(abspath $(BUILD))/pitot.elf'

## make live        perf script's output while `make run` records in another terminal, until ^C; or FROM=STREAM
live:
	$(Q)tools/show live $(RECORDING)

## make show        build/show.html, what `pitot show` draws of the recording of `make run`, or FROM=CAPTURE, FROM=perf.data;
##                  SHOW="--svg -e EVENT -o FILE" and other options of that command; --svg: build/show.svg
show: $(BUILD)/outside/pitot
	$(Q)tools/show page $(RECORDING) $(SHOW)

## make trace       build/trace.json, who ran when, for ui.perfetto.dev and others, of the recording of `make run`, or FROM=CAPTURE:
##                  perf record -a -e sched:* -e irq:* -e raw_syscalls:* -e lock:* -- ...; TRACE="-o FILE"
trace: $(BUILD)/outside/pitot
	$(Q)tools/show trace $(RECORDING) $(TRACE)

## make viewers     fetches the programs of README's "Open it in", and checks that each finds all samples of the
##                  demonstration, or all events of a trace
viewers: packages-run packages-viewers
	+$(Q)$(MAKE) --no-print-directory iso outside $(BUILD)/port.elf
	$(Q)command -v npm >/dev/null || { echo 'make viewers: npm is missing; it fetches speedscope and the Firefox Profiler'; exit 1; }
	$(Q)npm install --prefix $(BUILD)/npm --no-fund --no-audit --silent speedscope @firefox-devtools/profiler-cli
	$(Q)prove tests/viewers/viewers.t

## make demo        docs/demo.perf and docs/demo.kallsyms, recorded anew; make picture: docs/wild.svg, README's, drawn anew
demo: packages-run
	+$(Q)$(MAKE) --no-print-directory iso
	$(Q)tools/demo
picture: packages-run
	+$(Q)$(MAKE) --no-print-directory iso
	$(Q)BOOT=kernel ICOUNT=8 SLEEP=off COM2=$(BUILD)/com2.bin RUN='wild; perf record -a -e mem:shared_block+8/8:w -g -- wild; perf report -g callee -s sym; poweroff' \
		tools/machine </dev/null > $(BUILD)/wild.console
	$(Q)tools/transcript request_expire < $(BUILD)/wild.console > $(BUILD)/wild.svg
	$(Q)mv $(BUILD)/wild.svg docs/wild.svg

## make release     build/release: the image, the kernel, the demonstration's recording, and checksums
release: packages-build
	+$(Q)$(MAKE) --no-print-directory iso
	$(Q)rm -rf $(BUILD)/release.part && mkdir -p $(BUILD)/release.part
	$(Q)cp $(BUILD)/pitot.iso $(BUILD)/release.part/pitot-$(VERSION).iso
	$(Q)cp $(BUILD)/pitot.elf $(BUILD)/release.part/pitot-$(VERSION).elf
	$(Q)cp docs/demo.perf docs/demo.kallsyms $(BUILD)/release.part
	$(Q)cd $(BUILD)/release.part && sha256sum *.* > SHA256SUMS
	$(Q)rm -rf $(BUILD)/release && mv $(BUILD)/release.part $(BUILD)/release
	@echo $(BUILD)/release
