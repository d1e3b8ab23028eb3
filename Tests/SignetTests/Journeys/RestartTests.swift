// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct RestartTests {
    private let clock = ManualClock()

    private func platform(_ configuration: EmulatorConfiguration = EmulatorConfiguration()) -> Emulator {
        let clock = self.clock
        return Emulator(configuration, clock: clock, wallClock: { clock.date })
    }

    @Test func aRestartBringsEverythingBack() async throws {
        let folder = try TemporaryFolder()
        let platform = self.platform()
        let first = try EmulatedSignet(in: folder.path, platform: platform, clock: self.clock)
        let before = try await first.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try await visitor.setDeviceIdentity("token-1", for: .pushToken)
            _ = try await visitor.identify()
            self.clock.advance(by: .seconds(3))
            _ = try await visitor.login([.customerID: "c-1", .email: "a@example.com"])
            try await visitor.setAttribute(7, for: "visits")
            try await visitor.setAttribute(0.5, for: "share")
            // The platform has accepted the attributes: nothing changes at the end.
            try await signet.runtime.upload()
            return (state: visitor.core.identityState, users: visitor.allUsers)
        }
        self.clock.advance(by: .seconds(3600))
        let second = try EmulatedSignet(in: folder.path, platform: platform, clock: self.clock)
        try await second.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            #expect(visitor.core.identityState == before.state)
            #expect(visitor.allUsers.map(\.mpid) == before.users.map(\.mpid))
            #expect(visitor.currentUser?.isLoggedIn == true)
            #expect(visitor.currentUser?.attributes == ["visits": 7, "share": 0.5])
            #expect(visitor.currentUser?.identities[.email]?.value == "a@example.com")
            try await visitor.setOptedOut(true)
        }
        let third = try EmulatedSignet(in: folder.path, platform: platform, clock: self.clock)
        try await third.run { signet in
            let visitor = try await signet.runtime.open("v")
            #expect(visitor.isOptedOut)
            #expect(visitor.currentSession == nil)
            #expect(throws: SignetError.self) { try visitor.log(.custom("x")) }
        }
        #expect(third.transport.exchanges.filter { $0.endpoint != "events" }.isEmpty)
    }

    @Test func reopeningManyReadsEachAndMixesNone() async throws {
        let folder = try TemporaryFolder()
        let count = 2000
        var stamps: [String] = []
        let first = try EmulatedSignet(in: folder.path, clock: self.clock)
        for index in 0..<count {
            let visitor = try await first.runtime.open(InstallationID("v-\(index)"), identify: .none)
            stamps.append(visitor.deviceApplicationStamp.uuidString)
        }
        await first.runtime.shutdown()
        let second = try EmulatedSignet(in: folder.path, clock: self.clock)
        // Opening the runtime puts nobody into memory; opening one installation, that one.
        #expect((0..<count).allSatisfy { second.runtime.registry.find(InstallationID("v-\($0)")) == nil })
        for index in stride(from: 0, to: count, by: 97) {
            let visitor = try await second.runtime.open(InstallationID("v-\(index)"), identify: .none)
            #expect(visitor.deviceApplicationStamp.uuidString == stamps[index])
            #expect(second.runtime.registry.find(visitor.id) === visitor.core)
        }
        await second.runtime.shutdown()
    }

    @Test func aDamagedRecordIsSetAsideToldAndNeverFatal() async throws {
        let folder = try TemporaryFolder()
        let observer = RecordingObserver()
        let signet = try EmulatedSignet(in: folder.path, clock: self.clock, observer: observer)
        let store = signet.runtime.context.store
        let stamp = try await signet.runtime.open("v", identify: .none).deviceApplicationStamp
        _ = try await signet.runtime.open("w", identify: .none)
        signet.runtime.evict("v")
        try store.put(Array("not what it was".utf8), for: StateKey.identity("v"))
        let visitor = try await signet.runtime.open("v", identify: .none)
        #expect(visitor.deviceApplicationStamp != stamp)
        #expect(observer.damages.count == 1)
        let aside = try store.values(withPrefix: [UInt8(ascii: "x")]) { _ in }
        #expect(aside.map(\.value) == [Array("not what it was".utf8)])
        signet.runtime.evict("v")
        try store.put([0], for: StateKey.session("v"))
        _ = try await signet.runtime.open("v", identify: .none)
        #expect(signet.runtime.statistics.damagedRecords == 2)
        await signet.runtime.shutdown()
    }

    @Test func aBitThatFlipsOnDiskIsFoundWhileRunningAndAtTheNextStart() async throws {
        let folder = try TemporaryFolder()
        let observer = RecordingObserver()
        let first = try EmulatedSignet(in: folder.path, clock: self.clock, observer: observer)
        let stamps = [
            try await first.runtime.open("v", identify: .none).deviceApplicationStamp,
            try await first.runtime.open("w", identify: .none).deviceApplicationStamp,
        ]
        first.runtime.evict("v")
        try folder.flip(stamps[0].bytes, in: "state")
        #expect(try await first.runtime.open("v", identify: .none).deviceApplicationStamp != stamps[0])
        #expect(observer.damages.count == 1)
        await first.runtime.shutdown()
        try folder.flip(stamps[1].bytes, in: "state")
        let second = try EmulatedSignet(in: folder.path, clock: self.clock, observer: observer)
        #expect(second.runtime.statistics.damagedRecords >= 1)
        #expect(observer.damages.count == 2)
        #expect(try await second.runtime.open("w", identify: .none).deviceApplicationStamp != stamps[1])
        await second.runtime.shutdown()
    }
}
