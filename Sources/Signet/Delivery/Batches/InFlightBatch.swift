// SPDX-License-Identifier: Apache-2.0

/// A batch in memory that has no answer yet.
struct InFlightBatch: Sendable {
    /// The record of the batch on disk.
    let record: BatchRecord
    /// The body, between being cut and being sent; read again for each further try.
    var body: (bytes: [UInt8], events: Int)?
    /// True if the batch was sent before by this process, or possibly by an earlier one.
    var isRepeated = false
}
