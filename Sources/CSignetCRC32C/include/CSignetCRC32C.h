//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#ifndef CSIGNETCRC32C_H
#define CSIGNETCRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this processor has an instruction for CRC-32C.
bool signet_crc32c_has_hardware(void);

/// Takes bytes into a remainder (all ones at the beginning, inverted by the caller at the end) with that instruction.
///
/// Call it only where `signet_crc32c_has_hardware` says so; elsewhere it traps.
uint32_t signet_crc32c_extend(uint32_t remainder, const void *bytes, size_t count);

#endif
