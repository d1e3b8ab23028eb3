// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CSignetJournal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/vfs.h>
#endif

int signet_reserve(int descriptor, int64_t size) {
#if defined(__linux__)
    return fallocate(descriptor, 0, 0, size);
#else
    // F_PREALLOCATE of Darwin takes blocks, but a mapped write to them may still meet a full disk.
    (void)descriptor;
    (void)size;
    errno = ENOTSUP;
    return -1;
#endif
}

int signet_replace(int descriptor, int other) {
#if defined(__linux__)
    return dup3(other, descriptor, O_CLOEXEC) < 0 ? -1 : 0;
#else
    // A child that is forked between the two calls has the descriptor too; it is that of a folder.
    return dup2(other, descriptor) < 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0 ? -1 : 0;
#endif
}

int64_t signet_file_system(int descriptor) {
#if defined(__linux__)
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return -1;
    return (int64_t)(uint32_t)status.f_type;
#else
    (void)descriptor;
    return -1;
#endif
}
