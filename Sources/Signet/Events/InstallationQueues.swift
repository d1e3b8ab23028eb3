//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The lines of all installations for which something waits or is under way.
struct InstallationQueues: Sendable {
    /// The lines; those of free slots are empty.
    private(set) var slots: [InstallationQueue] = []
    private var free: [Int] = []
    private var index: [UInt32: Int] = [:]
    /// The line that was asked for last: neighbours in the journal are mostly of one installation.
    private var latest: (number: UInt32, slot: Int)?

    /// How many there are.
    var count: Int {
        self.index.count
    }

    /// The slots of all of them, in an order that does not depend on chance: batches of one run are those of the next.
    var used: [Int] {
        self.slots.indices.filter { !self.slots[$0].isEmpty }
    }

    /// The least of something that each line says.
    func least(_ first: Int, _ body: (InstallationQueue) -> Int) -> Int {
        self.index.values.reduce(first) { min($0, body(self.slots[$1])) }
    }

    /// Where the line of an installation is; nil when nothing of it waits.
    func find(_ number: UInt32) -> Int? {
        self.index[number]
    }

    /// Where the line of an installation is, or comes to be.
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

    /// The line in a slot.
    subscript(slot: Int) -> InstallationQueue {
        // In place: a copy for each event would make a long queue quadratic.
        _read { yield self.slots[slot] }
        _modify { yield &self.slots[slot] }
    }

    /// Forgets a line that is empty.
    ///
    /// - Returns: Whether it was.
    @discardableResult
    mutating func removeIfEmpty(_ slot: Int) -> Bool {
        let line = self.slots[slot]
        guard line.isEmpty, self.index[line.number] == slot else { return false }
        self.index[line.number] = nil
        self.free.append(slot)
        self.latest = nil
        // What a long outage has filled is given back.
        if self.index.isEmpty { (self.slots, self.free) = ([], []) }
        return true
    }
}
