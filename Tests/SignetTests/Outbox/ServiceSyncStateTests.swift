// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import Testing

@testable import Signet

/// The services that follow after an answer of the platform.
@Suite struct ServiceSyncStateTests {
    private static let service = IdentitySyncOutcome.Service(name: "iterable")
    private static let names = ["email a@x"]

    private static func user(_ number: Int64, _ email: String?) throws -> User {
        User(
            mpid: try #require(MPID(rawValue: number)),
            identities: email.map { [.email: User.Identity(value: $0, firstSet: Date(timeIntervalSince1970: 0))] }
                ?? [:],
            attributes: [:],
            isLoggedIn: email != nil,
            isEphemeral: false,
            firstSeen: Date(timeIntervalSince1970: 0),
            lastSeen: Date(timeIntervalSince1970: 0)
        )
    }

    /// The letters of the occasions on which the service follows, the user being the same as before: start, login,
    /// logout, modify.
    private static func due(_ knowledge: ServiceSyncState.Knowledge, _ before: User?, _ now: User) -> String {
        let syncState = ServiceSyncState(of: Self.service, knowledge) { $0.names }
        let occasions: [(CurrentUserUpdate.Occasion, String)] = [
            (.start, "s"), (.login, "i"), (.logout, "o"), (.modify, "m"),
        ]
        return occasions.filter { syncState.isDue(CurrentUserUpdate(before, now, on: $0.0)) }.map(\.1).joined()
    }

    @Test func aServiceFollowsAsTheTableSays() throws {
        let (nobody, ann, bob) = (try Self.user(1, nil), try Self.user(2, "a@x"), try Self.user(3, "b@x"))
        let synced = SyncedUser(ann.mpid, names: Self.names)
        let left = SyncedUser(nobody.mpid, names: nil)
        let (other, came) = (SyncedUser.overruled(synced, by: nil), SyncedUser.overruled(left, by: ["email c@x"]))
        // What it knows, the user before, the user now, and when it follows.
        let rows: [(ServiceSyncState.Knowledge, User?, User, String)] = [
            (.synced(nil), ann, ann, "sio"), (.synced(nil), nil, ann, "siom"), (.synced(nil), nobody, nobody, ""),
            (.synced(nil), ann, nobody, "siom"), (.synced(nil), nil, nobody, ""),
            (.synced(synced), ann, ann, ""), (.synced(synced), bob, ann, ""), (.synced(synced), ann, bob, "siom"),
            (.synced(synced), ann, nobody, "siom"), (.synced(synced), nobody, nobody, "siom"),
            (.synced(left), nobody, nobody, ""), (.synced(left), ann, nobody, ""), (.synced(left), nobody, ann, "siom"),
            (.synced(left), ann, ann, "sio"),
            (.synced(other), ann, ann, "io"), (.synced(other), ann, bob, "siom"), (.synced(other), bob, bob, "io"),
            (.synced(other), nobody, nobody, "iom"), (.synced(came), nobody, nobody, "o"),
            (.synced(came), ann, ann, "io"),
            (.unreadable, ann, ann, ""), (.unreadable, ann, bob, "siom"), (.unreadable, ann, nobody, "siom"),
            (.unreadable, nil, nobody, ""),
        ]
        for (index, row) in rows.enumerated() {
            #expect(Self.due(row.0, row.1, row.2) == row.3, "row \(index)")
        }
    }

    /// An erasure, or a refusal, forgets the user, but not that the app has changed the user at the service.
    @Test func aStartUndoesNothingAfterTheUserWasForgotten() throws {
        let (nobody, ann, bob) = (try Self.user(1, nil), try Self.user(2, "a@x"), try Self.user(3, "b@x"))
        let synced = SyncedUser(ann.mpid, names: Self.names)
        #expect(synced.forgotten == nil)
        let other = ServiceSyncState.Knowledge.synced(SyncedUser.overruled(synced, by: nil).forgotten)
        #expect(Self.due(other, ann, ann) == "io")
        #expect(Self.due(other, ann, bob) == "siom")
        #expect(Self.due(other, nobody, nobody) == "o")
    }

    @Test func anotherMPIDWithTheSameNamesIsNew() throws {
        let (ann, again) = (try Self.user(2, "a@x"), try Self.user(3, "a@x"))
        #expect(Self.due(.synced(SyncedUser(ann.mpid, names: Self.names)), ann, again) == "siom")
    }

    @Test func aPendingEntryCountsAsSynchronised() throws {
        let ann = try Self.user(2, "a@x")
        var syncState = ServiceSyncState(of: Self.service, .synced(nil)) { $0.names }
        let update = CurrentUserUpdate(ann, ann, on: .login)
        #expect(syncState.isDue(update))
        syncState.expect(OutboxEntry(update, for: [Self.service]))
        #expect(!syncState.isDue(update))
    }

    @Test func theSameNamesFromOthersDoNotOverrule() {
        let synced = SyncedUser(MPID(rawValue: 2), names: Self.names)
        #expect(!SyncedUser.overruled(synced, by: Self.names).isOverruled)
        #expect(SyncedUser.overruled(synced, by: nil).isOverruled)
        #expect(SyncedUser.overruled(nil, by: Self.names).isOverruled)
        #expect(!SyncedUser.overruled(nil, by: nil).isOverruled)
        // Names with the same text in another cut are others.
        #expect(SyncedUser.overruled(SyncedUser(nil, names: ["a", "b"]), by: ["ab"]).isOverruled)
    }
}
