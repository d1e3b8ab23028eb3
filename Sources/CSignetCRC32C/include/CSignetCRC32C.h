//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#ifndef CSIGNET_CRC32C_H
#define CSIGNET_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/// Whether this processor computes CRC-32C (Castagnoli) by an instruction.
int csignet_crc32c_is_available(void);

/// Goes on with a CRC-32C remainder (neither inverted before nor after) over some bytes, by the instruction.
///
/// Call it only where csignet_crc32c_is_available() is not 0.
uint32_t csignet_crc32c(uint32_t remainder, const void *bytes, size_t count);

#endif
