// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Attributes of users, as the platform hears of them.
@Suite(.watched) struct UserAttributesTests {
    private static func changes(_ signet: EmulatedSignet, of mpid: MPID) -> [String] {
        signet.emulator.events(of: mpid).filter { $0.type == "user_attribute_change" }.map { event in
            let data = event.data
            let name = data["user_attribute_name"]?.string ?? "?"
            let isNew = data["is_new_attribute"]?.bool == true
            return data["deleted"]?.bool == true ? "\(name) deleted" : isNew ? "\(name) new" : name
        }
    }

    private static func removals(_ signet: EmulatedSignet, of mpid: MPID) -> [[String]] {
        signet.emulator.batches().filter { $0.mpid == mpid }.compactMap {
            $0.json["deleted_user_attributes"]?.array?.compactMap(\.string)
        }
    }

    @Test func eachRealChangeIsAnEventOfTheAddressedUserInTheSessionThatIsOpen() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let (one, two, session) = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let one = try await visitor.login([.customerID: "c-1"]).user.mpid
            try await visitor.setAttribute("gold", for: "tier")
            try await visitor.setAttribute("gold", for: "Tier")
            let two = try await visitor.login([.customerID: "c-2"]).user.mpid
            try await visitor.setAttribute("silver", for: "TIER", of: one)
            try await visitor.setTag("vip")
            try await visitor.removeAttribute("tier", of: one)
            return (one, two, visitor.currentSession)
        }
        #expect(Self.changes(signet, of: one) == ["tier new", "tier", "tier deleted"])
        #expect(Self.changes(signet, of: two) == ["vip new"])
        let events = signet.emulator.events(of: one) + signet.emulator.events(of: two)
        #expect(events.allSatisfy { $0.sessionUUID?.uppercased() == session?.uuid.uuidString })
        #expect(events.flatMap(\.undocumentedMembers) == [])
        let changed = try #require(signet.emulator.events(of: one).first { $0.data["new"]?.string == "silver" })
        #expect(changed.data["old"]?.string == "gold")
        #expect(signet.emulator.user(two)?.attributeTags == ["vip"])
    }

    @Test func aChangeBeginsNoSessionAndEndsOneWhoseTimeIsOver() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let mpid = try await signet.run { signet in
            let visitor = try await signet.openKnown()
            signet.clock.advance(by: .seconds(100))
            try await visitor.setAttribute(1, for: "a")
            #expect(visitor.currentSession == nil)
            return try #require(visitor.currentUser).mpid
        }
        let events = signet.emulator.events(of: mpid)
        #expect(events.last?.type == "user_attribute_change")
        #expect(events.last?.sessionUUID == nil)
        #expect(events.filter { $0.type == "session_start" }.count == events.filter { $0.type == "session_end" }.count)
    }

    @Test func whatIsSetForNobodyYetIsToldOfTheFirstUser() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let (one, two) = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try await visitor.setAttribute(1, for: "a")
            let one = try await visitor.login([.customerID: "c-1"]).user.mpid
            return (one, try await visitor.login([.customerID: "c-2"]).user.mpid)
        }
        #expect(Self.changes(signet, of: one) == ["a new"])
        #expect(Self.changes(signet, of: two) == [])
        #expect(signet.emulator.user(one)?.attributes == ["a": 1])
    }

    @Test func incrementsAtOnceAreAllCounted() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let sums = try await withThrowingTaskGroup(of: AttributeValue.self) { group in
                for _ in 0..<100 { group.addTask { try await visitor.incrementAttribute("visits") } }
                return try await group.reduce(into: Set<AttributeValue>()) { $0.insert($1) }
            }
            #expect(sums == Set((1...100).map { AttributeValue.integer($0) }))
            #expect(visitor.currentUser?.attributes == ["visits": 100])
        }
    }

    @Test func aSwitchBetweenTwoCallsMovesNothing() async throws {
        let known = try await KnownInstallation()
        let gate = EmulatorGate()
        let signet = try known.next()
        let (one, two) = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let one = try #require(visitor.currentUser).mpid
            known.platform.faults.inject(.held(gate), on: .login)
            async let login = visitor.login([.customerID: "c-2"])
            await gate.arrived()
            try await visitor.setAttributes(["tier": "gold", "visits": 1], of: one)
            gate.open()
            let two = try await login.user.mpid
            try await visitor.setAttributes(["tier": "silver"], of: one)
            #expect(try await visitor.incrementAttribute("visits", of: one) == 1)
            try await visitor.setAttribute("of two", for: "tier")
            #expect(visitor.user(one)?.attributes == ["tier": "silver", "visits": 1])
            #expect(visitor.user(two)?.attributes == ["tier": "of two"])
            return (one, two)
        }
        #expect(signet.emulator.user(one)?.attributes == ["tier": "silver", "visits": 1])
        #expect(signet.emulator.user(two)?.attributes == ["tier": "of two"])
    }

    @Test func aRemovalIsInTheNextBatchOfItsUserOnceAndSurvivesRestarts() async throws {
        let known = try await KnownInstallation()
        let first = try known.next()
        let one = try await first.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setAttributes(["a": 1, "b": 2, "c": 3])
            return try #require(visitor.currentUser).mpid
        }
        // Nobody runs this one: nothing is sent.
        let second = try known.next()
        let visitor = try await second.runtime.open("one", identify: .none)
        try await visitor.setAttributes(["b": 2])
        try await visitor.setAttribute(4, for: "c")
        await second.runtime.shutdown()
        let third = try known.next()
        let two = try await third.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let two = try await visitor.login([.customerID: "c-2"]).user.mpid
            try visitor.log(.custom("of two"))
            return two
        }
        #expect(Self.removals(third, of: one) == [["a"]])
        #expect(Self.removals(third, of: two) == [])
        #expect(third.emulator.user(one)?.attributes == ["b": 2, "c": 4])
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setAttribute(5, for: "c", of: one)
            #expect(visitor.core.identityState.directory.entries[one]?.removals == [:])
        }
        #expect(Self.removals(third, of: one) == [["a"]])
    }

    @Test func aRemovalOfAnInstallationThatHasLeftMemoryIsForgottenWhenItIsInABatch() async throws {
        let known = try await KnownInstallation()
        let first = try known.next()
        let visitor = try await first.runtime.open("one", identify: .none)
        let one = try #require(visitor.currentUser).mpid
        try await visitor.setAttribute(1, for: "a")
        try await visitor.removeAttribute("a")
        await first.runtime.shutdown()
        try await known.next().run { signet in _ = try await signet.runtime.upload(within: .seconds(10)) }
        let third = try known.next()
        let again = try await third.runtime.open("one", identify: .none)
        #expect(again.core.identityState.directory.entries[one]?.removals == [:])
        #expect(Self.removals(third, of: one) == [["a"]])
        await third.runtime.shutdown()
    }

    @Test func aBatchThatWasWrittenDownBeforeAKillTellsOfARemovalAndNoOtherDoes() async throws {
        let known = try await KnownInstallation()
        let first = try known.next()
        let visitor = try await first.runtime.open("one", identify: .none)
        let one = try #require(visitor.currentUser).mpid
        try await visitor.setAttribute(1, for: "a")
        try await visitor.removeAttribute("a")
        let before = try #require(try first.runtime.context.store.value(for: StateKey.identity("one")))
        known.platform.faults.inject(.connectionRefused, on: .events)
        await #expect(throws: SignetError.self) {
            try await first.run { signet in _ = try await signet.runtime.upload(within: .seconds(10)) }
        }
        // As if the process had died between the batch and the record.
        known.clock.advance(by: .seconds(5))
        let second = try known.next()
        try second.runtime.context.store.put(before, for: StateKey.identity("one"))
        try await second.run { signet in
            try await signet.runtime.upload(within: .seconds(10))
            let visitor = try await signet.runtime.open("one", identify: .none)
            try visitor.log(.custom("x"))
        }
        #expect(Self.removals(second, of: one) == [["a"]])
    }

    @Test func eachLimitIsAnErrorAtTheCallAndNothingIsChanged() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setAttribute(1, for: "a")
            let accepted = signet.runtime.statistics.eventsAccepted
            let long = String(repeating: "x", count: 4097)
            let bad: [(String, AttributeValue)] = [
                ("", 1), (String(repeating: "k", count: 257), 1), ("a", .string(long)), ("a", ""), ("a", []),
                ("a", .list(Array(repeating: "e", count: 1001))), ("a", [.string(String(repeating: "e", count: 513))]),
                ("a", .double(.nan)), ("a", [["nested"]]),
            ]
            for (key, value) in bad {
                #expect(
                    await code { () async throws(SignetError) in try await visitor.setAttribute(value, for: key) }
                        == .invalidArgument,
                    "\(key)"
                )
                #expect(
                    await code { () async throws(SignetError) in try await visitor.setAttributes([key: value]) }
                        == .invalidArgument,
                    "\(key)"
                )
            }
            let many = Dictionary(uniqueKeysWithValues: (0...100).map { ("k\($0)", AttributeValue.integer(1)) })
            #expect(
                await code { () async throws(SignetError) in try await visitor.setAttributes(many) } == .invalidArgument
            )
            #expect(
                await code { () async throws(SignetError) in
                    try await visitor.incrementAttribute("a", by: .double(.infinity))
                } == .invalidArgument
            )
            #expect(visitor.currentUser?.attributes == ["a": 1])
            #expect(signet.runtime.statistics.eventsAccepted == accepted)
        }
    }
}
