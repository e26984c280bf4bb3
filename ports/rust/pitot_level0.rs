// SPDX-License-Identifier: BSD-2-Clause
//! Level 0, tracepoints: what Pitot needs, and a recording with the command line's options.

use core::ptr::addr_of;

use crate::{machine, pitot, pitot_level1};

extern "C" {
    static text_start: u8;
    static text_end: u8;
}

/// Must live as long as the kernel: Pitot keeps a pointer.
static KERNEL: pitot::Kernel = pitot::Kernel {
    name: "boot\0".as_ptr(),
    traps: unsafe { addr_of!(pitot_level1::timer_trap) }, // PITOT 1
    trap_count: 1,                                        // PITOT 1
    ..pitot::Kernel::of(unsafe { addr_of!(text_start) }, unsafe { addr_of!(text_end) })
};

#[no_mangle]
pub extern "C" fn pitot_host_cpu() -> u32 {
    0
}

#[no_mangle]
pub extern "C" fn pitot_host_clock() -> u64 {
    machine::cycles()
}

#[no_mangle]
pub unsafe extern "C" fn pitot_host_write(bytes: *const u8, length: u64) {
    machine::serial_write(machine::COM2, core::slice::from_raw_parts(bytes, length as usize));
}

#[no_mangle]
pub extern "C" fn pitot_host_panic(what: *const u8) -> ! {
    machine::say_pointer(what);
    machine::say("\n");
    machine::stop_machine(2)
}

fn refused(why: *const u8) {
    if !why.is_null() {
        machine::say("refused: ");
        pitot_host_panic(why);
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
