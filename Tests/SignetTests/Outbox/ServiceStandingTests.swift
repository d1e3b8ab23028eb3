// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import Testing

@testable import Signet

/// What a service is told after an answer of the platform.
@Suite struct ServiceStandingTests {
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

    /// The letters of the occasions on which the service is told, the user being the same as before: start, login, logout, modify.
    private static func due(_ knowledge: ServiceStanding.Knowledge, _ before: User?, _ now: User) -> String {
        let standing = ServiceStanding(of: Self.service, knowledge) { $0.names }
        let occasions: [(UserNews.Occasion, String)] = [
            (.start, "s"), (.login, "i"), (.logout, "o"), (.modify, "m"),
        ]
        return occasions.filter { standing.isDue(UserNews(before, now, on: $0.0)) }.map(\.1).joined()
    }

    @Test func theTableOfWhatAServiceIsTold() throws {
        let (nobody, ann, bob) = (try Self.user(1, nil), try Self.user(2, "a@x"), try Self.user(3, "b@x"))
        let told = ToldUser(ann.mpid, names: Self.names)
        let left = ToldUser(nobody.mpid, names: nil)
        let (other, came) = (ToldUser.overruled(told, by: nil), ToldUser.overruled(left, by: ["email c@x"]))
        // What it knows, the user before, the user now, and when it is told.
        let rows: [(ServiceStanding.Knowledge, User?, User, String)] = [
            (.told(nil), ann, ann, "sio"), (.told(nil), nil, ann, "siom"), (.told(nil), nobody, nobody, ""),
            (.told(nil), ann, nobody, "siom"), (.told(nil), nil, nobody, ""),
            (.told(told), ann, ann, ""), (.told(told), bob, ann, ""), (.told(told), ann, bob, "siom"),
            (.told(told), ann, nobody, "siom"), (.told(told), nobody, nobody, "siom"),
            (.told(left), nobody, nobody, ""), (.told(left), ann, nobody, ""), (.told(left), nobody, ann, "siom"),
            (.told(left), ann, ann, "sio"),
            (.told(other), ann, ann, "io"), (.told(other), ann, bob, "siom"), (.told(other), bob, bob, "io"),
            (.told(other), nobody, nobody, "iom"), (.told(came), nobody, nobody, "o"), (.told(came), ann, ann, "io"),
            (.unreadable, ann, ann, ""), (.unreadable, ann, bob, "siom"), (.unreadable, ann, nobody, "siom"),
            (.unreadable, nil, nobody, ""),
        ]
        for (index, row) in rows.enumerated() {
            #expect(Self.due(row.0, row.1, row.2) == row.3, "row \(index)")
        }
    }

    @Test func anotherMPIDWithTheSameNamesIsNew() throws {
        let (ann, again) = (try Self.user(2, "a@x"), try Self.user(3, "a@x"))
        #expect(Self.due(.told(ToldUser(ann.mpid, names: Self.names)), ann, again) == "siom")
    }

    @Test func anEntryThatWaitsCountsAsTold() throws {
        let ann = try Self.user(2, "a@x")
        var standing = ServiceStanding(of: Self.service, .told(nil)) { $0.names }
        let news = UserNews(ann, ann, on: .login)
        #expect(standing.isDue(news))
        standing.expect(OutboxEntry(news, for: [Self.service]))
        #expect(!standing.isDue(news))
    }

    @Test func whoIsToldTheSameByOthersIsNotOverruled() {
        let told = ToldUser(MPID(rawValue: 2), names: Self.names)
        #expect(!ToldUser.overruled(told, by: Self.names).isOverruled)
        #expect(ToldUser.overruled(told, by: nil).isOverruled)
        #expect(ToldUser.overruled(nil, by: Self.names).isOverruled)
        #expect(!ToldUser.overruled(nil, by: nil).isOverruled)
        // Names with the same text in another cut are others.
        #expect(ToldUser.overruled(ToldUser(nil, names: ["a", "b"]), by: ["ab"]).isOverruled)
    }
}
