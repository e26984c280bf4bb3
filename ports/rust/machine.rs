// SPDX-License-Identifier: BSD-2-Clause
//! Serial lines, descriptor tables, the timer, and the end. Boot; the timer's interrupt.

use core::arch::asm;
use core::mem::size_of;

pub const COM1: u16 = 0x3f8;
pub const COM2: u16 = 0x2f8;
const EXIT_PORT: u16 = 0xf4;
const CODE: u16 = 0x08;
const TASK: u16 = 0x18;
const INTERRUPT_GATE: u8 = 0x8e;
const TIMER_VECTOR: usize = 32;
const TIMER_IST: u8 = 2;
const PIT_HZ: u32 = 1193182;
const TICK_HZ: u32 = 1000;

#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Gate {
    low: u16,
    selector: u16,
    ist: u8,
    kind: u8,
    middle: u16,
    high: u32,
    none: u32,
}

#[repr(C, packed)]
struct TaskState {
    none: u32,
    sp: [u64; 3],
    neither: u64,
    ist: [u64; 7],
    more: u64,
    last: u16,
    io: u16,
}

#[repr(C, packed)]
struct Pointer {
    last: u16,
    base: u64,
}

const GATES: usize = 33;
const NO_GATE: Gate = Gate { low: 0, selector: 0, ist: 0, kind: 0, middle: 0, high: 0, none: 0 };
static mut IDT: [Gate; GATES] = [NO_GATE; GATES];
static mut STATE: TaskState =
    TaskState { none: 0, sp: [0; 3], neither: 0, ist: [0; 7], more: 0, last: 0, io: 0 };

extern "C" {
    static mut gdt: [u64; 5]; // boot.S
    static mut timer_stack_end: u8;
    fn timer_entry();
}

pub fn port_write(port: u16, value: u8) {
    unsafe { asm!("out dx, al", in("dx") port, in("al") value, options(nomem, nostack)) }
}

fn port_read(port: u16) -> u8 {
    let value: u8;
    unsafe { asm!("in al, dx", in("dx") port, out("al") value, options(nomem, nostack)) }
    value
}

pub fn serial_write(port: u16, bytes: &[u8]) {
    for byte in bytes {
        while port_read(port + 5) & 0x20 == 0 {}
        port_write(port, *byte);
    }
}

pub fn say(text: &str) {
    serial_write(COM1, text.as_bytes());
}

pub fn say_number(number: u64) {
    if number >= 10 {
        say_number(number / 10);
    }
    serial_write(COM1, &[b'0' + (number % 10) as u8]);
}

/// Text that ends in NUL.
pub fn say_pointer(text: *const u8) {
    let mut at = text;
    unsafe {
        while *at != 0 {
            serial_write(COM1, &[*at]);
            at = at.add(1);
        }
    }
}

pub fn stop_machine(status: u8) -> ! {
    port_write(EXIT_PORT, status);
    loop {
        unsafe { asm!("cli", "hlt") }
    }
}

pub fn cycles() -> u64 {
    let (low, high): (u32, u32);
    unsafe { asm!("rdtsc", out("eax") low, out("edx") high, options(nomem, nostack)) }
    (high as u64) << 32 | low as u64
}

pub fn wait_for_interrupt() {
    unsafe { asm!("hlt") }
}

pub fn timer_served() {
    port_write(0x20, 0x20);
}

fn gate(to: u64, ist: u8) -> Gate {
    Gate {
        low: to as u16,
        selector: CODE,
        ist,
        kind: INTERRUPT_GATE,
        middle: (to >> 16) as u16,
        high: (to >> 32) as u32,
        none: 0,
    }
}

fn load_tables() {
    unsafe {
        let base = core::ptr::addr_of!(STATE) as u64;
        let idt = Pointer {
            last: (size_of::<[Gate; GATES]>() - 1) as u16,
            base: core::ptr::addr_of!(IDT) as u64,
        };
        gdt[TASK as usize / 8] = (size_of::<TaskState>() as u64 - 1)
            | (base & 0xffffff) << 16
            | 0x89 << 40
            | (base >> 24 & 0xff) << 56;
        gdt[TASK as usize / 8 + 1] = base >> 32;
        asm!("ltr {0:x}", "lidt [{1}]", in(reg) TASK, in(reg) &idt);
    }
}

/// The controllers' lines begin at vectors 32 and 40; all but the timer's are masked.
fn start_timer() {
    let divisor = PIT_HZ / TICK_HZ;
    let words = [
        (0x20, 0x11),
        (0xa0, 0x11),
        (0x21, TIMER_VECTOR as u8),
        (0xa1, 40),
        (0x21, 4),
        (0xa1, 2),
        (0x21, 1),
        (0xa1, 1),
        (0x21, 0xfe),
        (0xa1, 0xff),
        (0x43, 0x34),
        (0x40, divisor as u8),
        (0x40, (divisor >> 8) as u8),
    ];
    for (port, value) in words {
        port_write(port, value);
    }
}

pub fn init() {
    unsafe {
        STATE.ist[TIMER_IST as usize - 1] = core::ptr::addr_of!(timer_stack_end) as u64;
        IDT[TIMER_VECTOR] = gate(timer_entry as usize as u64, TIMER_IST);
        load_tables();
        start_timer();
        asm!("sti");
    }
}
