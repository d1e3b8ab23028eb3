// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

@Suite struct IterableActivationTests {
    @Test func aCriterionMakesAnUnknownUserWhoHearsEverythingInOrder() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            var changes = try visitor.changes.makeAsyncIterator()
            try await visitor.browse()
            try await visitor.waitUntilIdle()
            #expect(visitor.state == .visitor)
            #expect(world.routes == [])
            let before = world.clock.date
            world.clock.advance(by: .seconds(10))
            #expect(try await visitor.track("signup") == .buffered)
            #expect(try await visitor.track("after") != .ignored(.noConsent))
            try await visitor.waitUntilIdle()
            #expect(
                world.routes == [
                    .activation, .consent, .trackEvent, .updateCart, .trackPurchase, .trackEvent, .trackEvent,
                    .updateUser,
                ]
                    || world.routes == [
                        .activation, .consent, .trackEvent, .updateCart, .trackPurchase, .trackEvent, .updateUser,
                        .trackEvent,
                    ]
            )
            let user = try #require(world.iterable.unknownUsers().first)
            let id = try #require(user.userID)
            #expect(visitor.state == .unknown(userID: id))
            let activation = try #require(world.iterable.activations().first)
            #expect(activation.matchedCriteriaID == 7)
            #expect(activation.totalSessions == 1)
            #expect(activation.userID == id)
            let events = world.iterable.events(of: .userID(id))
            #expect(events.map(\.name) == ["view", nil, nil, "signup", "after"])
            #expect(events.prefix(3).allSatisfy { $0.createdAt.map { abs($0.timeIntervalSince(before)) < 1 } ?? false })
            #expect(events.allSatisfy { $0.bookkeeping.isEmpty && $0.deliveries == 1 })
            #expect(events[0].json["dataFields"]?.object?["first"] == .bool(true))
            #expect(events[0].json["dataFields"]?.object?["none"] == .null)
            #expect(events[2].total == 9.34)
            #expect(user.bookkeeping.isEmpty)
            #expect(user.fields["plan"] == "gold")
            #expect(world.iterable.consents().map(\.isUserKnown) == [false])
            #expect(world.iterable.consents().map(\.userExisted) == [true])
            #expect(world.iterable.requests().allSatisfy { $0.headerFaults.isEmpty })
            #expect(await changes.nextKind() == "criteriaReceived")
            #expect(await changes.nextKind() == "unknownUserCreated")
            #expect(await changes.nextKind() == "resolved")
        }
    }

    @Test func nothingIsKeptWithoutConsentOrWhileSwitchedOff() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            #expect(try await installation.iterable.track("signup") == .ignored(.noConsent))
            #expect(installation.iterable.state == .noConsent)
            try await installation.iterable.waitUntilIdle()
        }
        try await world.live(configure: { $0.iterable?.isEnabled = false }) { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            #expect(try await installation.iterable.track("signup") == .ignored(.switchedOff))
            #expect(installation.iterable.state == .switchedOff)
            try await installation.iterable.waitUntilIdle()
        }
        #expect(world.iterable.requests().filter { $0.route != .criteria }.isEmpty)
    }

    @Test func aVisitorWhoComesBackIsRememberedAndCounted() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.browse()
            try await installation.iterable.waitUntilIdle()
        }
        world.clock.advance(by: .seconds(3600))
        try await world.live { _, installation in
            try await installation.iterable.waitUntilIdle()
            try await installation.iterable.track("signup")
            try await installation.iterable.waitUntilIdle()
        }
        let activation = try #require(world.iterable.activations().first)
        #expect(activation.totalSessions == 2)
        #expect(activation.lastSession.timeIntervalSince(activation.firstSession) == 3600)
        #expect(world.iterable.events().map(\.name) == ["view", nil, nil, "signup"])
    }
}

extension Updates<IterableChange>.AsyncIterator {
    /// The name of the next change.
    mutating func nextKind() async -> String? {
        await self.next(isolation: nil).map { change in
            switch change.kind {
            case .criteriaReceived: "criteriaReceived"
            case .criteriaFailed: "criteriaFailed"
            case .unknownUserCreated: "unknownUserCreated"
            case .activationFailed: "activationFailed"
            case .merged: "merged"
            case .mergeFailed: "mergeFailed"
            case .tokenFailed: "tokenFailed"
            case .abandoned: "abandoned"
            case .resolved: "resolved"
            case .rejected: "refused"
            case .recordsDropped: "recordsDropped"
            }
        }
    }
}
