// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// The times that an app may give to an event.
@Suite struct EventOccurrenceTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let day: Int64 = 86_400_000

    private func time(_ date: Date, now: Int64 = Self.now) throws(SignetError) -> Int64 {
        var event = Event.custom("order")
        event.occurredAt = date
        return try EventOccurrence(event, now: now, keeping: .seconds(90 * 86_400)).milliseconds
    }

    @Test(arguments: [0, 1, Self.day, 90 * Self.day, -60_000])
    func aTimeWithinTheLimitsIsTaken(age: Int64) throws {
        let date = Date(timeIntervalSince1970: Double(Self.now - age) / 1000)
        #expect(try self.time(date) == Self.now - age)
    }

    @Test(arguments: [90 * Self.day + 1, -60_001, 1000 * Self.day, -1000 * Self.day])
    func aTimeThatIsTooEarlyOrInTheFutureIsRefused(age: Int64) {
        let date = Date(timeIntervalSince1970: Double(Self.now - age) / 1000)
        let error = #expect(throws: SignetError.self) { try self.time(date) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(age < 0 ? "future" : "2160 hours") == true)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 9.2e15, -9.2e15])
    func whatIsNoTimeIsRefused(seconds: Double) {
        for now in [Self.now, 0, .max, .min] {
            let error = #expect(throws: SignetError.self) {
                try self.time(Date(timeIntervalSince1970: seconds), now: now)
            }
            #expect(error?.code == .invalidArgument)
        }
    }
}
