// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// A value with named fields, in a record of the state log or inside another one.
package protocol RecordFields: RecordValue {
    /// Writes the fields; equal values must write equal bytes.
    func encode(into encoder: inout RecordEncoder)

    /// Reads the fields.
    init(from decoder: inout RecordDecoder) throws(RecordDamage)
}

/// A record of the state log.
///
/// Its bytes are the version, the fields, and a zero; see ``RecordEncoder``. Add fields without a new version, if an
/// older program may ignore them: it skips fields that it does not know. Records with ``UnknownFields`` keep them when an older
/// program writes the record again.
package protocol StoredRecord: RecordFields {
    /// The version of the format; an older program refuses a newer one.
    static var version: UInt8 { get }
    /// The subject of the record, for error messages.
    static var subject: String { get }
    /// The approximate number of bytes.
    var expectedSize: Int { get }
}

extension StoredRecord {
    package static var version: UInt8 { 1 }
    package var expectedSize: Int { 128 }

    /// The bytes on disk; equal records have equal bytes.
    ///
    /// - Parameter version: The version to write, which older programs may have to read.
    /// - Returns: The bytes.
    package func encoded(as version: UInt8 = Self.version) -> [UInt8] {
        var encoder = RecordEncoder(version: version, reservingCapacity: self.expectedSize)
        self.encode(into: &encoder)
        return encoder.finish()
    }

    /// Reads the bytes on disk.
    ///
    /// - Throws: `newerFormat` for the record of a newer version; `diskFailed`, with ``SignetError/isDamage``, for
    ///   anything that is not such a record.
    package init(decoding bytes: [UInt8]) throws(SignetError) {
        let version = bytes.first ?? 0
        // Versions stay below 32, so no text is taken for a newer record.
        if version > Self.version, version < 32 {
            throw SignetError(
                .newerFormat,
                "A newer version of Signet wrote the record of \(Self.subject) (format \(version)). Use that version."
            )
        }
        do throws(RecordDamage) {
            guard (1...Self.version).contains(version) else { throw RecordDamage(field: nil) }
            var decoder = try RecordDecoder(record: bytes)
            try self.init(from: &decoder)
        } catch {
            throw SignetError(.diskFailed, "The record of \(Self.subject) cannot be read.", cause: error)
        }
    }

    /// Reads the bytes on disk; nil if they are not such a record, or one of a newer version.
    package init?(_ bytes: [UInt8]) {
        do throws(SignetError) { try self.init(decoding: bytes) } catch { return nil }
    }
}

/// Bytes that are not the expected record.
package struct RecordDamage: Error {
    /// The field that is missing or has another type; nil if the structure is damaged.
    let field: String?

    package init(field: String?) {
        self.field = field
    }
}

extension SignetError {
    /// True for a damaged record, which stays damaged.
    ///
    /// Any other disk error may pass, and must not look like a missing record.
    package var isDamage: Bool {
        self.cause is RecordDamage || (self.cause as? StorageError)?.code == .damagedRecord
    }

    /// True for a record that this version will never read: work for others must not wait for it.
    package var isUnreadable: Bool {
        self.isDamage || self.code == .newerFormat
    }
}

/// A record of one number.
struct StoredNumber: StoredRecord {
    static let subject = "a number"
    let value: UInt64

    init(_ value: UInt64) {
        self.value = value
    }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("n", self.value)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.value = try decoder.read("n")
    }
}
