// SPDX-License-Identifier: BSD-2-Clause
//! Prints the layouts of ports/rust/pitot.rs, one per line, as rust_layout.c prints those of
//! core/pitot.h.

#[allow(dead_code)]
#[path = "../../ports/rust/pitot.rs"]
mod pitot;

use pitot::*;
use std::mem::{size_of, MaybeUninit};
use std::ptr::addr_of;

macro_rules! layout {
    ($name:literal, $type:ident, $($member:ident)*) => {
        println!("{} {}", $name, size_of::<$type>());
        let some = MaybeUninit::<$type>::uninit();
        $(
            let place = unsafe { addr_of!((*some.as_ptr()).$member) } as usize;
            println!("{}.{} {}", $name, stringify!($member), place - some.as_ptr() as usize);
        )*
    };
}

fn main() {
    layout!("kernel", Kernel,
        text text_end build_id name cpus frame traps trap_count gate gate_end debug_ist
        write_port gdb_port gate_stack gate_stack_end cpu clock panic write stack mapped more);
    layout!("field", Field,
        name print kind offset size);
    layout!("tracepoint", Tracepoint,
        enter gate full_name name field field_count raw_size id probes make in_memory weighted
        weight late find_late tell_state);
    for (name, (kind, size)) in [
        ("pointer", kind::POINTER),
        ("function", kind::FUNCTION),
        ("code", kind::CODE),
        ("u32", kind::U32),
        ("s32", kind::S32),
        ("u64", kind::U64),
        ("s64", kind::S64),
        ("text", kind::TEXT),
        ("state", kind::STATE),
        ("gfp", kind::GFP),
    ] {
        println!("{} {} {}", name, kind, size);
    }
}
