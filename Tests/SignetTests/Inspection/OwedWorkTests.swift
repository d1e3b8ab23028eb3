// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// What real processes leave in their directory.
@Suite(.watched) struct OwedWorkTests {
    @Test func aProcessThatDiesOwesAnIdentifyAndTheEndOfItsSession() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let visitor = try await signet.runtime.open("visitor")
        try visitor.log(.custom("seen"))
        let owed = try owedWork(directory: folder.path)
        #expect(Set(owed.map(\.kind)) == [.identify, .sessionEnd])
        #expect(owed.allSatisfy { $0.installation == "visitor" && $0.since != nil })
        await signet.runtime.shutdown()
    }

    @Test func whoeverDeliveredEverythingOwesNothing() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("visitor")
            _ = try await visitor.login([.customerID: "ann"])
            try visitor.log(.custom("seen"))
            try await visitor.endSession()
            #expect(try !owedWork(directory: folder.path).isEmpty)
            try await signet.runtime.upload()
            #expect(try owedWork(directory: folder.path).isEmpty)
        }
        #expect(try owedWork(directory: folder.path).isEmpty)
    }

    @Test func aPlatformThatIsAwayLeavesBatchesAndEvents() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("visitor")
            _ = try await visitor.login([.customerID: "ann"])
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            signet.emulator.faults.injectAlways(.connectionRefused, on: .bulkEvents)
            try visitor.log(.custom("waits"))
            await #expect(throws: SignetError.self) { try await signet.runtime.upload() }
        }
        let kinds = Set(try owedWork(directory: folder.path).map(\.kind))
        #expect(kinds.isSuperset(of: [.events, .batch]))
        #expect(kinds.isSubset(of: [.events, .batch, .sessionEnd]))
    }
}
