//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The body of a batch while it is put together, in one piece: head, events with commas between, tail.
struct BatchBuffer {
    /// The bytes so far.
    private(set) var bytes: [UInt8]
    /// How many events are in it.
    private(set) var events = 0
    /// The bytes of the events, with a comma each.
    private(set) var eventBytes = 0

    /// Begins with the JSON up to the first event.
    init(head: [UInt8], reserving capacity: Int = 0) {
        self.bytes = []
        self.bytes.reserveCapacity(max(head.count + 1024, capacity))
        self.bytes += head
    }

    /// Whether one more event fits.
    func hasRoom(for count: Int, _ limit: Int) -> Bool {
        self.bytes.count + 1 + count + BatchRecord.tail.count <= limit
    }

    /// Adds the JSON of an event.
    mutating func append(_ event: UnsafeRawBufferPointer) {
        if self.events > 0 { self.bytes.append(UInt8(ascii: ",")) }
        self.bytes.append(contentsOf: event)
        self.events += 1
        self.eventBytes += event.count + 1
    }

    /// The bytes of the finished batch.
    mutating func finish() -> [UInt8] {
        self.bytes += BatchRecord.tail
        return self.bytes
    }
}
