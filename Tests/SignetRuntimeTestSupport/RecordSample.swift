// SPDX-License-Identifier: Apache-2.0

package import Signet
import Testing

/// A record of one kind in the state log, with every field set.
package struct RecordSample: Sendable, CustomTestStringConvertible {
    /// The name of the golden file, too.
    package let name: String
    package let bytes: [UInt8]
    /// Reads bytes as a record of this kind and writes them again.
    package let reencode: @Sendable ([UInt8]) throws(SignetError) -> [UInt8]

    package var testDescription: String { self.name }

    package init<Record: StoredRecord & Sendable>(_ name: String, _ record: Record) {
        self.name = name
        self.bytes = record.encoded()
        self.reencode = { bytes throws(SignetError) in try Record(decoding: bytes).encoded() }
    }
}
