// SPDX-License-Identifier: Apache-2.0

#ifndef SIGNET_CFLOORS_H
#define SIGNET_CFLOORS_H

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli) of the bytes whose checksum is `before` and of some more; 0 for none before.
///
/// With the processor's instruction where it has one, else eight bytes a step by table.
uint32_t floors_crc32c(uint32_t before, const void *bytes, size_t count);

/// Whether `floors_crc32c` uses an instruction of the processor.
int floors_crc32c_is_hardware(void);

/// memcpy that the compiler can neither see into nor leave out.
void floors_copy(void *to, const void *from, size_t count);

/// Where `needle` begins in the bytes, or NULL.
const void *floors_find(const void *bytes, size_t count, const void *needle, size_t length);

/// Gives the allocator's free memory back to the system.
void floors_trim(void);

/// Bytes that were allocated and not freed, in all of the allocator's arenas, with its own words beside them (mallinfo2(3)).
size_t floors_memory_in_use(void);

/// The number that statfs(2) has for the file system of a path; 0 when it has none.
long floors_file_system(const char *path);

/// Catches SIGINT and SIGTERM from now on; returns 0, or -1 with a reason in errno. Once.
int floors_catch_signals(void);

/// Waits for a signal that `floors_catch_signals` catches, and returns its number.
int floors_wait_for_signal(void);

/// Stores into memory that another process looks at.
static inline void floors_store(uint64_t *to, uint64_t value) {
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

/// Loads from memory that another process writes.
static inline uint64_t floors_load(const uint64_t *from) {
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

#endif
