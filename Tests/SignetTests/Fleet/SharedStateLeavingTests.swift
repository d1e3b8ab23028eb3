// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Rows that are too large: users unseen the longest leave them.
@Suite(.watched) struct SharedStateLeavingTests {
    /// A row of users, each seen a second after the one before, with a text of some bytes.
    private static func row(
        _ sizes: [Int],
        current: Int?,
        firstUser: Int64 = 1,
        withConsent: Bool = false
    ) -> SharedState {
        var state = IdentityFixture.empty
        var entries: [MPID: UserDirectory.Entry] = [:]
        for (index, size) in sizes.enumerated() {
            // The higher number was seen earlier.
            var entry = UserDirectory.Entry(firstSeen: 1, lastSeen: 1000 - Int64(index))
            entry.attributes = ["text": .string(String(repeating: "x", count: size))]
            if withConsent { entry.consent = ConsentState(gdpr: ["ads": Consent(index % 2 == 0)]) }
            entries[IdentityFixture.mpid(Int64(index + 1))] = entry
        }
        state.directory = UserDirectory(
            createdAt: 0,
            entries: entries,
            current: current.map { IdentityFixture.mpid(Int64($0)) },
            firstUser: IdentityFixture.mpid(firstUser)
        )
        return SharedState(identity: state, part: SharedPart())
    }

    private static func numbers(_ leaving: LeavingUsers?) -> [Int64]? {
        leaving?.users.map(\.rawValue)
    }

    @Test(
        arguments: [
            ([100], 1, 1000, []),
            ([600, 600], 1, 2000, []),
            // The one who was seen last is current, or the one who was not.
            ([600, 600], 1, 1000, [2]),
            ([600, 600], 2, 1000, [1]),
            ([600, 600, 600], 3, 1000, [2, 1]),
            ([600, 600, 600], 2, 1600, [3]),
            // Without a current user all may leave.
            ([600, 600], nil, 200, [2, 1]),
            ([10, 900, 10, 10], 1, 1150, [4, 3]),
            ([10, 900, 10, 10], 2, 1150, [4, 3]),
            // The current user alone does not fit.
            ([1100, 10], 1, 1000, nil),
            ([10, 1100], 2, 1000, nil),
            ([], nil, 20, nil),
        ] as [([Int], Int?, Int, [Int64]?)]
    )
    func thoseWhoWereNotSeenForTheLongestTimeLeave(sizes: [Int], current: Int?, limit: Int, users: [Int64]?) throws {
        let row = Self.row(sizes, current: current)
        let leaving = row.leaving(toFit: limit, in: 1)
        #expect(Self.numbers(leaving) == users)
        guard let leaving else { return }
        var left = row
        left.leave(leaving)
        #expect(left.encoded().count <= limit)
        #expect(left.identity.directory.current == row.identity.directory.current)
        #expect(left.identity.directory.entries.count == sizes.count - leaving.users.count)
    }

    @Test(arguments: [UInt64](0..<50))
    func noMoreLeaveThanNeeded(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let sizes = (0..<Int.random(in: 1...30, using: &random)).map { _ in Int.random(in: 0...3000, using: &random) }
        let row = Self.row(sizes, current: Int.random(in: 1...sizes.count, using: &random))
        let limit = Int.random(in: 3200...12_000, using: &random)
        let leaving = try #require(row.leaving(toFit: limit, in: 1))
        var left = row
        left.leave(leaving)
        #expect(left.encoded().count <= limit)
        guard let last = leaving.users.last else { return }
        var oneMore = row
        oneMore.leave(LeavingUsers(users: leaving.users.dropLast()))
        #expect(oneMore.encoded().count > limit, "\(last) need not leave")
    }

    @Test func whoIsBlankLeavesBeforeWhoIsKnown() throws {
        var row = Self.row([100, 100, 100, 100], current: 1, firstUser: 4)
        // As log-outs make them; the second one was seen last, and the fourth is the first user.
        for number: Int64 in [2, 4] { row.identity.directory.entries[IdentityFixture.mpid(number)]?.attributes = [:] }
        let order = try #require(row.leaving(toFit: 300, in: 1))
        #expect(Self.numbers(order) == [2, 4, 3])
    }

    @Test func theirConsentStaysWhileThereIsRoomForIt() throws {
        var row = Self.row([100, 100, 100], current: 1, withConsent: true)
        let leaving = try #require(row.leaving(toFit: row.encoded().count - 150, in: 1))
        #expect(Self.numbers(leaving) == [3, 2] || Self.numbers(leaving) == [3])
        row.leave(leaving)
        #expect(row.part.departed.first?.mpid == IdentityFixture.mpid(3))
        #expect(row.part.departed.first?.consent == ConsentState(gdpr: ["ads": Consent(true)]))
        // The store still finds the row by them, so that they can be erased.
        #expect(row.mentioned.contains(IdentityFixture.mpid(3)))
        let alone = Self.row([100], current: 1, withConsent: true).encoded().count
        let tight = try #require(row.leaving(toFit: alone, in: 1))
        #expect(tight.consents.contains(IdentityFixture.mpid(3)))
        row.leave(tight)
        #expect(row.part.departed.isEmpty && row.identity.directory.entries.count == 1)
        #expect(row.leaving(toFit: alone - 1, in: 1) == nil)
    }

