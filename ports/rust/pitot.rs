// SPDX-License-Identifier: BSD-2-Clause
//! core/pitot.h for Rust: functions and structures. tests/boot/ports_rust.t compares every size,
//! offset and number with the header's.

use core::ptr::null;

/// struct pitot_kernel; `Kernel::of` sets only what it must have.
#[repr(C)]
pub struct Kernel {
    pub text: *const u8,
    pub text_end: *const u8,
    pub programs: *const u8,
    pub programs_end: *const u8,
    pub build_id: *const u8,
    pub name: *const u8, // ends in NUL, like all strings here
    pub cpus: u32,
    pub frame: *const u8,
    pub traps: *const *const u8,
    pub trap_count: u32,
    pub gate: *const u8,
    pub gate_end: *const u8,
    pub debug_ist: u32,
    pub write_port: u16,
    pub gdb_port: u16,
    pub gate_stack: *const u8,
    pub gate_stack_end: *const u8,
    pub cpu: Option<unsafe extern "C" fn() -> u32>,
    pub clock: Option<unsafe extern "C" fn() -> u64>,
    pub panic: Option<unsafe extern "C" fn(*const u8) -> !>,
    pub write: Option<unsafe extern "C" fn(*const u8, u64)>,
    pub stack: Option<unsafe extern "C" fn(u64, *mut u64, *mut u64) -> i32>,
    pub mapped: Option<unsafe extern "C" fn(u64, u64) -> i32>,
    /// From `interrupt_others` to `monitor`, for programs, consoles, gdb and more than one CPU.
    pub more: [Option<unsafe extern "C" fn()>; 28],
}

unsafe impl Sync for Kernel {}

impl Kernel {
    pub const fn of(text: *const u8, text_end: *const u8) -> Kernel {
        Kernel {
            text,
            text_end,
            programs: null(),
            programs_end: null(),
            build_id: null(),
            name: null(),
            cpus: 0,
            frame: null(),
            traps: null(),
            trap_count: 0,
            gate: null(),
            gate_end: null(),
            debug_ist: 0,
            write_port: 0,
            gdb_port: 0,
            gate_stack: null(),
            gate_stack_end: null(),
            cpu: None,
            clock: None,
            panic: None,
            write: None,
            stack: None,
            mapped: None,
            more: [None; 28],
        }
    }
}

/// struct pitot_field.
#[repr(C)]
pub struct Field {
    pub name: *const u8,
    pub print: *const u8,
    pub kind: u32,
    pub offset: u16,
    pub size: u16,
}

impl Field {
    /// Both texts end in NUL; `kind` is one of the module's.
    pub const fn of(name: &'static str, print: &'static str, kind: (u32, u16)) -> Field {
        Field { name: name.as_ptr(), print: print.as_ptr(), kind: kind.0, offset: 0, size: kind.1 }
    }
}

/// PITOT_KIND_*, and the size of pitot_as_*.
#[allow(dead_code)] // a kernel need not use all
pub mod kind {
    pub const POINTER: (u32, u16) = (0, 8);
    pub const FUNCTION: (u32, u16) = (1, 8);
    pub const CODE: (u32, u16) = (2, 8);
    pub const U32: (u32, u16) = (3, 4);
    pub const S32: (u32, u16) = (4, 4);
    pub const U64: (u32, u16) = (5, 8);
    pub const S64: (u32, u16) = (6, 8);
    pub const TEXT: (u32, u16) = (7, 16);
    pub const STATE: (u32, u16) = (8, 8);
    pub const GFP: (u32, u16) = (9, 8);
}

pub type Raise = unsafe extern "C" fn(*const Tracepoint, u64, u64);

/// struct pitot_tracepoint.
#[repr(C)]
pub struct Tracepoint {
    pub enter: usize,
    pub gate: Option<Raise>, // as raised here, with two arguments
    pub full_name: *const u8,
    pub name: *const u8,
    pub field: *mut Field,
    pub field_count: u32,
    pub raw_size: u32,
    pub id: u16,
    pub none: u16,
    pub probes: *mut u8,
    pub make: usize,
    pub in_memory: u8,
    pub weighted: u8,
    pub weight: u16,
    pub late: u32,
    pub find_late: usize,
    pub tell_state: usize,
}

/// An entry of the section `pitot_tracepoints`.
#[repr(transparent)]
pub struct Entry(pub *const Tracepoint);
unsafe impl Sync for Entry {}

#[allow(dead_code)] // a kernel calls some of these
extern "C" {
    pub fn pitot_init(kernel: &'static Kernel) -> *const u8;
    pub fn pitot_start(options: *const u8) -> *const u8;
    pub fn pitot_stop() -> u64;
    pub fn pitot_thread_runs(pid: u32);
    pub fn pitot_thread_named(pid: u32, name: *const u8) -> *const u8;
    pub fn pitot_thread_ended(pid: u32);
    pub fn pitot_incomplete() -> *const u8;
    pub fn pitot_summary() -> *const u8;
    pub fn pitot_check() -> *const u8;
    pub fn pitot_tick(frame: *const u64);
}

/// A tracepoint with two fields, each with its kind, its name and the part of the line that prints
/// it. `trace!` raises it; its arguments are computed only while an event listens.
#[macro_export]
macro_rules! tracepoint {
    ($place:ident, $full:literal, $name:literal,
     $kind:expr, $field:literal, $print:literal, $kind2:expr, $field2:literal, $print2:literal) => {
        pub static mut $place: $crate::pitot::Tracepoint = {
            use $crate::pitot::{Entry, Field, Tracepoint};
            static mut FIELDS: [Field; 2] = [
                Field::of(concat!($field, "\0"), concat!($print, "\0"), $kind),
                Field::of(concat!($field2, "\0"), concat!($print2, "\0"), $kind2),
            ];
            #[used]
            #[link_section = "pitot_tracepoints"]
            static ENTRY: Entry = Entry(unsafe { core::ptr::addr_of!($place) });
            Tracepoint {
                enter: 0,
                gate: None,
                full_name: concat!($full, "\0").as_ptr(),
                name: concat!($name, "\0").as_ptr(),
                field: unsafe { core::ptr::addr_of!(FIELDS) as *mut Field },
                field_count: 2,
                raw_size: 0,
                id: 0,
                none: 0,
                probes: core::ptr::null_mut(),
                make: 0, // pitot_init sets it
                in_memory: 0,
                weighted: 0,
                weight: 0,
                late: 0,
                find_late: 0,
                tell_state: 0,
            }
        };
    };
}

/// The call's return address is the sample's place, so this is a macro.
#[macro_export]
macro_rules! trace {
    ($place:ident, $first:expr, $second:expr) => {
        unsafe {
            let tracepoint = core::ptr::addr_of!($place);
            if !core::ptr::addr_of!((*tracepoint).probes).read_volatile().is_null() {
                if let Some(raise) = (*tracepoint).gate {
                    raise(tracepoint, $first as u64, $second as u64);
                }
            }
        }
    };
}
