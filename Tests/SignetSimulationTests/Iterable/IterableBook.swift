// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetIterable

/// What apps were told of records of visitors and users, and what must be true of it in the end.
struct IterableBook: Sendable {
    /// A custom event of a visitor or user; its number is its name.
    struct Record: Sendable {
        let installation: Int
        /// True if the app had named the user before.
        let isOfKnown: Bool
        /// True from the time at which it must arrive: there is a user, or a criterion is met.
        var isOwed = false
        /// The reason for which it need not arrive any more.
        var excuse: String?
    }

    /// An opt-out that has returned.
    struct OptOut: Sendable {
        let installation: Int
        let at: Duration
        /// The records of before, which nothing may send any more.
        let records: [Int]
    }

    var records: [Record] = []
    var optOuts: [OptOut] = []
    var violations: [String] = []
    var reached: [String: Int] = [:]

    mutating func reach(_ what: String, _ count: Int = 1) {
        self.reached[what, default: 0] += count
    }

    mutating func fail(_ text: String) {
        self.violations.append(text)
    }

    /// The app is about to track a record.
    mutating func begin(on installation: Int, isOfKnown: Bool) -> Int {
        // Until the call returns, nobody was promised anything.
        self.records.append(Record(installation: installation, isOfKnown: isOfKnown, excuse: "never accepted"))
        return self.records.count - 1
    }

    /// The call has returned.
    mutating func end(_ number: Int, _ result: IterableTrackResult) {
        self.reach("record \(result)")
        if case .ignored = result { return self.records[number].excuse = "ignored" }
        self.records[number].excuse = nil
        self.records[number].isOwed = result == .queued
    }

    /// There is a user, or will be: what was kept is theirs.
    mutating func owe(_ installation: Int) {
        for number in self.records.indices where self.records[number].installation == installation {
            self.records[number].isOwed = true
        }
    }

    /// Records need not arrive any more.
    mutating func excuse(_ installation: Int, _ reason: String, ofKnown: Bool) {
        for number in self.records.indices where self.records[number].installation == installation {
            guard ofKnown || !self.records[number].isOfKnown, self.records[number].excuse == nil else { continue }
            self.records[number].excuse = reason
        }
    }

    /// An opt-out has returned.
    mutating func optedOut(_ installation: Int, at now: Duration) {
        let records = self.records.indices.filter { self.records[$0].installation == installation }
        self.optOuts.append(OptOut(installation: installation, at: now, records: records))
    }

    // MARK: - The end

    /// Compares with what the service has.
    ///
    /// - Parameter events: The events, with the time of their first arrival. What is sent again, for whomever, has the same id.
    mutating func check(_ events: [(name: String, id: String, at: Duration)]) {
        let arrivals = Dictionary(grouping: events) { Int($0.name.dropFirst(2)) ?? -1 }
        for (number, record) in self.records.enumerated() {
            let count = Set((arrivals[number] ?? []).map(\.id)).count
            if count > 1 { self.fail("record \(number) of \(record.installation) has \(count) ids") }
            if count > 0 { self.reach("arrived") }
            if let copies = arrivals[number]?.count, copies > count { self.reach("arrived for two users") }
            if let excuse = record.excuse {
                if excuse == "ignored", count > 0 { self.fail("record \(number) was ignored, and has arrived") }
                self.reach("excused: \(excuse)")
            } else if record.isOwed, count == 0 {
                self.fail("record \(number) of \(record.installation) is lost")
            } else if count == 0 {
                self.reach("waits for a user")
            }
        }
        for optOut in self.optOuts {
            let late = optOut.records.filter { number in arrivals[number]?.contains { $0.at > optOut.at } ?? false }
            // One may be on the wire.
            if late.count > 1 { self.fail("records \(late) have arrived after an opt-out of \(optOut.installation)") }
            if late.count == 1 { self.reach("on the wire at an opt-out") }
        }
    }
}
