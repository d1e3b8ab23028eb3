// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Identity calls from many threads at once, for the thread sanitizer; the simulation's `IdentityInterleavingTests` has them on
/// one, in an order that a seed repeats.
@Suite(.watched) struct ParallelCallsTests {
    @Test func oneRequestIsOnTheWireAndEachCallEnds() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path, emulator: EmulatorConfiguration(strategy: .isolation)) {
            $0.events.uploadInterval = .seconds(100_000_000)
            $0.events.priorityUploadDelay = .seconds(100_000_000)
        } _: { signet in
            let installation = try await signet.runtime.open("one")
            for round in 0..<40 {
                signet.emulator.faults.clear()
                if round.isMultiple(of: 3) { signet.emulator.faults.inject(.status(500)) }
                await withTaskGroup(of: SignetError.Code?.self) { group in
                    for call in NetworkCall.allCases where call != .identified {
                        let whenBusy: ConflictPolicy =
                            round.isMultiple(of: 2) ? .refuse : .wait(upTo: .seconds(1_000_000))
                        group.addTask { await call.code(on: installation, whenBusy: whenBusy) }
                    }
                    if round.isMultiple(of: 4) { group.cancelAll() }
                    for await code in group {
                        let known: [SignetError.Code?] = [nil, .requestInProgress, .serverFailure, .cancelled, .noUser]
                        #expect(known.contains(code))
                    }
                }
            }
            signet.emulator.faults.clear()
            #expect(
                await NetworkCall.identify.code(on: installation, whenBusy: .wait(upTo: .seconds(1_000_000))) == nil
            )
            #expect(installation.core.store.read { $0.identity.isIdle })
            #expect(signet.transport.maximumInFlight == 1)
            _ = await signet.runtime.shutdown(within: .zero)
        }
    }
}
