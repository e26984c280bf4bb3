// SPDX-License-Identifier: BSD-2-Clause
//! Level 0, tracepoints: what Pitot needs, and a recording with the command line's options.

use core::ptr::addr_of;

use crate::{machine, pitot, pitot_level1, pitot_level2};

extern "C" {
    static text_start: u8;
    static text_end: u8;
}

static KERNEL: pitot::Kernel = pitot::Kernel {
    name: "boot\0".as_ptr(),
    clock: Some(clock),
    write: Some(write),
    panic: Some(panic),
    stack: Some(pitot_level1::stack),                     // PITOT 1
    mapped: Some(pitot_level2::mapped),                   // PITOT 2
    debug_ist: 1,                                         // PITOT 2
    frame: "r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di - - ip cs flags sp ss\0".as_ptr(), // PITOT 1
    traps: unsafe { addr_of!(pitot_level1::timer_trap) }, // PITOT 1
    trap_count: 1,                                        // PITOT 1
    ..pitot::Kernel::of(unsafe { addr_of!(text_start) }, unsafe { addr_of!(text_end) })
};

extern "C" fn clock() -> u64 {
    machine::cycles()
}

unsafe extern "C" fn write(bytes: *const u8, length: u64) {
    machine::serial_write(machine::COM2, core::slice::from_raw_parts(bytes, length as usize));
}

extern "C" fn panic(what: *const u8) -> ! {
    machine::say_pointer(what);
    machine::say("\n");
    machine::stop_machine(2)
}

fn refused(why: *const u8) {
    if !why.is_null() {
        machine::say("refused: ");
        panic(why);
    }
}

pub fn begin(options: *const u8, names: &[&str]) {
    unsafe {
        refused(pitot::pitot_init(&KERNEL));
        for (number, name) in names.iter().enumerate() {
            refused(pitot::pitot_thread_named(number as u32 + 1, name.as_ptr()));
        }
        refused(pitot::pitot_start(options));
    }
}

pub fn end() {
    machine::say_number(unsafe { pitot::pitot_stop() });
    machine::say(" records\n");
}
