// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

/// A project with one criterion, an app that can be started again and again, and a clock that both share.
struct IterableWorld {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let emulator: Emulator

    init(criteria: String = IterableWorld.onSignup, requiresTokens: Bool = false) throws {
        self.folder = try TemporaryFolder()
        var configuration = EmulatorConfiguration()
        configuration.iterableProjects = [EmulatedIterableProject(requiresTokens: requiresTokens, criteria: criteria)]
        let clock = self.clock
        self.emulator = Emulator(configuration, clock: clock, wallClock: { clock.date })
    }

    var iterable: EmulatedIterable { self.emulator.iterable }

    /// The routes of the requests that arrived, the criteria apart.
    var routes: [EmulatorRoute] {
        self.iterable.requests().map(\.route).filter { $0 != .criteria }
    }

    /// One life of the process.
    func live(
        in path: String? = nil,
        observer: (any SignetObserver)? = nil,
        configure: (inout ServiceSettings) -> Void = { _ in },
        _ body: (EmulatedSignet, Installation) async throws -> Void
    ) async throws {
        try await self.start(in: path, observer: observer, configure: configure).run { signet in
            try await body(signet, try await signet.runtime.open("v", identify: .none))
        }
    }

    /// A runtime that nobody runs yet.
    func start(
        in path: String? = nil,
        observer: (any SignetObserver)? = nil,
        configure: (inout ServiceSettings) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try EmulatedSignet(
            in: path ?? self.folder.path,
            platform: self.emulator,
            clock: self.clock,
            observer: observer,
            settings: { configuration in
                var visitors = IterableConfiguration(apiKey: "emulated-project")
                visitors.isEnabled = true
                visitors.applicationName = "com.example.shop"
                configuration.iterable = visitors
                configure(&configuration)
            }
        )
    }

    /// Waits until everything is told, letting pauses pass.
    ///
    /// - Parameters:
    ///   - installation: Whose visitor.
    ///   - isDead: Whether to give up.
    /// - Throws: As the visitor.
    func settle(_ installation: Installation, orUntil isDead: () -> Bool = { false }) async throws {
        for _ in 0..<100 {
            try await installation.iterable.waitUntilIdle()
            if isDead() { return }
            let manager = try installation.iterable.manager()
            let pauses = [await manager.machine.pausedUntil, await manager.adapter.services.criteria.pausedUntil]
            let uptime = manager.adapter.context.time.uptime
            let hasWork = await manager.machine.hasWork
            guard let next = pauses.compactMap(\.self).filter({ $0 > uptime }).min() else {
                if hasWork { continue }
                return
            }
            let due = self.clock.now.advanced(by: next - uptime)
            // The criteria sleep for a time, not until one: if the clock moved before they do, they would oversleep.
            if next == pauses[1] {
                await until("the criteria sleep") { self.clock.nextDeadline.map { $0 <= due } ?? false }
            }
            self.clock.advance(to: due)
        }
        Issue.record("never settled")
    }

    static func criterion(_ id: String, eventName: String) -> String {
        """
        {"criteriaId":"\(id)","name":"n","createdAt":1,"updatedAt":1,"searchQuery":{"combinator":"And","searchQueries":[\
        {"combinator":"And","searchQueries":[{"dataType":"customEvent","searchCombo":{"combinator":"And","searchQueries":[\
        {"dataType":"customEvent","field":"eventName","comparatorType":"Equals","value":"\(eventName)",\
        "fieldType":"string"}]}}]}]}}
        """
    }

    static func document(_ criteria: String...) -> String {
        #"{"count":\#(criteria.count),"criteriaSets":[\#(criteria.joined(separator: ","))]}"#
    }

    /// Holds once there is an event `signup`.
    static let onSignup = Self.document(Self.criterion("7", eventName: "signup"))

    static let boots = IterableProduct(id: "b", name: "Boots", price: 4.67, quantity: 2, categories: ["shoes"])
}

extension IterableVisitor {
    /// What a visitor does in these tests, up to but without what makes a criterion hold.
    func browse() async throws {
        try await self.setTrackingConsent(true)
        try await self.track("view", fields: ["page": "home", "first": true, "count": 1, "ratio": 1.0, "none": nil])
        try await self.updateCart([IterableWorld.boots])
        try await self.purchase([IterableWorld.boots], total: 9.34, fields: ["gift": false])
        try await self.update(["plan": "gold", "address": ["city": "Oslo"]], mergeNestedObjects: true)
    }
}