    @Test func aLargeNumberOfUsersLeavesInOneGo() throws {
        let row = Self.row([Int](repeating: 100, count: 5000), current: 1)
        let leaving = try #require(row.leaving(toFit: SharedStoreLimits.valueBytes, in: 1))
        #expect(leaving.users.count > 4000 && leaving.users.first == IdentityFixture.mpid(5000))
    }

    // MARK: - On replicas

    private static func fill(_ visitor: Installation, _ count: Int) async throws {
        for number in 0..<count {
            try await visitor.setAttribute(.string(String(repeating: "x", count: 4000)), for: "text-\(number)")
        }
    }

    @Test func aFullRowDropsTheUserUnseenTheLongestAndTheCallSucceeds() async throws {
        let observer = RecordingObserver()
        try await TestFleet(2, observers: [observer]).run { fleet in
            let (here, there) = (try await fleet[0].open(), try await fleet[1].open())
            let first = try await here.login([.customerID: "c-1"]).user.mpid
            try await Self.fill(here, 7)
            try here.log(.custom("of the first"))
            fleet.clock.advance(by: .seconds(1))
            let second = try await here.login([.customerID: "c-2"]).user.mpid
            try await Self.fill(here, 7)
            fleet.clock.advance(by: .seconds(1))
            let third = try await here.login([.customerID: "c-3"]).user.mpid
            #expect(fleet[0].runtime.statistics.usersDropped == 0)
            try await Self.fill(here, 3)
            #expect(fleet[0].runtime.statistics.usersDropped == 1)
            #expect(observer.usersDropped == [1])
            #expect(Set(here.allUsers.map(\.mpid)) == [second, third])
            #expect(here.currentUser?.attributes.count == 3)
            try await there.refresh()
            #expect(Set(there.allUsers.map(\.mpid)) == [second, third])
            // The next change does not drop them again.
            try await here.setAttribute(1, for: "n")
            #expect(observer.usersDropped == [1])
            #expect(fleet[1].runtime.statistics.usersDropped == 0)
            // Their events are theirs.
            try await fleet.upload()
            #expect(fleet.platform.events(of: first).contains { $0.name == "of the first" })
            // Whoever comes back is new here.
            let again = try await here.login([.customerID: "c-1"])
            #expect(again.user.mpid == first && again.user.attributes.isEmpty)
        }
    }

    /// The users fit into the directory's record, without what one of them has answered elsewhere.
    @Test func anImportLeavesUsersBehindForWhomARowHasNoRoom() async throws {
        let folder = try TemporaryFolder()
        var mpids: [MPID] = []
        try await EmulatedSignet(in: folder.path).run { signet in
            let visitor = try await signet.runtime.open("visitor", identify: .none)
            for customer in ["c-1", "c-2"] {
                mpids.append(try await visitor.login([.customerID: customer]).user.mpid)
                try await Self.fill(visitor, 7)
            }
            let other = try await signet.runtime.open("other", identify: .none)
            try await other.login([.customerID: "c-1"])
            let document = String(repeating: "d", count: 4000)
            let long = Consent(false, document: document)
            try await other.setConsent(ConsentState(gdpr: ["a": long, "b": long, "c": long]))
        }
        let source = try DirectoryImport(directory: folder.path)
        let engine = MemorySharedEngine()
        let report = try await source.run(into: MemorySharedStore(engine))
        source.close()
        #expect(report.made == 2 && report.usersDropped == 1 && report.tooLarge == 0)
        let row = try #require(engine.database.rows.values.first { $0.installation.id == "visitor" }).installation
        #expect(try SharedState(decoding: row.state).identity.directory.entries.keys.map(\.self) == [mpids[1]])
    }

    @Test func aCurrentUserWhoAloneDoesNotFitIsALimit() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let current = try await here.login([.customerID: "c-2"]).user.mpid
            try await Self.fill(here, 15)
            let before = try #require(fleet.engine.database.rows.values.first).installation
            let text = AttributeValue.string(String(repeating: "y", count: 4090))
            try await here.setAttribute(text, for: "last")
            #expect(await code { try await here.setAttribute(text, for: "over") } == .limitReached)
            #expect(here.currentUser?.mpid == current)
            #expect(here.currentUser?.attributes["over"] == nil)
            #expect(before.tag != fleet.engine.database.rows.values.first?.installation.tag)
            try await here.removeAttribute("text-0")
            try await here.setAttribute("small", for: "over")
        }
    }
}
