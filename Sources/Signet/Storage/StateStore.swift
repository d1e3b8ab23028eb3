// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Reads and writes records of the state log, with the errors of the runtime.
package struct StateStore: Sendable {
    let log: StateLog

    init(_ log: StateLog) {
        self.log = log
    }

    /// Writes a record.
    ///
    /// When this returns, the record survives the death of the process.
    package func put(_ value: [UInt8], for key: [UInt8]) throws(SignetError) {
        do throws(StorageError) {
            try self.log.put(value, for: key)
        } catch {
            throw SignetError(error)
        }
    }

    /// Makes all records so far survive a loss of power.
    func sync() throws(SignetError) {
        do throws(StorageError) {
            try self.log.sync()
        } catch {
            throw SignetError(error)
        }
    }

    /// Removes a record.
    package func remove(_ key: [UInt8]) throws(SignetError) {
        do throws(StorageError) {
            if self.log.contains(key) { try self.log.remove(key) }
        } catch {
            throw SignetError(error)
        }
    }

    /// True if there is a record; reads memory only.
    package func contains(_ key: [UInt8]) -> Bool {
        self.log.contains(key)
    }

    /// The place of a record, until it is changed or moved; nil when there is none; reads memory only.
    func place(of key: [UInt8]) -> RecordPlace? {
        self.log.place(of: key)
    }

    /// Reads a record; nil when there is none.
    package func value(for key: [UInt8]) throws(SignetError) -> [UInt8]? {
        do throws(StorageError) {
            return try self.log.value(for: key)
        } catch {
            throw SignetError(error)
        }
    }

    /// The keys of all records of a kind.
    package func keys(withPrefix prefix: [UInt8]) throws(SignetError) -> [[UInt8]] {
        do throws(StorageError) {
            return try self.log.keys(withPrefix: prefix)
        } catch {
            throw SignetError(error)
        }
    }

    /// Removes every byte from the files that is not part of a live record.
    ///
    /// - Returns: The number of removed files with copies of damage. `isClean` is false if this found further damage:
    ///   then older records may be back.
    package func erase() throws(SignetError) -> (copies: Int, isClean: Bool) {
        do throws(StorageError) {
            let before = self.log.damagedRecords
            let copies = try self.log.erase()
            return (copies, self.log.damagedRecords == before)
        } catch {
            throw SignetError(error)
        }
    }

    /// Reads all records of a kind.
    ///
    /// A damaged one is reported to `onDamage` and left out.
    func values(
        withPrefix prefix: [UInt8],
        onDamage: (SignetError) -> Void
    ) throws(SignetError) -> [(key: [UInt8], value: [UInt8])] {
        do throws(StorageError) {
            var values: [(key: [UInt8], value: [UInt8])] = []
            for key in try self.log.keys(withPrefix: prefix) {
                do throws(StorageError) {
                    if let value = try self.log.value(for: key) { values.append((key, value)) }
                } catch {
                    // Damage stays; any other error may pass, and must not look like a missing record.
                    guard error.code == .damagedRecord else { throw error }
                    onDamage(SignetError(error))
                }
            }
            return values
        } catch {
            throw SignetError(error)
        }
    }
}
