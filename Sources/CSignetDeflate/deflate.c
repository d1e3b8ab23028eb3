//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#include "CSignetDeflate.h"

#ifdef SIGNET_DEFLATE
#include <limits.h>
#include <zlib.h>

// 15 bits of window; 16 more ask for the gzip format in place of zlib's own.
#define GZIP_WINDOW (15 + 16)

static int begin(z_stream *stream, int level) {
    *stream = (z_stream){0};
    return deflateInit2(stream, level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

size_t csignet_gzip_bound(size_t count) {
    z_stream stream;
    if (count > UINT_MAX / 2 || !begin(&stream, 1)) return 0;
    size_t bound = deflateBound(&stream, count);
    deflateEnd(&stream);
    return bound;
}

size_t csignet_gzip(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity, int level) {
    z_stream stream;
    if (count > UINT_MAX || capacity > UINT_MAX || !begin(&stream, level)) return 0;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)capacity;
    int result = deflate(&stream, Z_FINISH);
    size_t written = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? written : 0;
}

#else

size_t csignet_gzip_bound(size_t count) {
    (void)count;
    return 0;
}

size_t csignet_gzip(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity, int level) {
    (void)bytes, (void)count, (void)output, (void)capacity, (void)level;
    return 0;
}

#endif
