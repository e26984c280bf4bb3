// SPDX-License-Identifier: BSD-2-Clause
//! Level 2, breakpoints and the clock: reports mapped memory. The gate is in the IDT (machine.rs).

use core::ptr::addr_of;

extern "C" {
    static image_start: u8;
    static image_end: u8;
}

pub extern "C" fn mapped(address: u64, length: u64) -> i32 {
    let (low, high) = unsafe { (addr_of!(image_start) as u64, addr_of!(image_end) as u64) };
    (address >= low && length <= high && address <= high - length) as i32
}
