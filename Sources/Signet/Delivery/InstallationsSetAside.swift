// SPDX-License-Identifier: Apache-2.0

/// The installations of which nothing is cut before a time.
struct InstallationsSetAside: Sendable {
    private var numbers: Set<UInt32> = []
    private var ends = DeadlineQueue<UInt32>()

    /// The number of installations.
    var count: Int { self.numbers.count }

    /// The time at which the first one comes back; nil if there is none.
    var first: Duration? { self.ends.first }

    /// True if nothing is cut of an installation.
    func contains(_ number: UInt32) -> Bool {
        !self.numbers.isEmpty && self.numbers.contains(number)
    }

    /// Adds an installation; one that is there keeps its time.
    mutating func insert(_ number: UInt32, until: Duration) {
        if self.numbers.insert(number).inserted { self.ends.insert(number, at: until) }
    }

    /// Takes an installation back whose time has come; nil if there is none.
    mutating func popDue(at now: Duration) -> UInt32? {
        guard let number = self.ends.popDue(at: now) else { return nil }
        self.numbers.remove(number)
        return number
    }

    /// Takes an installation back before its time; nil if there is none.
    mutating func popFirst() -> UInt32? {
        guard let number = self.ends.popFirst() else { return nil }
        self.numbers.remove(number)
        return number
    }
}
