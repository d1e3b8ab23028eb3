//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Events of one group that wait for a batch, in the order of the journal.
struct WaitingEvents: Sendable {
    private var items: [UploadStateMachine.Item] = []
    /// Index of the first one; the array is compacted when half of it has gone.
    private var head = 0
    private var bytes = 0
    /// When prompt events among them are due.
    var promptAt: Duration?

    /// The oldest one.
    var first: UploadStateMachine.Item? {
        self.head < self.items.count ? self.items[self.head] : nil
    }

    /// Whether they fill a batch.
    func isFull(_ limits: UploadStateMachine.Limits) -> Bool {
        self.items.count - self.head >= limits.events || self.bytes >= limits.bytes
    }

    /// Adds the newest one.
    ///
    /// - Returns: Whether they fill a batch now and did not before.
    mutating func append(_ item: UploadStateMachine.Item, limits: UploadStateMachine.Limits) -> Bool {
        let wasFull = self.isFull(limits)
        self.items.append(item)
        self.bytes += item.bytes
        return !wasFull && self.isFull(limits)
    }

    /// Takes in those of another group; the order of the journal stays.
    mutating func merge(_ other: WaitingEvents) {
        self.items = (other.items[other.head...] + self.items[self.head...]).sorted { $0.sequence < $1.sequence }
        self.head = 0
        self.bytes += other.bytes
    }

    /// Takes one batch's worth of the oldest ones; at least one.
    mutating func take(_ limits: UploadStateMachine.Limits) -> [UploadStateMachine.Item] {
        var taken: [UploadStateMachine.Item] = []
        var size = 0
        while let item = self.first, taken.count < limits.events {
            guard taken.isEmpty || size + item.bytes <= limits.bytes else { break }
            taken.append(item)
            size += item.bytes
            self.head += 1
        }
        self.bytes -= size
        self.promptAt = nil
        if self.head * 2 > self.items.count {
            self.items.removeFirst(self.head)
            self.head = 0
        }
        return taken
    }

    /// Gives back what was taken last.
    mutating func putBack(_ items: [UploadStateMachine.Item]) {
        self.items.replaceSubrange(..<self.head, with: items)
        self.head = 0
        self.bytes += items.reduce(0) { $0 + $1.bytes }
    }
}
