// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite(.watched) struct InstallationRegistryTests {
    @Test func allHandlesOfAnIDShareOneState() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let runtime = signet.runtime
        let handles = try await withThrowingTaskGroup(of: Installation.self) { group in
            for _ in 0..<50 { group.addTask { try await runtime.open("v", identify: .none) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(handles.allSatisfy { $0.core === handles[0].core })
        // One session, one begin.
        #expect(runtime.statistics.eventsAccepted == 1)
        await runtime.shutdown()
    }

    @Test func stateLeavesMemoryWhenNobodyUsesItAndComesBack() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let runtime = signet.runtime
            var changes = runtime.sessionChanges().makeAsyncIterator()
            var stamp: UUID?
            weak var core: InstallationCore?
            do {
                let visitor = try await signet.openKnown()
                stamp = visitor.deviceApplicationStamp
                core = visitor.core
            }
            // Its session can still time out: it stays.
            #expect(runtime.registry.find("v") != nil)
            #expect(await changes.nextFact()?.kind == .began)
            await signet.clock.untilNextDeadline(is: .seconds(60))
            signet.clock.advance(by: .seconds(60))
            guard case .ended = await changes.nextFact()?.kind else { return #expect(Bool(false)) }
            // The manager lets go of it before it sleeps again.
            await until("the installation leaves memory") { core == nil }
            #expect(runtime.registry.find("v") == nil)
            let again = try await runtime.open("v", identify: .none)
            #expect(again.deviceApplicationStamp == stamp)
            #expect(again.currentUser != nil)
        }
    }

    @Test func anInstallationIsLaunchedOncePerProcessAndAgainAfterClose() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { signet in
            for _ in 0..<3 { _ = try await signet.runtime.open("v").initialIdentifyResult() }
            #expect(signet.emulator.requestCounts()["identify"] == 1)
            try await signet.runtime.open("v").endLaunch()
            _ = try await signet.runtime.open("v").initialIdentifyResult()
            #expect(signet.emulator.requestCounts()["identify"] == 2)
            _ = try await signet.runtime.open("v", identify: .ifUnknown).initialIdentifyResult()
            _ = try await signet.runtime.open("w", identify: .ifUnknown).initialIdentifyResult()
            #expect(signet.emulator.requestCounts()["identify"] == 3)
        }
    }

    /// There may be millions of them.
    @Test func aLaunchIsRememberedOnlyOfOneThatIsOnDiskOrIdentifiesOnce() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path) { $0.sessions.beginsAtOpen = false }
        let (runtime, registry) = (signet.runtime, signet.runtime.registry)
        for number in 0..<50 { _ = try await runtime.open(InstallationID("v\(number)"), identify: .none) }
        #expect(registry.launchCount == 0)
        let visitor = try await runtime.open("v", identify: .none)
        try visitor.log(.custom("x"))
        #expect(registry.launchCount == 1)
        let once = try await runtime.open("w", identify: .oncePerProcess)
        #expect(registry.launchCount == 2)
        once.endLaunch()
        #expect(registry.launchCount == 1)
        await runtime.shutdown()
    }

    @Test func theDeviceApplicationStampIsChosenAtTheFirstOpenOnly() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let stamp = UUID()
        let visitor = try await signet.runtime.open("v", identify: .none, deviceApplicationStamp: stamp)
        #expect(visitor.deviceApplicationStamp == stamp)
        _ = try await signet.runtime.open("v", identify: .none, deviceApplicationStamp: stamp)
        for isInMemory in [true, false] {
            if !isInMemory { signet.runtime.evict("v") }
            let error = await #expect(throws: SignetError.self) {
                _ = try await signet.runtime.open("v", identify: .none, deviceApplicationStamp: UUID())
            }
            #expect(error?.code == .invalidArgument)
        }
        await signet.runtime.shutdown()
    }
}
