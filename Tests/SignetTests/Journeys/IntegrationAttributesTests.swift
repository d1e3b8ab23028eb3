// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

@Suite(.watched) struct IntegrationAttributesTests {
    /// The texts of an attribute in the batches of a platform, in the order of their arrival.
    private static func values(_ key: String, of integration: Int, in platform: Emulator) -> [String?] {
        platform.batches().map { $0.json["integration_attributes"]?[String(integration)]?[key]?.string }
    }

    @Test func everyBatchCarriesThemAlsoAfterARestartUntilTheyAreRemoved() async throws {
        let folder = try TemporaryFolder()
        let first = try EmulatedSignet(in: folder.path)
        _ = try await first.run { signet in
            let visitor = try await signet.openKnown()
            try await visitor.setIntegrationAttributes(["vid": "v-1", "old": "x"], ofIntegration: 11)
            try await visitor.setIntegrationAttributes(["id": "b-1"], ofIntegration: 2)
            try await visitor.setIntegrationAttributes(["vid": "v-2"], ofIntegration: 11)
            #expect(visitor.integrationAttributes == [11: ["vid": "v-2"], 2: ["id": "b-1"]])
            try visitor.log(.custom("first"))
            try await signet.runtime.upload()
        }
        let before = first.emulator.batches().count
        #expect(Self.values("vid", of: 11, in: first.emulator).last == "v-2")
        #expect(Self.values("old", of: 11, in: first.emulator).allSatisfy { $0 == nil })
        #expect(Self.values("id", of: 2, in: first.emulator).last == "b-1")

        let second = try EmulatedSignet(in: folder.path, platform: first.emulator, clock: first.clock)
        _ = try await second.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            #expect(visitor.integrationAttributes == [11: ["vid": "v-2"], 2: ["id": "b-1"]])
            try visitor.log(.custom("second"))
            try await signet.runtime.upload()
            // Another user of the installation has them, too.
            try await visitor.login([.customerID: "c-1"])
            try visitor.log(.custom("third"))
            try await signet.runtime.upload()
            let carried = Self.values("vid", of: 11, in: signet.emulator).dropFirst(before)
            #expect(carried.count >= 2 && carried.allSatisfy { $0 == "v-2" })

            try await visitor.setIntegrationAttributes([:], ofIntegration: 11)
            #expect(visitor.integrationAttributes == [2: ["id": "b-1"]])
            try visitor.log(.custom("fourth"))
            try await signet.runtime.upload()
            #expect(Self.values("vid", of: 11, in: signet.emulator).last == .some(nil))
            #expect(Self.values("id", of: 2, in: signet.emulator).last == "b-1")
        }
    }

    @Test func whatBreaksALimitIsAnErrorAndChangesNothing() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        _ = try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await visitor.setIntegrationAttributes(["vid": "v-1"], ofIntegration: 11)
            let refused: [(attributes: [String: String], integration: Int, word: String)] = [
                (["": "x"], 11, "key"), ([String(repeating: "k", count: 257): "x"], 11, "257"),
                (["k": String(repeating: "v", count: 4097)], 11, "4097"), (["k": "v"], 0, "integration"),
                // Alone each is within the limit, and the two are not.
                (["k": String(repeating: "v", count: 4070)], 12, "4096"),
            ]
            for (attributes, integration, word) in refused {
                let error = await #expect(throws: SignetError.self) {
                    try await visitor.setIntegrationAttributes(attributes, ofIntegration: integration)
                }
                #expect(error?.code == .invalidArgument)
                #expect(error?.message.contains(word) == true, "\(error?.message ?? "no error")")
                #expect(visitor.integrationAttributes == [11: ["vid": "v-1"]])
            }
        }
    }

    /// They may name the user, as device identities do.
    @Test(arguments: [false, true])
    func anErasureRemovesThemWhereNoOtherUserIsCurrent(isOtherCurrent: Bool) async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path, emulator: EmulatorConfiguration(strategy: .link))
        _ = try await signet.run { signet in
            let visitor = try await signet.openKnown()
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            try await visitor.setIntegrationAttributes(["vid": "partner-of-the-user"], ofIntegration: 11)
            if isOtherCurrent {
                let other = try await visitor.login([.customerID: "c-2"]).user.mpid
                #expect(other != mpid)
            }
            #expect(try allBytes(in: folder.path).contains("partner-of-the-user"))
            try await signet.runtime.eraseUser(mpid)
            #expect(visitor.integrationAttributes == (isOtherCurrent ? [11: ["vid": "partner-of-the-user"]] : [:]))
        }
        guard !isOtherCurrent else { return }
        #expect(try !allBytes(in: folder.path).contains("partner-of-the-user"))
    }

    @Test func eachReplicaHasThem() async throws {
        let fleet = try TestFleet()
        try await fleet.run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await here.setIntegrationAttributes(["vid": "v-1"], ofIntegration: 11)
            let there = try await fleet[1].open()
            #expect(there.integrationAttributes == [11: ["vid": "v-1"]])
            try there.log(.custom("there"))
            try await fleet.upload()
            #expect(Self.values("vid", of: 11, in: fleet.platform).last == "v-1")
            try await there.setIntegrationAttributes([:], ofIntegration: 11)
            try await here.refresh()
            #expect(here.integrationAttributes.isEmpty)
        }
    }

    @Test func theRecordKeepsThemInOneOrder() throws {
        var state = IdentityFixture.empty
        for integration in [300, 2, 11] {
            try state.integrations.set(["b": "é", "a": "\(integration)"], ofIntegration: integration)
        }
        let bytes = state.encoded()
        let read = try IdentityState(decoding: bytes)
        #expect(read == state)
        #expect(read.integrations.values.count == 3)
        #expect(read.encoded() == bytes)
    }
}
