// SPDX-License-Identifier: Apache-2.0

#include "CSignetJournal.h"

#include <string.h>

#if defined(__x86_64__)

#include <nmmintrin.h>
#include <wmmintrin.h>

bool signet_crc32c_has_hardware(void) {
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

// The instruction gives its result after three cycles, and takes new bytes in each of them: so three parts of LENGTH bytes,
// side by side, take as long as one. Their remainders are then put together: a remainder that is followed by n bytes is
// multiplied by x^(8n) modulo the polynomial. The factors are x^(8n-33) in the order of bits that the instruction has; it
// adds the rest when it takes the product (V. Gopal et al., "Fast CRC Computation for iSCSI Polynomial Using CRC32
// Instruction", Intel 2011).
#define SIGNET_THREE_PARTS(LENGTH, TWICE, ONCE) \
    for (; count >= 3 * (LENGTH); next += 3 * (LENGTH), count -= 3 * (LENGTH)) { \
        uint64_t second = 0, third = 0; \
        for (size_t index = 0; index < (LENGTH); index += 8) { \
            uint64_t words[3]; \
            memcpy(&words[0], next + index, 8); \
            memcpy(&words[1], next + (LENGTH) + index, 8); \
            memcpy(&words[2], next + 2 * (LENGTH) + index, 8); \
            crc = _mm_crc32_u64(crc, words[0]); \
            second = _mm_crc32_u64(second, words[1]); \
            third = _mm_crc32_u64(third, words[2]); \
        } \
        __m128i product = _mm_xor_si128( \
            _mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)crc), _mm_cvtsi64_si128(TWICE), 0), \
            _mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)second), _mm_cvtsi64_si128(ONCE), 0)); \
        crc = third ^ _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product)); \
    }

__attribute__((target("sse4.2,pclmul")))
uint32_t signet_crc32c_extend(uint32_t remainder, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    uint64_t crc = remainder;
    SIGNET_THREE_PARTS(104, 0x2162d385, 0xc49f4f67)
    SIGNET_THREE_PARTS(40, 0x39d3b296, 0x3da6d0cb)
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
