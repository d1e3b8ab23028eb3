// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

// Installations of which nothing can be cut for a while: the others go on.
extension UploadStateMachine {
    /// Cuts no batch of an installation before a time.
    mutating func setAside(_ installation: UInt32, until: Duration) {
        self.aside.insert(installation, until: until)
    }

    /// Lets a batch wait whose request was not sent, and cuts none of its installation before a time.
    ///
    /// - Returns: The rest of the request; nil if no batch of it is left: then it has ended.
    mutating func setAside(_ id: UUID, until: Duration, of number: Int) -> Request? {
        let rest = self.requests.takeOut(id, of: number)
        self.rate.giveBack(1)
        if let batch = self.batches[id] { self.aside.insert(batch.installation, until: until) }
        return rest
    }

    /// The number of installations of which no batch is cut.
    var setAsideCount: Int { self.aside.count }

    /// Cuts batches of all installations again.
    mutating func takeBackAll() {
        while let number = self.aside.popFirst() { self.listAgain(number) }
    }

    /// Cuts batches again of the installations whose time has come.
    mutating func takeBack(at now: Duration) {
        while let number = self.aside.popDue(at: now) { self.listAgain(number) }
    }

    private mutating func listAgain(_ number: UInt32) {
        guard let slot = self.lines.find(number) else { return }
        self.list(slot)
        self.makeNextReady(slot)
    }

    /// True if all events of these installations wait for rows that cannot be read, or for batches that have failed.
    func allWait(_ installations: Set<UInt32>, now: Duration) -> Bool {
        installations.allSatisfy { number in
            if self.aside.contains(number) { return true }
            guard let slot = self.lines.find(number), let first = self.lines[slot].batches.first else { return false }
            return self.isWaiting(first, now: now)
        }
    }
}
