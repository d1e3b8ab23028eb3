// SPDX-License-Identifier: Apache-2.0

#ifndef CSIGNETJOURNAL_H
#define CSIGNETJOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this processor has an instruction for CRC-32C.
bool signet_crc32c_has_hardware(void);

/// Takes bytes into a remainder (all ones at the beginning, inverted by the caller at the end) with that instruction.
///
/// Call it only where `signet_crc32c_has_hardware` says so; elsewhere it traps.
uint32_t signet_crc32c_extend(uint32_t remainder, const void *bytes, size_t count);

/// Asks the processor for the line of memory at an address, which is written soon; it need not be readable.
static inline void signet_prefetch(const void *address) {
    __builtin_prefetch(address, 1);
}

/// Takes space for a file from its first byte to a length, and makes it that long.
///
/// fallocate(2), which the C library declares only for programs that ask for GNU extensions. `posix_fallocate` would do
/// without the file system's help, by writing to each block.
///
/// Returns 0, or -1 with the reason in `errno`: ENOTSUP where there is no such call.
int signet_reserve(int descriptor, int64_t size);

/// Lets a descriptor lead to what another one leads to, at once for all threads; the other one stays open.
///
/// Returns 0, or -1 with the reason in `errno`.
int signet_replace(int descriptor, int other);

/// The number by which a file system is known (`statfs(2)`), of the one that a descriptor is on.
///
/// Returns -1 where there is no such number, or it cannot be read.
int64_t signet_file_system(int descriptor);

#endif
