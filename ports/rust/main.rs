// SPDX-License-Identifier: BSD-2-Clause
//! A kernel in Rust that takes Pitot by its object: three ferries cross a river in turns, as tasks
//! without stacks, each a state that is polled; the timer ticks. boot.S calls kernel_main. Compiled
//! without SSE and without a red zone, as is all that Pitot calls in debug traps; core's own
//! compiled functions have both, and only a panic runs them.
#![no_std]
#![no_main]

mod machine;
mod pitot;
mod pitot_level0;
mod pitot_level1;
mod pitot_level2;

use core::sync::atomic::{AtomicU64, Ordering};

const TRIPS: u32 = 20; // of each ferry

tracepoint!(
    CROSSED,
    "ferry:crossed",
    "crossed", // PITOT
    pitot::kind::U32,
    "trip",
    "trip=%u",
    pitot::kind::TEXT,
    "name",
    " name=%s"
);

#[no_mangle]
pub static CROSSINGS: AtomicU64 = AtomicU64::new(0);
pub static TICKS: AtomicU64 = AtomicU64::new(0);

/// A ferry: polled until it has made its trips.
struct Ferry {
    name: &'static str, // ends in NUL
    trips: u32,
}

impl Ferry {
    #[inline(never)]
    fn cross(&mut self) {
        CROSSINGS.fetch_add(1, Ordering::Relaxed);
        trace!(CROSSED, self.trips, self.name.as_ptr()); // PITOT
        self.trips += 1;
    }

    /// True: there is more to do.
    #[inline(never)]
    fn poll(&mut self) -> bool {
        self.cross();
        self.trips < TRIPS
    }
}

#[inline(never)]
fn run(ferries: &mut [Ferry]) {
    let mut any = true;
    while any {
        any = false;
        for (number, ferry) in ferries.iter_mut().enumerate() {
            unsafe { pitot::pitot_thread_runs(number as u32 + 1) }; // PITOT
            any |= ferry.poll();
        }
        unsafe { pitot::pitot_thread_runs(0) }; // PITOT
    }
}

#[inline(never)]
fn wait_for_ticks() {
    let until = TICKS.load(Ordering::Relaxed) + 2;
    while TICKS.load(Ordering::Relaxed) < until {
        machine::wait_for_interrupt();
    }
}

/// struct hvm_start_info: the address of the command line is its word of 8 bytes at 24.
fn command_line(info: *const u64) -> *const u8 {
    unsafe { *info.add(3) as *const u8 }
}

#[no_mangle]
pub extern "C" fn kernel_main(info: *const u64) -> ! {
    let mut ferries = [
        Ferry { name: "anna\0", trips: 0 },
        Ferry { name: "berta\0", trips: 0 },
        Ferry { name: "clara\0", trips: 0 },
    ];

    machine::say("a kernel in Rust\n");
    machine::init();
    pitot_level0::begin(command_line(info), &["anna\0", "berta\0", "clara\0"]); // PITOT
    run(&mut ferries);
    wait_for_ticks();
    pitot_level0::end(); // PITOT
    machine::say_number(CROSSINGS.load(Ordering::Relaxed));
    machine::say(" crossings\n");
    machine::stop_machine(0)
}

/// Called by boot.S, interrupts off, on the timer's own stack.
#[no_mangle]
pub extern "C" fn timer_serve(interrupted: *const pitot::Regs) {
    TICKS.store(TICKS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    unsafe { pitot::pitot_tick(interrupted) }; // PITOT 2
    machine::timer_served();
}

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo) -> ! {
    machine::say("panic\n");
    machine::stop_machine(8)
}

// What the compiler calls for arrays, and what core's compiled code names.

#[no_mangle]
pub unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    core::arch::asm!("rep movsb", inout("rcx") length => _, inout("rdi") to => _,
        inout("rsi") from => _, options(nostack));
    to
}

#[no_mangle]
pub unsafe extern "C" fn memset(to: *mut u8, value: i32, length: usize) -> *mut u8 {
    core::arch::asm!("rep stosb", inout("rcx") length => _, inout("rdi") to => _,
        in("al") value as u8, options(nostack));
    to
}

#[no_mangle]
pub extern "C" fn rust_eh_personality() {}
