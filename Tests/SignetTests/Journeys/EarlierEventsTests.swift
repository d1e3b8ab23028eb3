// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// Events that happened before they are logged, such as yesterday's order.
@Suite(.watched) struct EarlierEventsTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func with(
        identifies: Bool = true,
        _ body: (EmulatedSignet, Installation) async throws -> Void
    ) async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: identifies ? .oncePerProcess : .none)
            if identifies { _ = try await visitor.initialIdentifyResult() }
            try await body(signet, visitor)
        }
    }

    private func earlier(_ event: Event, by seconds: Double, _ signet: EmulatedSignet) -> Event {
        var event = event
        event.occurredAt = signet.clock.date.addingTimeInterval(-seconds)
        return event
    }

    private func events(_ signet: EmulatedSignet, _ visitor: Installation) async throws -> [EmulatedEvent] {
        try await signet.runtime.upload()
        let events = signet.emulator.events(of: try #require(visitor.currentUser?.mpid))
        #expect(events.flatMap(\.undocumentedMembers) == [])
        return events
    }

    @Test func eachKindHasItsTimeAndNoSession() async throws {
        try await self.with { signet, visitor in
            try visitor.log(.custom("now"))
            signet.clock.advance(by: .seconds(10))
            let before = visitor.sessionSummary
            let kinds: [Event] = [
                .custom("old"), .screen("old"), .purchase(Purchase(transactionID: "o-1", total: 1)),
                .crash(CrashReport(message: "boom")),
            ]
            for event in kinds { try visitor.log(self.earlier(event, by: 86_400, signet)) }
            #expect(visitor.sessionSummary == before)
            try visitor.log(.custom("last"))
            let now = signet.clock.date
            let events = try await self.events(signet, visitor)
            let old = events.filter { $0.sessionUUID == nil }
            #expect(old.map(\.type) == ["custom_event", "screen_view", "commerce_event", "crash_report"])
            for event in old {
                #expect(event.timestamp == Int64((now.timeIntervalSince1970 * 1000).rounded()) - 86_400_000)
                #expect(event.data["session_id"] == nil && event.data["session_start_unixtime_ms"] == nil)
                #expect(event.data["source_message_id"]?.string != nil)
            }
            // In the order of their logging, whatever their times.
            let names = events.filter { $0.type == "custom_event" }.map(\.name)
            #expect(names == ["now", "old", "last"])
            #expect(events.first { $0.name == "now" }?.sessionUUID == events.first { $0.name == "last" }?.sessionUUID)
        }
    }

    @Test func itBeginsNoSession() async throws {
        try await self.with { signet, visitor in
            try await visitor.endSession()
            try visitor.log(self.earlier(.custom("old"), by: 3600, signet))
            #expect(visitor.currentSession == nil)
            try visitor.log(.custom("now"))
            #expect(visitor.currentSession != nil)
        }
    }

    @Test func itProlongsNoSessionAndCountsForNone() async throws {
        try await self.with { signet, visitor in
            try signet.runtime.setSessionTimeout(.seconds(60))
            try visitor.log(.custom("now"))
            let moment = signet.clock.date
            signet.clock.advance(by: .seconds(50))
            try visitor.log(self.earlier(.custom("old"), by: 1, signet))
            signet.clock.advance(by: .seconds(20))
            // The next event finds the end of the session, if the clock has not.
            try visitor.log(.custom("next"))
            let events = try await self.events(signet, visitor)
            let end = try #require(events.last { $0.type == "session_end" })
            #expect(end.timestamp == Int64((moment.timeIntervalSince1970 * 1000).rounded()))
            #expect(end.customAttributes["$EventCount"] == "1")
        }
    }

    @Test func aTimeBeyondTheLimitsIsAnErrorAndNothingIsLogged() async throws {
        try await self.with { signet, visitor in
            let count = signet.runtime.statistics.eventsAccepted
            for seconds: Double in [90 * 86_400 + 1, -61] {
                let error = #expect(throws: SignetError.self) {
                    try visitor.log(self.earlier(.custom("x"), by: seconds, signet))
                }
                #expect(error?.code == .invalidArgument)
            }
            let timed = #expect(throws: SignetError.self) {
                try visitor.beginTimedEvent(self.earlier(.custom("x"), by: 1, signet))
            }
            #expect(timed?.code == .invalidArgument)
            #expect(signet.runtime.statistics.eventsAccepted == count)
        }
    }

    @Test func oneThatIsNotUploadedAndOneAfterAnOptOutLeaveNothing() async throws {
        try await self.with { signet, visitor in
            var local = self.earlier(.custom("local"), by: 60, signet)
            local.isUploaded = false
            try visitor.log(local)
            try await visitor.setOptedOut(true)
            for event in [local, self.earlier(.custom("old"), by: 60, signet)] {
                let error = #expect(throws: SignetError.self) { try visitor.log(event) }
                #expect(error?.code == .optedOut)
            }
            let events = try await self.events(signet, visitor)
            #expect(events.filter { $0.type == "custom_event" } == [])
        }
    }

    @Test func itsAgeCountsFromItsLogging() async throws {
        try await self.with(identifies: false) { signet, visitor in
            try visitor.log(self.earlier(.custom("old"), by: 89 * 86_400, signet))
            // 91 days after it happened, and two after it was logged, the first user is known.
            signet.clock.advance(by: .seconds(2 * 86_400))
            try await signet.runtime.upload()
            try await visitor.login([.customerID: "c"])
            let events = try await self.events(signet, visitor)
            #expect(events.contains { $0.name == "old" })
            #expect(signet.runtime.statistics.eventsDropped == [:])
        }
    }

    @Test func itSurvivesAKillAndCountsForNoSessionAfterIt() async throws {
        try await self.with { signet, visitor in
            try visitor.log(.custom("now"))
            try visitor.log(self.earlier(.custom("old"), by: 3600, signet))
            signet.runtime.evict("v")
            let again = try await signet.runtime.open("v", identify: .none)
            #expect(again.sessionSummary?.eventCount == 1)
            let events = try await self.events(signet, again)
            #expect(events.filter { $0.name == "old" }.count == 1)
        }
    }
}
