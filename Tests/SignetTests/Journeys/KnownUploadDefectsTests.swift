// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// Defects of the shipping SDK's uploads that must not be possible here: those of its change log by their numbers in our
/// list of fifteen, then those still in its code.
@Suite(.watched) struct KnownUploadDefectsTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let platform: Emulator
    private let observer = RecordingObserver()

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
    }

    private func signet(
        in path: String? = nil,
        _ configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try EmulatedSignet(
            in: path ?? self.folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: self.observer,
            configure: configure
        )
    }

    /// Names of the custom events that were taken, in the order in which they came.
    private func names(_ signet: EmulatedSignet) throws -> [String] {
        let taken = signet.transport.exchanges.filter { exchange in
            guard exchange.endpoint == "events", case .success(let response)? = exchange.result else { return false }
            return response.status == 202
        }
        return try taken.flatMap { exchange in
            (try JSONReader.read(exchange.request.body)["events"]?.array ?? [])
                .compactMap { $0["data"]?["event_name"]?.string }
        }
    }

    @Test func defect1ABatchThatWasTakenIsNeverMadeAnewWhateverTheDeathOfTheProcessCutOff() async throws {
        let gate = EmulatorGate()
        self.platform.faults.inject(.replyHeld(gate), on: .events)
        let copy = self.folder.path + "-at-death"
        defer { _ = Result { try FileManager.default.removeItem(atPath: copy) } }
        try await self.signet().run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            await gate.arrived()
            // The platform has the events; the process dies before it learns so.
            try FileManager.default.copyItem(atPath: self.folder.path, toPath: copy)
            gate.open()
        }
        try await self.signet(in: copy).run { _ = try await $0.runtime.upload() }
        let batch = try #require(self.platform.batches().first)
        #expect(batch.deliveries == 2)
        #expect(!batch.contentChanged)
        #expect(self.platform.copies(of: batch.mpid).allSatisfy { $0 == 1 })
    }

    @Test(arguments: [
        FaultInjector.Fault.connectionRefused, .failure(TransportError(.secureConnectionFailed, "x")), .replyLost,
    ])
    func defect2NothingIsDeletedBecauseTheDeviceIsOffline(fault: FaultInjector.Fault) async throws {
        self.platform.faults.inject(fault, on: .events, times: 3)
        let signet = try self.signet()
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("x"))
            for seconds in [5, 15, 60] {
                let code = await code { () async throws(SignetError) in try await signet.runtime.upload() }
                #expect(code == .uploadPaused)
                #expect(signet.runtime.statistics.eventsWaiting == 2)
                self.clock.advance(by: .seconds(seconds))
            }
            try await signet.runtime.upload()
        }
        #expect(try self.names(signet) == ["x"])
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func defect12EventsOfOneWorkspaceAreNeverSentWithTheKeyOfAnother() async throws {
        self.platform.faults.injectAlways(.connectionRefused, on: .events)
        try await self.signet().run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            #expect(await self.observer.nextPause() == .seconds(5))
        }
        let error = #expect(throws: SignetError.self) { try self.signet { $0.apiKey = "us2-another" } }
        #expect(error?.code == .workspaceMismatch)
        // Nor is there a key or a secret on disk that could be mixed up.
        for text in [self.platform.configuration.apiKey, "\(self.platform.configuration.apiKey):"] {
            #expect(try self.folder.files(with: text).isEmpty)
        }
        let secret = self.platform.configuration.secret.withExposed { $0 }
        #expect(try self.folder.files(with: secret).isEmpty)
        self.platform.faults.clear()
        self.clock.advance(by: .seconds(5))
        let again = try self.signet()
        try await again.run { _ = try await $0.runtime.upload() }
        #expect(again.runtime.statistics.eventsDelivered == 2)
    }

    @Test(arguments: [401, 403, 404, 407, 408, 410, 425, 429])
    func defectOf4xxWhatIsNoRefusalOfTheEventsDeletesNone(status: Int) async throws {
        self.platform.faults.inject(.status(status, retryAfter: status == 429 ? .seconds(9) : nil), on: .events)
        let signet = try self.signet()
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("x"))
            let code = await code { () async throws(SignetError) in try await signet.runtime.upload() }
            #expect(code == .uploadPaused)
            self.clock.advance(by: .seconds(9))
            try await signet.runtime.upload()
        }
        #expect(try self.names(signet) == ["x"])
        #expect(signet.runtime.statistics.eventsDeadLettered == 0)
    }

    @Test func defectOf4xxOneBadBatchCostsNoOtherItsEvents() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            var visitors: [Installation] = []
            for id in ["a", "b", "c"] {
                let visitor = try await signet.openKnown(InstallationID(id))
                try visitor.log(.custom("before"))
                visitors.append(visitor)
            }
            try await signet.runtime.upload()
            // One event each: a batch of several would go in halves.
            self.platform.faults.inject(.status(400), on: .events)
            for (visitor, name) in zip(visitors, ["a", "b", "c"]) { try visitor.log(.custom(name)) }
            try await signet.runtime.upload()
            let aside = try await signet.runtime.deadLetters.list()
            #expect(aside.count == 1)
            // And the bad one is not lost either.
            try await signet.runtime.deadLetters.resend(try #require(aside.first).id)
            try await signet.runtime.upload()
        }
        #expect(try self.names(signet).filter { $0 != "before" }.sorted() == ["a", "b", "c"])
    }

    @Test func defectOfTimestampsEventsOfAnInstallationArriveInTheirOrderThroughFailuresUsersAndSessions() async throws
    {
        let faults: [FaultInjector.Fault] = [
            .status(500), .replyLost, .connectionRefused, .status(503, retryAfter: .seconds(1)),
        ]
        let signet = try self.signet()
        var logged: [String] = []
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            for round in 0..<12 {
                if round.isMultiple(of: 3) { try await visitor.login([.customerID: "c-\(round % 2)"]) }
                // The end of a session among them.
                if round.isMultiple(of: 4) { self.clock.advance(by: .seconds(61)) }
                for index in 0..<60 {
                    logged.append("e-\(round)-\(index)")
                    try visitor.log(.custom("e-\(round)-\(index)"))
                }
                self.platform.faults.inject(faults[round % faults.count], on: .events)
                _ = await code { () async throws(SignetError) in try await signet.runtime.upload() }
                self.clock.advance(by: .seconds(400))
            }
            try await signet.runtime.upload()
        }
        // A repetition of what was taken before its answer got lost adds nothing.
        var first: [String] = []
        var seen: Set<String> = []
        for batch in self.platform.batches() {
            for event in batch.json["events"]?.array ?? [] {
                guard let name = event["data"]?["event_name"]?.string, seen.insert(name).inserted else { continue }
                first.append(name)
            }
        }
        #expect(first == logged)
        #expect(signet.runtime.statistics.eventsLost == 0)
    }

    @Test func defectOfSkipNextUploadWhatIsNotToBeSentIsThatEventAndNoOther() async throws {
        let signet = try self.signet()
        try await signet.run { signet in
            let visitors = try await [signet.openKnown("a"), signet.openKnown("b")]
            var quiet = Event.custom("quiet")
            quiet.isUploaded = false
            try visitors[0].log(quiet)
            try visitors[1].log(.custom("other"))
            try visitors[0].log(.custom("next"))
            try await signet.runtime.upload()
        }
        #expect(Set(try self.names(signet)) == ["other", "next"])
    }

    @Test func defectOfTheLoopAnUploadThatHangsHoldsUpNoOther() async throws {
        let gate = EmulatorGate()
        self.platform.faults.inject(.held(gate), on: .events)
        let signet = try self.signet()
        try await signet.run { signet in
            let slow = try await signet.openKnown("slow")
            try await signet.logPrompt(slow)
            await gate.arrived()
            let quick = try await signet.openKnown("quick")
            try await signet.logPrompt(quick)
            // A second later it is there; the other still hangs.
            #expect(await self.observer.nextDelivery() == 2)
            let mpid = try #require(slow.currentUser).mpid
            #expect(self.platform.events(of: mpid).isEmpty)
            gate.open()
        }
    }
}
