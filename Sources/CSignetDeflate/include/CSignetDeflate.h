//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#ifndef CSIGNET_DEFLATE_H
#define CSIGNET_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

// Here only with the trait AsyncHTTPClientTransport, which brings zlib.

/// The most bytes that `count` bytes become; 0 when zlib is not there.
size_t csignet_gzip_bound(size_t count);

/// Compresses bytes as one gzip member (RFC 1952), without a time in its header: the same bytes become the same bytes.
///
/// Returns how many bytes were written; 0 when they did not fit, or zlib is not there.
size_t csignet_gzip(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity, int level);

#endif
