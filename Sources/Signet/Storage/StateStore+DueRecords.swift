// SPDX-License-Identifier: Apache-2.0

import SignetJournal

// Records with the mark of due work: a bit of the record itself, so that the work and its mark are one write.
extension StateStore {
    /// Writes a record, marked if the runtime has work to do for it.
    package func put(_ value: [UInt8], for key: [UInt8], isDue: Bool) throws(SignetError) {
        do throws(StorageError) {
            try self.log.put(value, for: key, isDue: isDue)
        } catch {
            throw SignetError(error)
        }
    }

    /// True if a record is marked; reads memory only.
    package func isDue(_ key: [UInt8]) -> Bool {
        self.log.isDue(key)
    }

    /// The number of parts in which marked records are listed.
    static let dueParts = 256

    /// The marked records of one part.
    ///
    /// - Throws: The error of the disk.
    func dueRecords(part: Int) throws(SignetError) -> [(key: [UInt8], value: [UInt8])] {
        do throws(StorageError) {
            return try self.log.dueRecords(part: part)
        } catch {
            throw SignetError(error)
        }
    }
}
