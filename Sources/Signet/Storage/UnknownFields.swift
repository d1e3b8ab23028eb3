// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The fields of a record that a newer version wrote and this one does not know.
///
/// A rewrite keeps them byte for byte, after the fields that this version knows; a decoder finds a field wherever it stands. So two
/// versions may write one record by turns, as they do while a new version is rolled out.
///
/// A newer version may add a field without a new format if these rules suit it:
/// - It belongs to a record that keeps unknown fields: an installation, one of its users, or a part of a shared row. Values that are
///   replaced as a whole, such as a consent or an attribute, keep none: a new fact about one stands beside it.
/// - The fact stays right if an older version changes the other fields, and goes with the record.
/// - It names a user as an MPID, a number or decimal digits, so that an older version can erase that user.
/// - A record has at most 64 fields, and no new types of values.
package struct UnknownFields: Sendable, Hashable {
    /// The fields, one after the other.
    private(set) var bytes: [UInt8] = []

    /// Holds none.
    package init() {}

    /// True if there is none.
    package var isEmpty: Bool { self.bytes.isEmpty }

    /// Adds a field with its name and value.
    mutating func add(_ field: ArraySlice<UInt8>) {
        self.bytes.append(contentsOf: field)
    }

    /// The users whom the fields may name; see ``MPID/named(in:)``.
    var named: Set<MPID> {
        self.isEmpty ? [] : MPID.named(in: Self.record(self.bytes)) ?? []
    }

    /// Removes the fields that name a user: what they say about that user is not known.
    ///
    /// - Returns: True if there was one.
    @discardableResult
    mutating func forget(_ mpid: MPID) -> Bool {
        guard !self.isEmpty else { return false }
        var kept: [UInt8] = []
        for field in Self.fields(of: self.bytes) where !Self.isNamed(mpid, in: field) { kept += field }
        defer { self.bytes = kept }
        return kept.count < self.bytes.count
    }

    private static func isNamed(_ mpid: MPID, in field: ArraySlice<UInt8>) -> Bool {
        MPID.named(in: Self.record(field))?.contains(mpid) ?? true
    }

    private static func fields(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        do throws(RecordDamage) {
            return try RecordDecoder(record: Self.record(bytes)).places().map {
                bytes[$0.lowerBound - 1..<$0.upperBound - 1]
            }
        } catch {
            // They were read as fields: they are whole.
            return []
        }
    }

    /// A record of some fields.
    private static func record(_ fields: some Collection<UInt8>) -> [UInt8] {
        [1] + fields + [0]
    }
}
