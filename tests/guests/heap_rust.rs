// SPDX-License-Identifier: BSD-2-Clause
//! A heap in Rust, without headers: objects are adjacent, and a CPU allocates the block that it
//! freed last. It is code for tests/lib/Pitot/FourCpus.pm, like heap_cxx.cc: each CPU's `work` has
//! one bug of each kind in each turn, all in `unsafe` code; with --cfg mended none.
//!
//!     reads_dropped   reads a number of a dropped Box         use after free
//!     drops_twice     drops a Box twice                       double free
//!     writes_behind   writes the byte behind 24 of a Vec      out of bounds, 1 byte too far
//!     forgets         a Box, in the first turn                live at the end
//!     touches_next    writes the byte behind 32, which is     out of bounds, but only with --guard
//!                     the next object's
//!     keeps           reads a dropped Box whose memory is     use after free, but only with
//!                     another's by now                        --quarantine
//!
//! With --cfg outlined, compilers that inline __rust_alloc into its callers leave their calls of
//! GlobalAlloc.
//!
//! The allocator, heap_take and heap_give, trusts the layout that it is given: if a block is freed
//! with another size, the machine ends with status 3. std is linked, but the parts that need a
//! system never run.
#![no_main]

use std::alloc::{GlobalAlloc, Layout};
use std::arch::asm;
use std::ptr::{null_mut, read_volatile, write_volatile};

const WRONG: bool = !cfg!(mended);
const CPUS: usize = 4;
const SIZES: usize = 16; // block sizes: 16 to 256 bytes
const BLOCK: usize = 16;
const HEAP: usize = 0x1000000; // each CPU has 1 MiB
const EACH: usize = 0x100000;

#[repr(C)]
struct Block {
    content: u64,
    next: *mut Block, // in the free list
}

struct Heap;

static mut FREE: [[*mut Block; SIZES]; CPUS] = [[null_mut(); SIZES]; CPUS];
static mut USED: [usize; CPUS] = [0; CPUS];
static mut NOTED: [u8; CPUS * EACH / BLOCK] = [0; CPUS * EACH / BLOCK]; // sizes; 0x80: free

#[global_allocator]
static HEAP_OF_ALL: Heap = Heap;

unsafe fn check(good: bool) {
    if !good {
        asm!("out dx, al", in("dx") 0xf4u16, in("al") 1u8);
    }
}

/// Stacks of 4096 bytes are adjacent.
unsafe fn this_cpu() -> usize {
    let rsp: usize;
    asm!("mov {}, rsp", out(reg) rsp);
    rsp / 4096 % CPUS
}

#[no_mangle]
#[inline(never)]
pub unsafe extern "C" fn heap_take(size: usize) -> *mut u8 {
    let (cpu, index) = (this_cpu(), (size - 1) / BLOCK);
    let mut first = FREE[cpu][index];
    if first.is_null() {
        first = (HEAP + cpu * EACH + USED[cpu]) as *mut Block;
        USED[cpu] += (index + 1) * BLOCK;
        check(USED[cpu] <= EACH);
    } else {
        FREE[cpu][index] = (*first).next;
    }
    NOTED[(first as usize - HEAP) / BLOCK] = index as u8 + 1;
    first as *mut u8
}

#[no_mangle]
#[inline(never)]
pub unsafe extern "C" fn heap_give(object: *mut u8, size: usize) {
    let (cpu, index) = (this_cpu(), (size - 1) / BLOCK);
    let at = (object as usize - HEAP) / BLOCK;
    if NOTED[at] & 0x80 != 0 {
        return;
    }
    check(NOTED[at] == index as u8 + 1);
    (*(object as *mut Block)).next = FREE[cpu][index];
    FREE[cpu][index] = object as *mut Block;
    NOTED[at] |= 0x80;
}

unsafe impl GlobalAlloc for Heap {
    #[cfg_attr(outlined, inline(never))]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        heap_take(layout.size())
    }

    #[cfg_attr(outlined, inline(never))]
    unsafe fn dealloc(&self, object: *mut u8, layout: Layout) {
        heap_give(object, layout.size());
    }
}

/// A function that may be called from anywhere keeps all its arguments.
#[cfg(outlined)]
#[used]
static CALLED: (unsafe fn(&Heap, Layout) -> *mut u8, unsafe fn(&Heap, *mut u8, Layout)) =
    (Heap::alloc, Heap::dealloc);

// --- The bugs ---

struct Shape {
    numbers: [u64; 6],
}

/// Hides a value from the optimizer.
fn hidden<T>(value: T) -> T {
    unsafe { asm!("/* {} */", in(reg) &value) };
    value
}

#[inline(never)]
fn make() -> Box<Shape> {
    hidden(Box::new(Shape { numbers: [7; 6] }))
}

/// Drops the Box, or keeps it until the caller does.
#[inline(never)]
unsafe fn release(shape: *mut Shape) {
    drop(Box::from_raw(hidden(shape)));
}

#[inline(never)]
unsafe fn reads_dropped() {
    let shape = Box::into_raw(make());
    if WRONG {
        release(shape);
    }
    read_volatile(&(*shape).numbers[4]);
    if !WRONG {
        release(shape);
    }
}

#[inline(never)]
unsafe fn drops_twice() {
    let shape = Box::into_raw(make());
    release(shape);
    if WRONG {
        release(shape);
    }
    asm!(""); // keeps the last call from becoming a jump
}

#[inline(never)]
unsafe fn writes_behind() {
    let mut bytes: Vec<u8> = hidden(Vec::with_capacity(24));
    for i in 0..24 + WRONG as usize {
        write_volatile(bytes.as_mut_ptr().add(i), 1);
    }
}

#[inline(never)]
unsafe fn forgets() {
    let shape = make();
    if WRONG {
        std::mem::forget(shape);
    }
}

#[inline(never)]
unsafe fn touches_next() {
    let mut two: [Vec<u8>; 2] = [Vec::new(), Vec::new()];
    let mut i = 0;
    while read_volatile(&i) < two.len() {
        two[i] = hidden(Vec::with_capacity(32)); // by one instruction
        write_volatile(&mut i, i + 1);
    }
    let lower = (two[1].as_ptr() < two[0].as_ptr()) as usize;
    write_volatile(two[lower].as_mut_ptr().add(if WRONG { 32 } else { 31 }), 1);
}

#[inline(never)]
unsafe fn keeps() {
    let first = Box::into_raw(make());
    if WRONG {
        release(first);
    }
    let second = make();
    read_volatile(&(*first).numbers[5]);
    drop(second);
    if !WRONG {
        release(first);
    }
}

#[no_mangle]
pub unsafe extern "C" fn work(turns: u32) {
    forgets();
    for _ in 0..turns {
        reads_dropped();
        drops_twice();
        writes_behind();
        touches_next();
        keeps();
    }
}
