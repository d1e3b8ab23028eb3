//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#include "CSignetJournal.h"

#include <string.h>

#if defined(__x86_64__)

#include <nmmintrin.h>

bool signet_crc32c_has_hardware(void) {
    return __builtin_cpu_supports("sse4.2");
}

__attribute__((target("sse4.2")))
uint32_t signet_crc32c_extend(uint32_t remainder, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    uint64_t crc = remainder;
    for (; count >= 8; next += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        crc = _mm_crc32_u64(crc, word);
    }
    uint32_t rest = (uint32_t)crc;
    if (count & 4) {
        uint32_t word;
        memcpy(&word, next, 4);
        rest = _mm_crc32_u32(rest, word);
        next += 4;
    }
    if (count & 2) {
        uint16_t word;
        memcpy(&word, next, 2);
        rest = _mm_crc32_u16(rest, word);
        next += 2;
    }
    return count & 1 ? _mm_crc32_u8(rest, *next) : rest;
}

#elif defined(__aarch64__) && (defined(__linux__) || defined(__APPLE__))

#if defined(__linux__)
#include <sys/auxv.h>
// <asm/hwcap.h>: HWCAP_CRC32.
#define SIGNET_HWCAP_CRC32 (1UL << 7)
#endif

bool signet_crc32c_has_hardware(void) {
#if defined(__linux__)
    return (getauxval(AT_HWCAP) & SIGNET_HWCAP_CRC32) != 0;
#else
    // Each 64-bit processor that the supported Apple systems run on is ARMv8.1 or later, which demands it, or an A7 to
    // A9, which have it too.
    return true;
#endif
}

__attribute__((target("crc")))
uint32_t signet_crc32c_extend(uint32_t remainder, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    for (; count >= 8; next += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        remainder = __builtin_arm_crc32cd(remainder, word);
    }
    if (count & 4) {
        uint32_t word;
        memcpy(&word, next, 4);
        remainder = __builtin_arm_crc32cw(remainder, word);
        next += 4;
    }
    if (count & 2) {
        uint16_t word;
        memcpy(&word, next, 2);
        remainder = __builtin_arm_crc32ch(remainder, word);
        next += 2;
    }
    return count & 1 ? __builtin_arm_crc32cb(remainder, *next) : remainder;
}

#else

bool signet_crc32c_has_hardware(void) {
    return false;
}

uint32_t signet_crc32c_extend(uint32_t remainder, const void *bytes, size_t count) {
    (void)remainder;
    (void)bytes;
    (void)count;
    __builtin_trap();
}

#endif
