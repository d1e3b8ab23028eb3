//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#include "CSignetCRC32C.h"

#include <string.h>

#if defined(__x86_64__)

#include <nmmintrin.h>

int csignet_crc32c_is_available(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2") != 0;
}

__attribute__((target("sse4.2")))
uint32_t csignet_crc32c(uint32_t remainder, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    uint64_t wide = remainder;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        wide = _mm_crc32_u64(wide, word);
    }
    uint32_t narrow = (uint32_t)wide;
    for (; count > 0; count -= 1, next += 1) {
        narrow = _mm_crc32_u8(narrow, *next);
    }
    return narrow;
}

#elif defined(__aarch64__) && (defined(__APPLE__) || defined(__linux__))

#if defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

int csignet_crc32c_is_available(void) {
#if defined(__APPLE__)
    // Every 64-bit processor of Apple's that these systems run on has it.
    return 1;
#else
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#endif
}

__attribute__((target("crc")))
uint32_t csignet_crc32c(uint32_t remainder, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        remainder = __builtin_arm_crc32cd(remainder, word);
    }
    for (; count > 0; count -= 1, next += 1) {
        remainder = __builtin_arm_crc32cb(remainder, *next);
    }
    return remainder;
}

#else

int csignet_crc32c_is_available(void) {
    return 0;
}

uint32_t csignet_crc32c(uint32_t remainder, const void *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return remainder;
}

#endif
