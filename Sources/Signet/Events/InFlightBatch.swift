//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A batch that has no answer yet, in memory.
struct InFlightBatch: Sendable {
    /// What is on disk of it.
    let record: BatchRecord
    /// Its body, between being cut and being sent; read again for each further try.
    var body: (bytes: [UInt8], events: Int)?
    /// Whether it was sent before, by this process or, for all we know, by an earlier one.
    var isRepeated = false
}
