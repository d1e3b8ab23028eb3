//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#define _GNU_SOURCE

#include "CSignetJournal.h"

#include <errno.h>
#include <fcntl.h>

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
