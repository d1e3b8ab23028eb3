// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Replicas of two versions on the same rows.
@Suite(.watched) struct FleetFormatTests {
    /// The row of a newer version: its own fields stand before, between and after those of today.
    private struct NewerState: StoredRecord {
        static let subject = "a newer row"
        var state: SharedState

        init(_ state: SharedState) { self.state = state }

        func encode(into encoder: inout RecordEncoder) {
            Self.first(&encoder)
            self.state.encode(into: &encoder)
            Self.last(&encoder)
        }

        init(from decoder: inout RecordDecoder) throws(RecordDamage) {
            self.state = try SharedState(from: &decoder)
        }

        static func first(_ encoder: inout RecordEncoder) {
            encoder.write("score", ["a": AttributeValue.double(0.1), "b": .list([.integer(1), .null])])
        }

        static func last(_ encoder: inout RecordEncoder) {
            encoder.write("seal", bytes: [0, 1, 254, 255])
            encoder.write("kind", "é")
        }

        static let fields = UnknownFields.made {
            Self.first(&$0)
            Self.last(&$0)
        }
    }

    private static func row(_ fleet: TestFleet) throws -> SharedInstallation {
        try #require(fleet.engine.database.rows.values.first?.installation)
    }

    /// Writes the row as a replica of another version does.
    private static func write(_ state: [UInt8], over row: SharedInstallation, in fleet: TestFleet) async throws {
        let store = MemorySharedStore(fleet.engine)
        let commit = SharedCommit(row.id, key: row.key, if: .tag(row.tag), tag: .random(), state: state)
        #expect(try await store.commit([commit]).value == [.committed])
    }

    @Test func fieldsOfANewerVersionSurviveWhatThisOneWrites() async throws {
        try await TestFleet().run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let first = try await here.login([.customerID: "c-1"]).user.mpid
            try await here.login([.customerID: "c-2"])
            var state = try SharedState(decoding: Self.row(fleet).state)
            let ofIdentity = UnknownFields.made { $0.write("region", "eu") }
            let ofUser = UnknownFields.made { $0.write("rank", [1, 2, 3]) }
            let ofChange = UnknownFields.made { $0.write("why", "login") }
            state.identity.unknown = ofIdentity
            state.identity.directory.entries[first]?.unknown = ofUser
            state.part.changes[0].unknown = ofChange
            try await Self.write(NewerState(state).encoded(), over: Self.row(fleet), in: fleet)
            // Both replicas of this version change all that a row has.
            try await there.refresh()
            try await there.setAttribute("gold", for: "level")
            try await there.setAttribute("silver", for: "level", of: first)
            try await here.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            try await here.login([.customerID: "c-3"])
            try here.log(.custom("counted"))
            try await here.endSession()
            try await there.setOptedOut(true)
            try await there.setOptedOut(false)
            try await fleet.pass(3)
            let now = try SharedState(decoding: Self.row(fleet).state)
            #expect(now.part.unknown == NewerState.fields)
            #expect(now.identity.unknown == ofIdentity)
            #expect(now.identity.directory.entries[first]?.unknown == ofUser)
            #expect(now.identity.directory.entries[first]?.attributes["level"] == "silver")
            #expect(now.part.changes.first?.unknown == ofChange)
            #expect(now.identity.directory.entries.count == 3)
            // The newer version finds its fields.
            var decoder = try RecordDecoder(record: Self.row(fleet).state)
            #expect(try decoder.bytes("seal") == [0, 1, 254, 255])
        }
    }

    @Test func aFieldThatNamesAnErasedUserGoesWithThem() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            let mpid = try await here.login([.customerID: "c-1"]).user.mpid
            var state = try SharedState(decoding: Self.row(fleet).state)
            let other = UnknownFields.made { $0.write("kind", "é") }
            state.part.unknown = .made {
                $0.write("owner", mpid)
                $0.write("kind", "é")
            }
            state.identity.unknown = .made { $0.write("note", "of \(mpid)") }
            try await Self.write(state.encoded(), over: Self.row(fleet), in: fleet)
            _ = try await fleet.passing { try await fleet[0].runtime.eraseUser(mpid) }
            let now = try SharedState(decoding: Self.row(fleet).state)
            #expect(now.part.unknown == other)
            #expect(now.identity.unknown.isEmpty)
            #expect(fleet.engine.database.rows.values.allSatisfy { $0.mentions.isEmpty })
        }
    }

    @Test func theOutboxKeepsThemToo() throws {
        var outbox = SharedOutbox()
        let session = Session(uuid: UUID(), startTime: .init(milliseconds: 1))
        let totals = SessionTotals(
            session: session,
            context: 0,
            lastMilliseconds: 2,
            length: .zero,
            background: .zero,
            backgroundFrom: nil,
            interruptions: 0,
            events: 1,
            mpids: [],
            attributes: [:]
        )
        var end = SharedOutbox.End(totals: totals, mpid: nil, at: 3)
        end.unknown = .made { $0.write("late", flag: true) }
        outbox.add(end)
        var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
        encoder.write("other", [1])
        outbox.encode(into: &encoder)
        var read = try SharedOutbox(decoding: encoder.finish())
        #expect(read.ends == [end])
        read.remove([session.uuid])
        #expect(read.ends.isEmpty && !read.isEmpty, "what a newer version waits for stays")
        #expect(try SharedOutbox(decoding: read.encoded()) == read)
    }

    @Test func aRowOfANewerFormatIsRefusedAndLeftAsItIs() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let state = try SharedState(decoding: Self.row(fleet).state)
            try await Self.write(state.encoded(as: UInt8(SharedFormat.newest) + 1), over: Self.row(fleet), in: fleet)
            let newer = try Self.row(fleet)
            #expect(await code { try await here.setAttribute(1, for: "n") } == .newerFormat)
            #expect(await code { try await here.refresh() } == .newerFormat)
            #expect(await code { _ = try await here.login([.customerID: "c-2"]) } == .newerFormat)
            let now = try Self.row(fleet)
            #expect(now.state == newer.state && now.tag == newer.tag)
            // The others go on.
            let other = try await fleet[0].open("other")
            try await other.login([.customerID: "c-9"])
        }
    }

    @Test func aReplicaThatRunsGoesOnAfterTheUpgradeAndANewOneOfThisVersionIsRefused() async throws {
        let observer = RecordingObserver()
        try await TestFleet(2, observers: [observer]).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            fleet.engine.upgrade(to: SharedFormat.newest + 1)
            try await here.setAttribute(1, for: "n")
            #expect(await code { _ = try await fleet[1].open() } == .newerFormat)
            try await fleet.pass(62, besides: [1])
            try await here.setAttribute(2, for: "n")
            #expect(observer.storeFailures.map(\.code).contains(.newerFormat))
            #expect(observer.storeFailures.contains { $0.message.contains("ormat \(SharedFormat.newest + 1)") })
        }
    }
}
