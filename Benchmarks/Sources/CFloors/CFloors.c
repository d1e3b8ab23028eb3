// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CFloors.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

static uint32_t tables[8][256];

__attribute__((constructor)) static void fill_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte;
        for (int bit = 0; bit < 8; bit++) value = (value >> 1) ^ (0x82F63B78u & (0u - (value & 1)));
        tables[0][byte] = value;
    }
    for (int step = 1; step < 8; step++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t before = tables[step - 1][byte];
            tables[step][byte] = (before >> 8) ^ tables[0][before & 0xFF];
        }
    }
}

static uint32_t by_table(uint32_t before, const uint8_t *bytes, size_t count) {
    uint32_t crc = ~before;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint32_t low, high;
        memcpy(&low, bytes, 4);
        memcpy(&high, bytes + 4, 4);
        low ^= crc;
        crc = tables[7][low & 0xFF] ^ tables[6][(low >> 8) & 0xFF] ^ tables[5][(low >> 16) & 0xFF] ^ tables[4][low >> 24]
            ^ tables[3][high & 0xFF] ^ tables[2][(high >> 8) & 0xFF] ^ tables[1][(high >> 16) & 0xFF] ^ tables[0][high >> 24];
    }
    for (; count > 0; bytes++, count--) crc = (crc >> 8) ^ tables[0][(crc ^ *bytes) & 0xFF];
    return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t before, const uint8_t *bytes, size_t count) {
    uint64_t crc = ~before;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        crc = __builtin_ia32_crc32di(crc, word);
    }
    for (; count > 0; bytes++, count--) crc = __builtin_ia32_crc32qi((uint32_t)crc, *bytes);
    return ~(uint32_t)crc;
}

int floors_crc32c_is_hardware(void) {
    return __builtin_cpu_supports("sse4.2") != 0;
}
#elif defined(__aarch64__) && defined(__linux__)
__attribute__((target("+crc"))) static uint32_t by_instruction(uint32_t before, const uint8_t *bytes, size_t count) {
    uint32_t crc = ~before;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        crc = __builtin_arm_crc32cd(crc, word);
    }
    for (; count > 0; bytes++, count--) crc = __builtin_arm_crc32cb(crc, *bytes);
    return ~crc;
}

int floors_crc32c_is_hardware(void) {
    return (getauxval(AT_HWCAP) & (1ul << 7)) != 0;
}
#else
static uint32_t by_instruction(uint32_t before, const uint8_t *bytes, size_t count) {
    return by_table(before, bytes, count);
}

int floors_crc32c_is_hardware(void) {
    return 0;
}
#endif

static int hardware;

__attribute__((constructor)) static void find_hardware(void) {
    hardware = floors_crc32c_is_hardware();
}

uint32_t floors_crc32c(uint32_t before, const void *bytes, size_t count) {
    return hardware ? by_instruction(before, bytes, count) : by_table(before, bytes, count);
}

__attribute__((noinline)) void floors_copy(void *to, const void *from, size_t count) {
    memcpy(to, from, count);
    __asm__ volatile("" : : "r"(to) : "memory");
}

const void *floors_find(const void *bytes, size_t count, const void *needle, size_t length) {
    return memmem(bytes, count, needle, length);
}

void floors_trim(void) {
    malloc_trim(0);
}

size_t floors_memory_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

long floors_file_system(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (long)status.f_type : 0;
}

static int signal_pipe[2];

static void tell(int signal) {
    int before = errno;
    unsigned char byte = (unsigned char)signal;
    ssize_t count = write(signal_pipe[1], &byte, 1);
    (void)count;
    errno = before;
}

int floors_catch_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM};
    if (pipe(signal_pipe) != 0) return -1;
    for (int index = 0; index < 2; index++) {
        struct sigaction action;
        // What the starter of this process has it ignore stays ignored, as a shell does with what it sends to the background.
        if (sigaction(signals[index], NULL, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        memset(&action, 0, sizeof action);
        action.sa_handler = tell;
        action.sa_flags = SA_RESTART;
        if (sigaction(signals[index], &action, NULL) != 0) return -1;
    }
    return 0;
}

int floors_wait_for_signal(void) {
    unsigned char byte = 0;
    while (read(signal_pipe[0], &byte, 1) != 1) {}
    return byte;
}
