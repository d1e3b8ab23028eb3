// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

@Suite struct IterableStoreTests {
    /// What a visitor did comes back as it was, however much was done and told before.
    @Test func whatWaitsIsFoundWhereverItsNumbersAre() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            try await installation.iterable.identify(.userID("ann"))
            for index in 0..<200 { try await installation.iterable.track("told \(index)") }
            try await world.settle(installation)
            world.emulator.faults.injectAlways(.connectionRefused, on: .trackEvent)
            for index in 0..<150 { try await installation.iterable.track("waits \(index)") }
            try await installation.iterable.waitUntilIdle()
        }
        world.emulator.faults.clear()
        try await world.live { _, installation in
            try await world.settle(installation)
        }
        let names = world.iterable.events().compactMap(\.name)
        #expect(names == (0..<200).map { "told \($0)" } + (0..<150).map { "waits \($0)" })
        #expect(world.iterable.events().allSatisfy { $0.deliveries == 1 })
    }

    @Test func whatCannotBeReadIsSetAsideAndTold() async throws {
        let world = try IterableWorld()
        var number: UInt32 = 0
        try await world.live { signet, installation in
            try await installation.iterable.browse()
            number = installation.core.identityState.number
            try signet.runtime.context.store.put([1, 2, 3], for: StateKey.iterableRecord(number, 0))
        }
        let observer = RecordingObserver()
        try await world.live(observer: observer) { signet, installation in
            #expect(installation.iterable.state == .visitor)
            #expect(try await installation.iterable.manager().machine.records.count == 3)
            #expect(observer.damages.count == 1)
            try await world.settle(installation)
            try signet.runtime.context.store.put(Array("{}".utf8), for: StateKey.iterableMemory(number))
        }
        // Without the memory nobody knows whose the records were: they are nobody's.
        try await world.live { _, installation in
            #expect(installation.iterable.state == .noConsent)
            try await installation.iterable.setTrackingConsent(true)
            try await installation.iterable.track("signup")
            try await world.settle(installation)
            #expect(world.iterable.events().map(\.name) == ["signup"])
        }
    }

    @Test func aNewerFormatIsLeftAlone() async throws {
        let world = try IterableWorld()
        let newer: [UInt8] = [2, 0]
        try await world.live { signet, installation in
            let key = StateKey.iterableMemory(installation.core.identityState.number)
            try signet.runtime.context.store.put(newer, for: key)
            let error = await #expect(throws: SignetError.self) {
                try await installation.iterable.setTrackingConsent(true)
            }
            #expect(error?.code == .newerFormat)
            #expect(try signet.runtime.context.store.value(for: key) == newer)
        }
    }

    @Test func aDiskThatRefusesLeavesEverythingAsItWas() async throws {
        let world = try IterableWorld()
        try await world.live { signet, installation in
            try await installation.iterable.browse()
            signet.runtime.context.disk.close()
            await #expect(throws: SignetError.self) { try await installation.iterable.track("lost") }
            #expect(try await installation.iterable.manager().machine.records.count == 4)
        }
    }

    @Test func limitsAreToldAtTheCall() async throws {
        let world = try IterableWorld()
        try await world.live { _, installation in
            let visitor = installation.iterable
            func code(_ body: () async throws -> Void) async -> SignetError.Code? {
                await #expect(throws: SignetError.self) { try await body() }?.code
            }
            #expect(await code { try await visitor.track("") } == .invalidArgument)
            #expect(await code { try await visitor.track(" \u{A0}") } == .invalidArgument)
            #expect(await code { try await visitor.track("e", fields: ["a": .double(.nan)]) } == .invalidArgument)
            #expect(await code { try await visitor.purchase([], total: .infinity) } == .invalidArgument)
            #expect(await code { try await visitor.update([:]) } == .invalidArgument)
            #expect(await code { try await visitor.identify(.email("")) } == .invalidArgument)
            #expect(await code { try await visitor.identify(.userID("a\nb")) } == .invalidArgument)
            #expect(await code { try await visitor.setPushToken("") } == .invalidArgument)
            let long = IterableValue.string(String(repeating: "x", count: 70_000))
            #expect(await code { try await visitor.track("e", fields: ["a": long]) } == .invalidArgument)
            var deep = IterableValue.integer(1)
            for _ in 0..<20 { deep = .list([deep]) }
            #expect(await code { try await visitor.track("e", fields: ["a": deep]) } == .invalidArgument)
        }
        let configuration = SignetConfiguration(apiKey: "k", secret: "s", directory: world.folder.path + "/other")
        var iterable = IterableConfiguration(apiKey: "p")
        iterable.eventThreshold = 0
        let services = [IterableService(iterable)]
        let error = #expect(throws: SignetError.self) {
            _ = try SignetRuntime(
                configuration,
                services: services,
                transport: RecordingTransport(world.emulator)
            )
        }
        #expect(error?.code == .invalidConfiguration)
    }
}
