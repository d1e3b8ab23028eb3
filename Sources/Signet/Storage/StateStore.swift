//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetModel

/// Reads and writes records of the state log, in the words and errors of the runtime.
struct StateStore: Sendable {
    private let log: StateLog

    init(_ log: StateLog) {
        self.log = log
    }

    /// Writes a record: when this returns, it survives the death of the process.
    func put(_ value: [UInt8], for key: [UInt8]) throws(SignetError) {
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
    func remove(_ key: [UInt8]) throws(SignetError) {
        do throws(StorageError) {
            if self.log.contains(key) { try self.log.remove(key) }
        } catch {
            throw SignetError(error)
        }
    }

    /// Whether there is a record; asks only the memory.
    func contains(_ key: [UInt8]) -> Bool {
        self.log.contains(key)
    }

    /// Reads a record; nil when there is none.
    func value(for key: [UInt8]) throws(SignetError) -> [UInt8]? {
        do throws(StorageError) {
            return try self.log.value(for: key)
        } catch {
            throw SignetError(error)
        }
    }

    /// The keys of all records of a kind.
    func keys(withPrefix prefix: [UInt8]) throws(SignetError) -> [[UInt8]] {
        do throws(StorageError) {
            return try self.log.keys(withPrefix: prefix)
        } catch {
            throw SignetError(error)
        }
    }

    /// Takes every byte out of the files that is not of a live record.
    ///
    /// - Returns: How many files with copies of damage went, and whether no further damage was found by that: otherwise
    ///   older records may be back.
    func erase() throws(SignetError) -> (copies: Int, isClean: Bool) {
        do throws(StorageError) {
            let before = self.log.damagedRecords
            let copies = try self.log.erase()
            return (copies, self.log.damagedRecords == before)
        } catch {
            throw SignetError(error)
        }
    }

    /// Reads all records of a kind; a damaged one is told to `onDamage` and left out.
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
                    // Damage stays; anything else may pass, and must not look like a record that is not there.
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
