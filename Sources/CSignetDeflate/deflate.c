// SPDX-License-Identifier: Apache-2.0

#include "CSignetDeflate.h"

#ifdef SIGNET_DEFLATE
#include <limits.h>
#include <stdlib.h>
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

struct csignet_gunzip {
    z_stream stream;
    int has_ended;
};

csignet_gunzip *csignet_gunzip_begin(const uint8_t *bytes, size_t count) {
    if (count > UINT_MAX) return NULL;
    csignet_gunzip *gunzip = calloc(1, sizeof *gunzip);
    if (!gunzip) return NULL;
    gunzip->stream.next_in = (Bytef *)bytes;
    gunzip->stream.avail_in = (uInt)count;
    if (inflateInit2(&gunzip->stream, GZIP_WINDOW) == Z_OK) return gunzip;
    free(gunzip);
    return NULL;
}

ptrdiff_t csignet_gunzip_read(csignet_gunzip *gunzip, uint8_t *output, size_t capacity) {
    z_stream *stream = &gunzip->stream;
    if (capacity > INT_MAX) capacity = INT_MAX;
    stream->next_out = output;
    stream->avail_out = (uInt)capacity;
    while (stream->avail_out > 0 && !gunzip->has_ended) {
        int result = inflate(stream, Z_NO_FLUSH);
        if (result == Z_STREAM_END) {
            // A file may have several members, one after the other (RFC 1952, 2.2).
            if (stream->avail_in == 0) gunzip->has_ended = 1;
            else if (inflateReset(stream) != Z_OK) return -1;
        } else if (result != Z_OK) {
            // Z_BUF_ERROR: there is room, and it says that it goes on, but there is no more of it.
            return -1;
        }
    }
    return (ptrdiff_t)(capacity - stream->avail_out);
}

void csignet_gunzip_end(csignet_gunzip *gunzip) {
    if (!gunzip) return;
    inflateEnd(&gunzip->stream);
    free(gunzip);
}

#else

csignet_gunzip *csignet_gunzip_begin(const uint8_t *bytes, size_t count) {
    (void)bytes, (void)count;
    return NULL;
}

ptrdiff_t csignet_gunzip_read(csignet_gunzip *gunzip, uint8_t *output, size_t capacity) {
    (void)gunzip, (void)output, (void)capacity;
    return -1;
}

void csignet_gunzip_end(csignet_gunzip *gunzip) {
    (void)gunzip;
}

size_t csignet_gzip_bound(size_t count) {
    (void)count;
    return 0;
}

size_t csignet_gzip(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity, int level) {
    (void)bytes, (void)count, (void)output, (void)capacity, (void)level;
    return 0;
}

#endif
