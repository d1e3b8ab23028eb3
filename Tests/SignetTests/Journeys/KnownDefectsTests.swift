// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// Defects of the shipping SDK's change log that must not be possible here; the numbers are those of our list of fifteen.
@Suite(.watched) struct KnownDefectsTests {
    @Test func defect5AUserInHandStaysWholeWhileTheCurrentUserIsReplaced() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            try await installation.login([.customerID: "c-0"])
            let held = try #require(installation.currentUser)
            let isOver = Locked(false)
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !isOver.withLock({ $0 }) {
                        // Whoever is seen, the number and the identity belong together.
                        guard let user = installation.currentUser else {
                            Issue.record("Somebody is always there.")
                            return
                        }
                        let known = installation.user(user.mpid)
                        #expect(user.identities.count == 1)
                        #expect(user.identities[.customerID] == known?.identities[.customerID])
                        await Task.yield()
                    }
                }
                for number in 1...60 {
                    let error = await failure { () async throws(SignetError) in
                        try await installation.login([.customerID: "c-\(number % 3)"])
                    }
                    #expect(error == nil)
                    #expect(installation.currentUser?.identities[.customerID]?.value == "c-\(number % 3)")
                }
                isOver.withLock { $0 = true }
            }
            #expect(held.identities.mapValues(\.value) == [.customerID: "c-0"])
        }
    }

    @Test func defect6ABatchIsTheSameBytesForEveryTryWhateverChangesMeanwhile() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let gate = EmulatorGate()
        platform.faults.inject(.held(gate), on: .events)
        let first = try EmulatedSignet(in: folder.path, platform: platform, clock: clock)
        try await first.run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            try await installation.login([.customerID: "c-1"])
            try await installation.setAttribute(.string("gold"), for: "plan")
            try installation.log(.custom("bought"))
            async let report = signet.runtime.shutdown(within: .seconds(7))
            await gate.arrived()
            try await installation.setAttribute(.string("silver"), for: "plan")
            await clock.untilNextSleeper(isDueIn: .seconds(7))
            clock.advance(by: .seconds(7))
            #expect(await report.eventsLeft > 0)
        }
        let second = try EmulatedSignet(in: folder.path, platform: platform, clock: clock)
        try await second.run { signet in
            _ = try await signet.runtime.open("one", identify: .none)
        }
        let tries = (first.transport.exchanges + second.transport.exchanges).filter { $0.endpoint == "events" }
        #expect(tries.count >= 2)
        let repeated = try #require(tries.first).request.body
        #expect(second.transport.exchanges.contains { $0.request.body == repeated })
        let id = try JSONReader.read(repeated)["source_request_id"]?.string
        let batch = try #require(platform.batches().first { $0.requestID == id })
        #expect(batch.json["user_attributes"]?["plan"]?.string == "gold")
        #expect(!batch.contentChanged)
    }

    @Test func defect7HandlesOfOneInstallationOnManyThreadsShareOneState() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            try await signet.runtime.open("one", identify: .none).login([.customerID: "c-1"])
            await withTaskGroup(of: SignetError.Code?.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        await code { () async throws(SignetError) in
                            let handle = try await signet.runtime.open("one", identify: .none)
                            try await handle.setAttribute(.integer(Int64(number)), for: "a-\(number)")
                            try handle.log(.custom("e-\(number)"))
                            _ = handle.allUsers
                        }
                    }
                }
                for await code in group { #expect(code == nil) }
            }
            let user = try await signet.runtime.open("one", identify: .none).currentUser
            #expect(user?.attributes.count == 64)
            #expect(signet.runtime.statistics.eventsRefused.isEmpty)
        }
        // And on disk.
        try await withEmulatedSignet(in: folder.path) { signet in
            let user = try await signet.runtime.open("one", identify: .none).currentUser
            #expect(user?.attributes.count == 64)
        }
    }

    @Test func defect8WhatWaitsForTheFirstUserIsDeliveredExactlyOnceAlsoAcrossAProcessDeath() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        platform.faults.inject(.connectionRefused, on: .identify)
        let signet = try EmulatedSignet(in: folder.path, platform: platform, clock: clock)
        try await signet.run { signet in
            let first = try await signet.runtime.open("one")
            for number in 0..<10 { try first.log(.custom("early-\(number)")) }
            #expect(await NetworkCall.identified.code(on: first) == .notConnected)
            // The process dies before anybody is known.
            signet.runtime.evict("one")
            let second = try await signet.runtime.open("one", identify: .none)
            for number in 10..<20 { try second.log(.custom("early-\(number)")) }
            // Many answers, one first user.
            try await second.login([.customerID: "c-1"])
            try await second.login([.customerID: "c-2"])
            try second.log(.custom("late"))
        }
        let names = platform.users().flatMap { platform.events(of: $0.mpid) }.compactMap(\.name)
        let early = (0..<20).map { "early-\($0)" }
        #expect(names.filter { $0 != "late" }.sorted() == early.sorted())
        let one = try #require(platform.users().first { $0.identities[.customerID] == ["c-1"] })
        #expect(platform.events(of: one.mpid).compactMap(\.name).sorted() == early.sorted())
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func defect9ATimeOutFreesTheSlot() async throws {
        let known = try await KnownInstallation()
        known.platform.faults.inject(.timeout, on: .login)
        try await known.next { $0.identity.requestTimeout = .seconds(4) }.run { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            async let login = NetworkCall.login.code(on: installation)
            await known.clock.untilNextSleeper(isDueIn: .seconds(4))
            // The limit may run before the request has met its faults, which would be left for the next one.
            await until("the request meets its faults") { known.platform.faults.remaining == 0 }
            known.clock.advance(by: .seconds(4))
            #expect(await login == .timedOut)
            #expect(await NetworkCall.login.code(on: installation) == nil)
        }
    }

    @Test func defect9ARequestThatSignetMakesByItselfRefusesNobody() async throws {
        let known = try await KnownInstallation()
        let (start, token) = (EmulatorGate(), EmulatorGate())
        known.platform.faults.inject(.held(start), on: .identify)
        known.platform.faults.inject(.held(token), on: .modify)
        try await known.next().run { signet in
            let installation = try await signet.runtime.open("one")
            await start.arrived()
            async let login = NetworkCall.login.code(on: installation)
            start.open()
            #expect(await login == nil)
            try await installation.setDeviceIdentity("t-1", for: .pushToken)
            await token.arrived()
            async let search = NetworkCall.search.code(on: installation)
            token.open()
            #expect(await search == nil)
        }
    }

    @Test func defect10WhenACallReturnsOrNewsComesTheIdentitiesAreStoredAndOnDisk() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            var changes = installation.userChanges().makeAsyncIterator()
            async let login = installation.login([.customerID: "c-1", .email: "a@x"])
            let change = try #require(await changes.next(isolation: #isolation))
            #expect(change.current?.identities[.email]?.value == "a@x")
            #expect(installation.currentUser?.identities[.email]?.value == "a@x")
            let user = try await login.user
            #expect(user.identities[.email]?.value == "a@x")
            // The process dies in this instant.
            signet.runtime.evict("one")
            let restored = try await signet.runtime.open("one", identify: .none).currentUser
            #expect(restored?.mpid == user.mpid)
            #expect(restored?.identities == user.identities)
        }
    }

    @Test func defect11AnEventBelongsToWhoWasCurrentWhenItWasLogged() async throws {
        let folder = try TemporaryFolder()
        let (emulator, mpids) = try await withEmulatedSignet(in: folder.path) { signet in
            let installation = try await signet.runtime.open("one", identify: .none)
            var mpids: [MPID] = []
            for name in ["c-1", "c-2", "c-3"] {
                mpids.append(try await installation.login([.customerID: name]).user.mpid)
                try installation.log(.custom("of \(name)"))
            }
            return (signet.emulator, mpids)
        }
        for (mpid, name) in zip(mpids, ["c-1", "c-2", "c-3"]) {
            #expect(emulator.events(of: mpid).compactMap(\.name) == ["of \(name)"])
        }
    }
}
