// SPDX-License-Identifier: Apache-2.0

/// Builds the body of a batch in one buffer: head, events with commas between, tail.
struct BatchBuffer {
    private(set) var bytes: [UInt8]
    /// The number of events in the buffer.
    private(set) var events = 0
    /// The bytes of the events, with one comma each.
    private(set) var eventBytes = 0

    /// Begins with the JSON up to the first event.
    init(head: [UInt8], reserving capacity: Int = 0) {
        self.bytes = []
        self.bytes.reserveCapacity(max(head.count + 1024, capacity))
        self.bytes += head
    }

    /// Returns true if one more event fits.
    func hasRoom(for count: Int, _ limit: Int) -> Bool {
        self.bytes.count + 1 + count + BatchRecord.tail.count <= limit
    }

    /// Appends the JSON of an event.
    mutating func append(_ event: UnsafeRawBufferPointer) {
        if self.events > 0 { self.bytes.append(UInt8(ascii: ",")) }
        self.bytes.append(contentsOf: event)
        self.events += 1
        self.eventBytes += event.count + 1
    }

    /// Appends the tail and returns the bytes of the batch.
    mutating func finish() -> [UInt8] {
        self.bytes += BatchRecord.tail
        return self.bytes
    }
}
