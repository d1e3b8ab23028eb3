// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.Date

@testable import Signet

/// What an app logs, as the platform gets it.
@Suite struct EventKindsTests {
    private func events(
        _ body: (Installation, ManualClock) async throws -> Void
    ) async throws -> [EmulatedEvent] {
        let folder = try TemporaryFolder()
        let clock = ManualClock(startingAtMilliseconds: 1_700_000_000_000)
        let signet = try EmulatedSignet(
            in: folder.path,
            platform: Emulator(clock: clock, wallClock: { clock.date }),
            clock: clock
        )
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v")
            let user = try await visitor.initialIdentifyResult().user
            try await body(visitor, clock)
            return user.mpid
        }
        let events = signet.emulator.events(of: mpid)
        #expect(events.flatMap(\.undocumentedMembers) == [])
        return events
    }

    @Test func aTimedEventCarriesItsBeginAndItsLength() async throws {
        let events = try await self.events { visitor, clock in
            try visitor.beginTimedEvent(.custom("level", attributes: ["n": 1, "kept": true]))
            clock.advance(by: .milliseconds(2500))
            // What cannot be logged has not ended.
            var tooMany: Attributes = [:]
            for number in 0..<101 { tooMany["k\(number)"] = 1 }
            #expect(throws: SignetError.self) { try visitor.endTimedEvent("level", attributes: tooMany) }
            try visitor.endTimedEvent("level", attributes: ["n": 2])
            let error = #expect(throws: SignetError.self) { try visitor.endTimedEvent("level") }
            #expect(error?.code == .invalidArgument)
        }
        let data = try #require(events.last?.data)
        #expect(data["event_start_unixtime_ms"]?.number?.int64 == 1_700_000_000_000)
        #expect(data["custom_attributes"]?["EventLength"]?.string == "2500")
        #expect(data["custom_attributes"]?["n"]?.string == "2")
        #expect(data["custom_attributes"]?["kept"]?.string == "true")
    }

    @Test func aCrashReportCarriesTheBreadcrumbs() async throws {
        let events = try await self.events { visitor, _ in
            for number in 0..<52 { try visitor.leaveBreadcrumb("step \(number)") }
            try visitor.log(.crash(CrashReport(message: "boom")))
        }
        #expect(events.filter { $0.type == "breadcrumb" }.count == 52)
        let breadcrumbs = try #require(events.last?.data["breadcrumbs"]?.array)
        #expect(breadcrumbs.count == 50)
        #expect(breadcrumbs.first?["data"]?["label"]?.string == "step 2")
    }

    @Test func whatBeginsNoSessionIsLoggedOutsideOfOne() async throws {
        let events = try await self.events { visitor, clock in
            clock.advance(by: .seconds(100))
            var quiet = Event.custom("quiet")
            quiet.beginsSession = false
            // A copy has the option too (the vendors' SDK forgets it).
            let copy = quiet
            try visitor.log(copy)
            #expect(visitor.currentSession == nil)
            try visitor.log(.custom("loud"))
            #expect(visitor.currentSession != nil)
            try visitor.log(copy)
        }
        let types = ["session_start", "session_end", "custom_event", "session_start", "custom_event", "custom_event"]
        #expect(events.map(\.type) == types)
        #expect(events[2].data["session_uuid"] == nil)
        #expect(events[5].data["session_uuid"] == events[4].data["session_uuid"])
    }

    @Test func anUninstallAndTheChangesOfAProfileArrive() async throws {
        let guest = IdentityFixture.mpid(-7)
        let events = try await self.events { visitor, clock in
            let user = try #require(visitor.currentUser?.mpid)
            for change in Event.ProfileChange.allCases { try visitor.log(.profile(change, from: guest, to: user)) }
            clock.advance(by: .seconds(3600))
            // The app is gone: there is no session for it.
            try visitor.log(.uninstall(attributes: ["reported by": "push"]))
            #expect(visitor.currentSession == nil)
        }
        let profiles = events.filter { $0.type == "profile" }
        let kinds = profiles.compactMap { $0.data["profile_event_type"]?.string }
        #expect(kinds == ["signup", "login", "logout", "update", "delete"])
        for event in profiles {
            #expect(event.data["previous_mpid"]?.number?.int64 == -7)
            #expect(event.data["current_mpid"]?.number?.int64 == event.mpid.rawValue)
        }
        let uninstall = try #require(events.first { $0.type == "uninstall" })
        #expect(uninstall.customAttributes == ["reported by": "push"])
        #expect(uninstall.sessionUUID == nil)
    }

    @Test func whatIsNotUploadedCountsForItsSessionOnly() async throws {
        let events = try await self.events { visitor, clock in
            var local = Event.screen("local")
            local.isUploaded = false
            clock.advance(by: .seconds(40))
            try visitor.log(local)
            clock.advance(by: .seconds(40))
            try visitor.log(.screen("uploaded"))
        }
        #expect(events.map(\.type) == ["session_start", "screen_view"])
    }

    @Test func breadcrumbsAndReportsHaveAttributes() async throws {
        let long = String(repeating: "l", count: 1100)
        let events = try await self.events { visitor, _ in
            try visitor.leaveBreadcrumb("cart", attributes: ["items": 3, "kind": "shoes"])
            try visitor.leaveBreadcrumb("search", attributes: ["text": .string(long)])
            try visitor.leaveBreadcrumb("bare")
            try visitor.log(.crash(CrashReport(message: "boom"), attributes: ["request": "r-1"]))
            #expect(throws: SignetError.self) { try visitor.leaveBreadcrumb("x", attributes: ["": 1]) }
        }
        #expect(
            events.filter { $0.type == "breadcrumb" }.map(\.customAttributes)
                == [["items": "3", "kind": "shoes"], ["text": long], [:]]
        )
        let crash = try #require(events.last)
        #expect(crash.customAttributes == ["request": "r-1"])
        let breadcrumbs = try #require(crash.data["breadcrumbs"]?.array)
        let told = breadcrumbs.map { $0["data"]?["custom_attributes"]?["kind"]?.string }
        #expect(told == ["shoes", nil, nil])
        // Too long for the report, not for its own event.
        #expect(breadcrumbs[1]["data"]?["custom_attributes"] == nil)
    }

    @Test func aReportHasRoomWhateverTheBreadcrumbsAre() async throws {
        let name = String(repeating: "\u{1}", count: 256)
        let text = String(repeating: "a", count: 1000)
        let events = try await self.events { visitor, _ in
            for number in 0..<50 {
                let label = "\(number) " + name.prefix(250)
                try visitor.leaveBreadcrumb(label, attributes: ["t": .string(text)])
            }
            let trace = String(repeating: "t", count: 30_000)
            try visitor.log(.crash(CrashReport(message: "boom", stackTrace: trace)))
        }
        let crash = try #require(events.last)
        #expect(crash.type == "crash_report")
        let labels = crash.data["breadcrumbs"]?.array?.compactMap { $0["data"]?["label"]?.string } ?? []
        #expect(labels.count == 25)
        #expect(labels.last?.hasPrefix("49 ") == true)
    }

    @Test func aPushMessageSaysWhatWasDoneWithIt() async throws {
        let events = try await self.events { visitor, _ in
            for behavior in PushMessage.Behavior.allCases {
                try visitor.log(.pushMessage(PushMessage(.received, token: "t", payload: "{}", behavior: behavior)))
            }
            try visitor.log(.pushMessage(PushMessage(.sent, token: "t", payload: "{}")))
        }
        let told = events.filter { $0.type == "push_message" }.map { $0.data["push_message_behavior"]?.string }
        #expect(told == ["Received", "DirectOpen", "Read", "InfluencedOpen", "Displayed", nil])
    }

    @Test func thePlatformTakesEachKind() async throws {
        let product = Product(id: "p", price: 1, quantity: 2)
        let events = try await self.events { visitor, _ in
            var custom = Event.custom("c", attributes: ["list": [1, "a"], "date": .date(Date(milliseconds: 0))])
            custom.location = Location(latitude: 1, longitude: 2)
            custom.lifetimeValueChange = LifetimeValueChange(3, attribute: "spent")
            custom.customFlags = ["flag": "on"]
            custom.category = "games"
            try visitor.log(custom)
            for kind in ProductAction.Kind.allCases {
                try visitor.log(.commerce(.action(ProductAction(kind, products: [product], transactionID: "t"))))
            }
            try visitor.log(.commerce(.promotions(.click, [Promotion(id: "p")])))
            try visitor.log(.commerce(.impressions([ProductImpression(list: "l", products: [product])])))
            try visitor.log(.networkPerformance(NetworkPerformance(url: "https://x.example", responseCode: 200)))
            try visitor.log(.pushRegistration(PushRegistration(isRegistered: true, token: "t")))
            try visitor.log(.pushMessage(PushMessage(.received, token: "t", payload: "{}")))
        }
        let expected = 1 + 1 + ProductAction.Kind.allCases.count + 2 + 3
        #expect(events.count == expected)
    }
}
