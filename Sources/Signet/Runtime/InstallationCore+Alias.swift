// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

extension InstallationCore {
    /// Saves an alias request and schedules its upload; the lock orders it against an opt-out.
    ///
    /// - Returns: The request's id.
    func add(_ request: AliasRequest) throws(SignetError) -> UUID {
        let id = try self.state.withLock { own throws(SignetError) -> UUID in
            guard own.phase == .open else { throw .closed }
            let window = try request.window(now: self.services.time.milliseconds) {
                own.identity.directory.entries[$0]?.isLoggedIn == true
            }
            guard !own.identity.isOptedOut else { throw .optedOut }
            let record = AliasRecord(
                id: .random(),
                installation: self.id,
                deviceApplicationStamp: own.identity.deviceApplicationStamp,
                source: request.source,
                destination: request.destination,
                start: window.start,
                end: window.end,
                lastEvent: self.services.journal.lastSequence
            )
            try self.services.aliases.add(record)
            return record.id
        }
        self.services.aliases.wake()
        return id
    }
}
