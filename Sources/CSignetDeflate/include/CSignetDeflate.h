// SPDX-License-Identifier: Apache-2.0

#ifndef CSIGNET_DEFLATE_H
#define CSIGNET_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

// Here only with SIGNET_DEFLATE: a trait with AsyncHTTPClient or with the emulator over HTTP. Needs zlib.

/// The most bytes that `count` bytes become; 0 when zlib is not there.
size_t csignet_gzip_bound(size_t count);

/// Compresses bytes as one gzip member (RFC 1952), without a time in its header: the same bytes become the same bytes.
///
/// Returns how many bytes were written; 0 when they did not fit, or zlib is not there.
size_t csignet_gzip(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity, int level);

/// gzip that is being expanded, a piece at a time.
typedef struct csignet_gunzip csignet_gunzip;

/// Begins to expand gzip: one member, or several one after the other.
///
/// The bytes must stay where they are until `csignet_gunzip_end`. Returns NULL when zlib is not there, or there is no memory.
csignet_gunzip *csignet_gunzip_begin(const uint8_t *bytes, size_t count);

/// Writes the next bytes, as many as there is room for.
///
/// Returns how many; fewer than `capacity` is the end, where lengths and checksums were right. -1 when the bytes are no gzip,
/// end too early, or have something behind them.
ptrdiff_t csignet_gunzip_read(csignet_gunzip *gunzip, uint8_t *output, size_t capacity);

/// Lets go of it.
void csignet_gunzip_end(csignet_gunzip *gunzip);

#endif
