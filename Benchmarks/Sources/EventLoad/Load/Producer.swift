// SPDX-License-Identifier: Apache-2.0

import Signet

/// One source of events: logs its numbers one after the other, some at a time.
///
/// Used by one task or thread only.
final class Producer {
    private let installations: [Installation]
    let number: Int
    private let quota: Int
    private let deadline: UInt64?
    private let isTimed: Bool

    /// How many events were logged: those with the numbers below it.
    private(set) var count = 0
    private(set) var histogram = Histogram()

    /// How many events it logs before others get a turn, and before it looks at the clock.
    private static let turn = 128

    /// - Parameters:
    ///   - number: Which producer.
    ///   - installations: Where it logs, in turn.
    ///   - quota: It ends after that many events,
    ///   - deadline: or at this time.
    ///   - isTimed: Whether each call is timed, which costs two looks at the clock a call.
    init(_ number: Int, _ installations: [Installation], quota: Int, deadline: UInt64?, isTimed: Bool) {
        self.number = number
        self.installations = installations
        self.quota = deadline == nil ? quota : .max
        self.deadline = deadline
        self.isTimed = isTimed
    }

    /// Logs the next events.
    ///
    /// - Returns: Whether there are more to log.
    func work() throws -> Bool {
        let end = min(self.quota, self.count + Self.turn)
        if self.isTimed {
            while self.count < end {
                let event = SampleEvent.make(producer: self.number, number: self.count)
                let installation = self.installations[self.count % self.installations.count]
                let began = Nanoseconds.now
                try installation.log(event)
                self.histogram.record(Nanoseconds.now - began)
                self.count += 1
            }
        } else {
            while self.count < end {
                let event = SampleEvent.make(producer: self.number, number: self.count)
                try self.installations[self.count % self.installations.count].log(event)
                self.count += 1
            }
        }
        guard self.count < self.quota else { return false }
        guard let deadline else { return true }
        return Nanoseconds.now < deadline
    }
}
