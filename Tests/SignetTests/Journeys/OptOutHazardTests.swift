// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// What an opt-out must not leave behind, and what must not get past it.
@Suite(.watched) struct OptOutHazardTests {
    /// A batch has told of the removal; the choice must not make it updates again.
    @Test func aRemovalThatWasToldIsNotToldAgainAfterwards() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setAttribute("gold", for: "tier")
            try await visitor.removeAttribute("tier")
            try await signet.runtime.upload(within: .seconds(10))
            try await visitor.setOptedOut(true)
            try await visitor.setOptedOut(false)
            try visitor.log(.custom("again"))
            try await signet.runtime.upload(within: .seconds(10))
            return try #require(visitor.currentUser).mpid
        }
        let told = signet.emulator.batches().filter { $0.mpid == mpid }
            .compactMap { $0.json["deleted_user_attributes"]?.array?.compactMap(\.string) }
        #expect(told == [["tier"]])
    }

    @Test func breadcrumbsOfBeforeAreNotInACrashReportedAfterwards() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try visitor.log(Event(content: .breadcrumb(label: "of before")))
            try await visitor.setOptedOut(true)
            try await visitor.setOptedOut(false)
            try visitor.log(Event(content: .breadcrumb(label: "of afterwards")))
            try visitor.log(Event(content: .crash(CrashReport(message: "boom"))))
            try await signet.runtime.upload(within: .seconds(10))
            return try #require(visitor.currentUser).mpid
        }
        let crash = try #require(signet.emulator.events(of: mpid).first { $0.type == "crash_report" })
        let labels = crash.data["breadcrumbs"]?.array?.compactMap { $0["data"]?["label"]?.string }
        #expect(labels == ["of afterwards"])
    }

    @Test func aPushTokenThatChangedMeanwhileIsToldAfterOptingIn() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setOptedOut(true)
            try await visitor.setDeviceIdentity("token", for: .pushToken)
            #expect(signet.transport.identityEndpoints == [])
            try await visitor.setOptedOut(false)
            await until("an identity request") { !signet.transport.identityEndpoints.isEmpty }
            #expect(signet.transport.identityEndpoints == ["modify"])
        }
    }

    /// What the configuration keeps in memory, because the disk is full, is not safe: the call says so.
    @Test func itDoesNotReturnBeforeItsEventIsOnDisk() async throws {
        let known = try await KnownInstallation()
        let isFull = Locked(false)
        let first = try known.next {
            $0.events.storage.onDiskFailure = .keepInMemory(bytes: 1 << 20)
            $0.journal.storage = .written
            $0.disk = Disk(asking: { request in
                let isEvent = request.call == .write && request.folder.hasSuffix("/journal")
                return isEvent && isFull.withLock { $0 } ? .failure(28) : nil
            })
        }
        let visitor = try await first.runtime.open("one", identify: .none)
        let mpid = try #require(visitor.currentUser).mpid
        isFull.withLock { $0 = true }
        let error = await code { () async throws(SignetError) in try await visitor.setOptedOut(true) }
        #expect(error == .diskFull)
        #expect(visitor.isOptedOut)
        // It ends with the event in memory only: the next start has it.
        await first.runtime.shutdown()
        let second = try known.next()
        try await second.run { signet in _ = try await signet.runtime.upload(within: .seconds(10)) }
        #expect(second.emulator.events(of: mpid).compactMap { $0.data["is_opted_out"]?.bool } == [true])
    }

    /// As long as nobody can tell up to which event they are to be dropped, none is sent.
    @Test func nothingOfBeforeIsSentWhileTheChoiceCannotBeRead() async throws {
        let known = try await KnownInstallation()
        let first = try known.next()
        let visitor = try await first.runtime.open("one", identify: .none)
        let mpid = try #require(visitor.currentUser).mpid
        try visitor.log(.custom("secret"))
        try await visitor.setOptedOut(true)
        await first.runtime.shutdown()
        let isBad = Locked(false)
        let observer = RecordingObserver()
        let second = try known.next(observer: observer) {
            $0.disk = Disk(asking: { request in
                let isState = request.call == .read && request.folder.hasSuffix("/state")
                return isState && isBad.withLock { $0 } ? .failure(5) : nil
            })
        }
        isBad.withLock { $0 = true }
        await second.takeIn()
        let error = await code { () async throws(SignetError) in _ = try await second.runtime.managers.events.aim() }
        #expect(error != nil)
        isBad.withLock { $0 = false }
        try await second.run { signet in _ = try await signet.runtime.upload(within: .seconds(10)) }
        #expect(second.emulator.events(of: mpid).compactMap(\.name) == [])
        #expect(second.runtime.statistics.eventsDropped[.optedOut, default: 0] > 0)
        #expect(second.runtime.statistics.eventsLost == 0)
    }
}
