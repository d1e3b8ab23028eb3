// SPDX-License-Identifier: Apache-2.0

// Installations of which nothing can be cut for a while: the others go on.
extension UploadStateMachine {
    /// Cuts no batch of an installation before a time.
    mutating func setAside(_ installation: UInt32, until: Duration) {
        self.aside.insert(installation, until: until)
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
        if let slot = self.lines.find(number) { self.list(slot) }
    }

    /// True if all events of these installations wait for rows that cannot be read.
    func areAside(_ installations: Set<UInt32>) -> Bool {
        installations.allSatisfy { number in
            self.aside.contains(number) && self.lines.find(number).map { self.lines[$0].batches.isEmpty } ?? true
        }
    }
}
