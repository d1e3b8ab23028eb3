// SPDX-License-Identifier: Apache-2.0

/// The formats of rows that one version of Signet knows.
///
/// While a new version is rolled out, replicas of it and of the version before share the rows. So a version writes the format that the
/// store names, which is the older one until `signet store upgrade --finish`; it reads all formats up to its own.
struct RowFormats: Sendable, Hashable {
    /// The newest one, which the version reads and can write.
    let newest: UInt8

    /// The formats of this version.
    static let current = RowFormats(newest: UInt8(SharedFormat.newest))

    /// The oldest one that the version can write: that of the version before.
    var oldest: UInt8 {
        max(1, self.newest - 1)
    }

    /// Checks that replicas of this version can share rows with those that write a format.
    ///
    /// - Parameter format: The format that the store names.
    /// - Throws: `newerFormat`; `olderFormat` if replicas may run that do not read what this version writes.
    func check(_ format: SharedFormat) throws(SharedStoreError) {
        guard format.written <= Int(self.newest) else {
            throw SharedStoreError(
                .newerFormat,
                "The store has format \(format.written), this version of Signet reads up to \(self.newest). Use a newer version."
            )
        }
        guard format.written >= Int(self.oldest) else {
            throw SharedStoreError(
                .olderFormat,
                """
                The store has format \(format.written), this version of Signet writes \(self.oldest) or \(self.newest). Stop replicas \
                of older versions, then run `signet store upgrade --finish`.
                """
            )
        }
    }

    /// The format in which a row is written.
    ///
    /// - Parameters:
    ///   - written: The format that the store named last.
    ///   - row: The format in which the row was written last; zero for a new one.
    /// - Returns: The newer of both: a replica that has not heard of the end of an upgrade does not undo it.
    func format(written: Int, row: UInt8) -> UInt8 {
        max(UInt8(clamping: max(Int(self.oldest), min(written, Int(self.newest)))), min(row, self.newest))
    }
}
