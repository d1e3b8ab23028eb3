// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import Testing

@testable import Signet

@Suite struct LinkedRecordTests {
    private static let visitors = IdentitySyncOutcome.Service(name: "iterable")

    private static func user(_ number: Int64, _ identities: [IdentityType: String]) throws -> User {
        User(
            mpid: try #require(MPID(rawValue: number)),
            identities: identities.mapValues { User.Identity(value: $0, firstSet: Date(timeIntervalSince1970: 0)) },
            attributes: [:],
            isLoggedIn: !identities.isEmpty,
            isEphemeral: false,
            firstSeen: Date(timeIntervalSince1970: 0),
            lastSeen: Date(timeIntervalSince1970: 0)
        )
    }

    private static func record(_ previous: User?, _ current: User) -> OutboxEntry? {
        let syncState = ServiceSyncState(of: Self.visitors, .synced(nil)) { $0.names }
        return IdentityStateMachine.Following(CurrentUserUpdate(previous, current, on: .login), [syncState]).map {
            OutboxEntry($0.update, for: $0.services)
        }
    }

    @Test func whoIsKnownByAnEmailOrACustomerIDIsIdentifiedAndLeaves() throws {
        let nobody = try Self.user(1, [:])
        let device = try Self.user(2, [.other: "x"])
        let ann = try Self.user(3, [.email: "ann@example.com"])
        let bob = try Self.user(4, [.customerID: "bob", .email: "bob@example.com"])
        #expect(Self.record(nil, nobody) == nil)
        #expect(Self.record(nobody, device) == nil)
        #expect(Self.record(nil, ann)?.call == .identify(email: "ann@example.com", customerID: nil))
        #expect(Self.record(ann, bob)?.call == .identify(email: "bob@example.com", customerID: "bob"))
        #expect(Self.record(bob, nobody)?.call == .leave)
        #expect(Self.record(bob, nobody)?.mpid == nobody.mpid)
        #expect(IdentityStateMachine.Following(CurrentUserUpdate(nil, ann, on: .login), [])?.services == nil)
    }
}
