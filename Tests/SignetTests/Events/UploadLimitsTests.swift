// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// The limits of uploads that are settings, end to end.
@Suite(.watched) struct UploadLimitsTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func batchesAreNoLongerThanTheSettingAndALongEventGoesAlone() async throws {
        let signet = try EmulatedSignet(in: self.folder.path) { $0.events.maximumBatchBytes = 16 * 1024 }
        let long = String(repeating: "l", count: 4000)
        let mpid = try await signet.run { signet in
            let visitor = try await signet.openKnown()
            let short = String(repeating: "s", count: 900)
            for index in 0..<60 { try visitor.log(.custom("e\(index)", attributes: ["s": .string(short)])) }
            try visitor.log(
                .custom(
                    "long",
                    attributes: [
                        "1": .string(long), "2": .string(long), "3": .string(long),
                        "4": .string(long), "5": .string(long),
                    ]
                )
            )
            try visitor.log(.custom("last"))
            try await signet.runtime.upload()
            return try #require(visitor.currentUser).mpid
        }
        let names = signet.emulator.events(of: mpid).compactMap(\.name)
        #expect(names == (0..<60).map { "e\($0)" } + ["long", "last"])
        let batches = try signet.eventBodies.map { (bytes: $0.count, events: try JSONReader.read($0)["events"]?.array) }
        for batch in batches where batch.bytes > 16 * 1024 { #expect(batch.events?.count == 1) }
        #expect(batches.filter { $0.bytes > 16 * 1024 }.count == 1)
        #expect(batches.count > 4)
    }

    @Test func aBatchThatIsFullBySettingGoesWithoutWaiting() async throws {
        let observer = RecordingObserver()
        let configure = { (configuration: inout SignetConfiguration) in
            configuration.events.maximumBatchBytes = 16 * 1024
        }
        try await withEmulatedSignet(in: self.folder.path, observer: observer, configure: configure) { signet in
            let visitor = try await signet.openKnown()
            let text = String(repeating: "s", count: 1500)
            // The full batch is 100/128 of 16 KiB.
            for _ in 0..<9 { try visitor.log(.custom("x", attributes: ["s": .string(text)])) }
            #expect(await observer.nextDelivery() != nil)
            #expect(signet.clock.now.offset == .zero)
        }
    }

    @Test func oneUploadAtATimeIsASetting() async throws {
        let signet = try EmulatedSignet(in: self.folder.path) { $0.events.maximumInFlight = 1 }
        try await signet.run { signet in
            // First, as a request that identifies a visitor is no upload, and may go beside one.
            var visitors: [Installation] = []
            for index in 0..<5 { visitors.append(try await signet.openKnown(InstallationID("v\(index)"))) }
            for visitor in visitors {
                for _ in 0..<100 { try visitor.log(.custom("x")) }
            }
            try await signet.runtime.upload()
        }
        #expect(signet.transport.maximumInFlight == 1)
    }

    @Test func requestsWithSeveralBatchesAreNoLongerThanTheSetting() async throws {
        let signet = try EmulatedSignet(in: self.folder.path) {
            $0.events.uploadMode = .bulk
            $0.events.maximumBatchBytes = 16 * 1024
            $0.events.maximumRequestBytes = 20 * 1024
        }
        try await signet.run { signet in
            let text = String(repeating: "s", count: 3500)
            for index in 0..<6 {
                let visitor = try await signet.openKnown(InstallationID("v\(index)"))
                for _ in 0..<3 { try visitor.log(.custom("x", attributes: ["s": .string(text)])) }
            }
            try await signet.runtime.upload()
        }
        // One batch alone goes the way of single ones.
        let requests = signet.transport.exchanges.filter { ["bulkevents", "events"].contains($0.endpoint) }
            .map(\.request.body)
        #expect(requests.allSatisfy { $0.count <= 20 * 1024 })
        // Each batch has more than half of that, so that each goes alone.
        #expect(requests.count >= 6)
        #expect(signet.runtime.statistics.eventsWaiting == 0)
    }
}
