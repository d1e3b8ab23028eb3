// SPDX-License-Identifier: Apache-2.0

/// The queues of all installations with waiting events or in-flight batches.
struct InstallationQueues: Sendable {
    /// The queues; those of free slots are empty.
    private(set) var slots: [InstallationQueue] = []
    private var free: [Int] = []
    private var index: [UInt32: Int] = [:]
    /// The queue of the last lookup: neighbours in the journal are mostly of one installation.
    private var latest: (number: UInt32, slot: Int)?
    /// Installations whose queues have become empty, until they are taken; nil if they are not noted.
    private var emptied: [UInt32]?

    /// The number of queues in use.
    var count: Int {
        self.index.count
    }

    /// The slots in use, in a deterministic order: the same events always make the same batches.
    var used: [Int] {
        self.slots.indices.filter { !self.slots[$0].isEmpty }
    }

    /// Returns the least value of a function of the queues.
    func least(_ first: Int, _ body: (InstallationQueue) -> Int) -> Int {
        self.index.values.reduce(first) { min($0, body(self.slots[$1])) }
    }

    /// Returns the slot of an installation's queue; nil if nothing of it waits.
    func find(_ number: UInt32) -> Int? {
        self.index[number]
    }

    /// Returns the slot of an installation's queue, which is made if missing.
    mutating func slot(of number: UInt32) -> Int {
        if let latest, latest.number == number { return latest.slot }
        let slot: Int
        if let known = self.index[number] {
            slot = known
        } else {
            let line = InstallationQueue(number: number)
            if let spare = self.free.popLast() {
                slot = spare
                self.slots[slot] = line
            } else {
                slot = self.slots.count
                self.slots.append(line)
            }
            self.index[number] = slot
        }
        self.latest = (number, slot)
        return slot
    }

    /// Notes from now on which queues become empty.
    mutating func noteEmptied() {
        self.emptied = self.emptied ?? []
    }

    /// Takes the installations whose queues have become empty, if that is noted.
    mutating func takeEmptied() -> [UInt32] {
        guard let emptied, !emptied.isEmpty else { return [] }
        self.emptied = []
        return emptied
    }

    /// The queue in a slot.
    subscript(slot: Int) -> InstallationQueue {
        // In place: a copy for each event would make a long queue quadratic.
        _read { yield self.slots[slot] }
        _modify { yield &self.slots[slot] }
    }

    /// Frees the slot of an empty queue.
    ///
    /// - Returns: True if it was in use and empty.
    @discardableResult
    mutating func removeIfEmpty(_ slot: Int) -> Bool {
        let line = self.slots[slot]
        guard line.isEmpty, self.index[line.number] == slot else { return false }
        self.index[line.number] = nil
        self.emptied?.append(line.number)
        self.free.append(slot)
        self.latest = nil
        // Frees the memory that a long outage has filled.
        if self.index.isEmpty { (self.slots, self.free, self.index) = ([], [], [:]) }
        return true
    }
}
