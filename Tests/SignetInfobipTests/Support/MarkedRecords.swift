// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetTesting

@testable import Signet

/// What a directory owes to a service.
extension EmulatedSignet {
    /// The services' marked records of all installations.
    var markedServiceRecords: [[UInt8]] {
        get throws {
            var keys: [[UInt8]] = []
            for part in 0..<StateStore.dueParts {
                keys += try self.runtime.context.store.dueRecords(part: part).map(\.key)
                    .filter { $0.starts(with: StateKey.services) }
            }
            return keys
        }
    }
}

/// Changes the records of a directory that no runtime has.
func withRecords(in path: String, _ body: (StateStore) throws -> Void) throws {
    let log = try StateLog(directory: path + "/state")
    defer { log.close() }
    try body(StateStore(log))
}
