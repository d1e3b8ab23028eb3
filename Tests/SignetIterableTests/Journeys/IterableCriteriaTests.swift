// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

/// When the criteria of a project are fetched, and by whom.
@Suite struct IterableCriteriaTests {
    @Test func criteriaAreFetchedAtConsentAtEveryLaunchAndInTheForegroundAfterACoolDown() async throws {
        let world = try IterableWorld()
        func count() -> Int { world.iterable.requests(on: .criteria).count }
        try await world.live { _, installation in
            try await installation.iterable.waitUntilIdle()
            // Nobody has agreed.
            #expect(count() == 0)
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.waitUntilIdle()
            #expect(count() == 1)
        }
        try await world.live { _, installation in
            var changes = try installation.iterableChanges().makeAsyncIterator()
            try await installation.iterable.waitUntilIdle()
            #expect(count() == 2)
            #expect(await changes.nextKind() == "criteriaReceived")
            let manager = try installation.iterable.manager()
            world.clock.advance(by: .seconds(119))
            await manager.enterForeground()
            try await installation.iterable.waitUntilIdle()
            #expect(count() == 2)
            world.clock.advance(by: .seconds(1))
            try installation.enterForeground()
            #expect(await changes.nextKind() == "criteriaReceived")
            #expect(count() == 3)
            // Who is known has no use for them.
            try await installation.iterable.identify(.userID("ann"))
            world.clock.advance(by: .seconds(121))
            await manager.enterForeground()
            try await installation.iterable.waitUntilIdle()
            #expect(count() == 3)
        }
    }

    @Test func theForegroundFetchCanBeSwitchedOff() async throws {
        let world = try IterableWorld()
        try await world.live(configure: { $0.iterable?.fetchesInForeground = false }) { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.waitUntilIdle()
            world.clock.advance(by: .seconds(500))
            try await installation.iterable.manager().enterForeground()
            try await installation.iterable.waitUntilIdle()
            #expect(world.iterable.requests(on: .criteria).count == 1)
        }
    }

    @Test func visitorsOfOneProjectShareCriteriaThatAreNew() async throws {
        let world = try IterableWorld()
        try await world.live { signet, _ in
            var installations: [Installation] = []
            for index in 0..<20 {
                let installation = try await signet.runtime.open(InstallationID("i\(index)"), identify: .none)
                installations.append(installation)
                try await installation.iterable.setTrackingConsent(true)
            }
            for installation in installations { try await installation.iterable.waitUntilIdle() }
            #expect(world.iterable.requests(on: .criteria).count == 1)
            for installation in installations { try await installation.iterable.track("signup") }
            for installation in installations { try await installation.iterable.waitUntilIdle() }
            #expect(world.iterable.unknownUsers().count == 20)
            #expect(signet.transport.maximumInFlight <= 16)
        }
    }

    @Test func theLastGoodCriteriaServeALifeWithoutNetwork() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.waitUntilIdle()
        }
        world.emulator.faults.injectAlways(.connectionRefused, on: .criteria)
        try await world.live { _, installation in
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            #expect(world.iterable.unknownUsers().count == 1)
        }
    }

    @Test func theDialectIsAsConfigured() async throws {
        // Under strict, `Not` over a leaf negates; the vendor's checker asks whether the last record matches.
        let leaf = #"""
            {"dataType":"customEvent","searchCombo":{"combinator":"And","searchQueries":[{"dataType":"customEvent",\#
            "field":"eventName","comparatorType":"Equals","value":"a","fieldType":"string"}]}}
            """#
        let query = #"{"combinator":"Not","searchQueries":[\#(leaf)]}"#
        let document =
            #"{"count":1,"criteriaSets":[{"criteriaId":"7","name":"n","createdAt":1,"updatedAt":1,"searchQuery":\#(query)}]}"#
        for (dialect, users) in [(CriteriaDialect.strict, 0), (.iOS, 1)] {
            let world = try IterableWorld(criteria: document)
            try await world.live(configure: { $0.iterable?.dialect = dialect }) { _, installation in
                try await installation.iterable.setTrackingConsent(true)
                try await installation.iterable.waitUntilIdle()
                try await installation.iterable.track("a")
                try await installation.iterable.track("b")
                try await world.settle(installation)
                #expect(world.iterable.unknownUsers().count == users, "\(dialect)")
            }
        }
    }

    /// A project in which one criterion cannot be read activated nobody.
    @Test(arguments: [("MatchesRegex", "^(?=a)b"), ("MatchesRegex", "("), ("SoundsLike", "x")])
    func aCriterionThatCannotBeReadIsToldOnceAndTheOthersCount(_ comparator: String, _ value: String) async throws {
        let bad = IterableWorld.criterion("8", eventName: value).replacing("Equals", with: comparator)
        let world = try IterableWorld(
            criteria: IterableWorld.document(bad, IterableWorld.criterion("7", eventName: "signup"))
        )
        let observer = RecordingObserver()
        try await world.live(observer: observer) { signet, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            #expect(world.iterable.unknownUsers().count == 1)
            let damages = observer.damages
            #expect(damages.count == 1 && damages[0].contains("$.criteriaSets[0].searchQuery"), "\(damages)")
            // It is no damage of the disk.
            #expect(signet.runtime.statistics.damagedRecords == 0)
            // The same document again says nothing new; one with another fault does.
            world.clock.advance(by: .seconds(121))
            let other = try await signet.runtime.open("w", identify: .none)
            try await other.iterable.setTrackingConsent(true)
            try await world.settle(other)
            #expect(world.iterable.requests(on: .criteria).count == 2 && observer.damages.count == 1)
        }
        // From the disk, in the next life.
        world.emulator.faults.injectAlways(.connectionRefused, on: .criteria)
        let next = RecordingObserver()
        try await world.live(observer: next) { signet, _ in
            let other = try await signet.runtime.open("x", identify: .none)
            try await other.iterable.setTrackingConsent(true)
            try await other.iterable.track("signup")
            try await world.settle(other)
            #expect(world.iterable.unknownUsers().count == 2 && next.damages.count == 1)
        }
    }

    /// A condition that takes more work than there is keeps its own criterion from holding, and no other.
    @Test func aCriterionThatTakesTooMuchWorkIsToldAndTheOthersCount() async throws {
        let values = Array(repeating: "\"-1\"", count: 10_000).joined(separator: ",")
        let dear = IterableWorld.criterion("8", eventName: "signup")
            .replacing(#""field":"eventName""#, with: #""field":"list""#)
            .replacing(#""value":"signup""#, with: #""values":[\#(values)]"#)
        let good = IterableWorld.criterion("7", eventName: "signup")
        let world = try IterableWorld(criteria: IterableWorld.document(dear, good))
        let observer = RecordingObserver()
        try await world.live(observer: observer) { _, installation in
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.waitUntilIdle()
            let list = IterableValue.list((0..<600).map { .integer($0) })
            try await installation.iterable.track("signup", fields: ["list": list])
            try await world.settle(installation)
            #expect(world.iterable.unknownUsers().count == 1)
            let damages = observer.damages
            #expect(damages.count == 1 && damages[0].contains("$.criteriaSets[0].searchQuery"), "\(damages)")
        }
    }
}
