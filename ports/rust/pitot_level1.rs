// SPDX-License-Identifier: BSD-2-Clause
//! Level 1, call chains: reports the bounds of stacks, and the timer's frame.

use core::ptr::addr_of;

extern "C" {
    pub static timer_trap: *const u8; // boot.S
    static boot_stack: u8;
    static boot_stack_end: u8;
    static timer_stack_end: u8;
}

pub unsafe extern "C" fn stack(address: u64, low: *mut u64, high: *mut u64) -> i32 {
    let ends = [addr_of!(boot_stack), addr_of!(boot_stack_end), addr_of!(timer_stack_end)];
    for pair in ends.windows(2) {
        if address > pair[0] as u64 && address <= pair[1] as u64 {
            *low = pair[0] as u64;
            *high = pair[1] as u64;
            return 1;
        }
    }
    0
}
