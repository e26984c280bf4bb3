// SPDX-License-Identifier: BSD-2-Clause
//! A kernel in Rust with Pitot's object: three ferries, tasks without stacks that are polled, cross
//! a river in turns while the timer ticks. Entered by boot.S. Compiled without SSE and a red zone,
//! as Pitot's debug traps need; core's own compiled functions have both, but only a panic runs
//! them.
#![no_std]
#![no_main]

mod machine;
mod pitot;
mod pitot_level0;
mod pitot_level1;
mod pitot_level2;

use core::sync::atomic::{AtomicU64, Ordering};

const TRIPS: u32 = 20; // per ferry

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

/// struct hvm_start_info has the command line's address at byte 24.
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
pub extern "C" fn timer_serve(frame: *const u64) {
    TICKS.store(TICKS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    unsafe { pitot::pitot_tick(frame) }; // PITOT 2
    machine::timer_served();
}

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo) -> ! {
    machine::say("panic\n");
    machine::stop_machine(8)
}

// Called by compiled code for arrays, and named by core's.

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
