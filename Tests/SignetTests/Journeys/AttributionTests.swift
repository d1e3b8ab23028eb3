// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

@Suite(.watched) struct AttributionTests {
    private static let attribution = Attribution(serviceProvider: "measurer", publisher: "paper", campaign: "autumn")

    @Test func everyBatchCarriesItAlsoAfterARestartUntilItIsRemoved() async throws {
        let folder = try TemporaryFolder()
        let first = try EmulatedSignet(in: folder.path)
        _ = try await first.run { signet in
            let visitor = try await signet.openKnown()
            try await visitor.setAttribution(Self.attribution)
            try await signet.runtime.upload()
        }
        let second = try EmulatedSignet(in: folder.path, platform: first.emulator, clock: first.clock)
        _ = try await second.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try visitor.log(.custom("a"))
            try await signet.runtime.upload()
            try await visitor.setAttribution(nil)
            try visitor.log(.custom("b"))
            try await signet.runtime.upload()
        }
        let campaigns = first.emulator.batches().map { $0.json["attribution_info"]?["campaign"]?.string }
        #expect(campaigns.first == "autumn")
        #expect(campaigns.dropLast().allSatisfy { $0 == "autumn" })
        #expect(campaigns.last == .some(nil))
    }

    @Test func aTextThatTheEventsAPIDoesNotTakeIsAnErrorThatNamesIt() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        _ = try await signet.run { signet in
            let visitor = try await signet.openKnown()
            for text in ["", String(repeating: "x", count: 257)] {
                var attribution = Self.attribution
                attribution.publisher = text
                let error = await #expect(throws: SignetError.self) { try await visitor.setAttribution(attribution) }
                #expect(error?.code == .invalidArgument)
                #expect(error?.message.contains("publisher") == true)
            }
        }
    }
}
