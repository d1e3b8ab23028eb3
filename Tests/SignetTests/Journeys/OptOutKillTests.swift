// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A process that dies while somebody opts out, at each call to the disk.
@Suite(.watched) struct OptOutKillTests {
    /// What a kill at each call would leave, while an installation opts out or in.
    private struct Images {
        let images: KillImages
        let count: Int
        let clock: ManualClock
        let mpid: MPID

        init(of isOptedOut: Bool) async throws {
            let known = try await KnownInstallation()
            let images = try KillImages(of: known.folder.path)
            let signet = try known.next {
                $0.journal.storage = .written
                images.watch(&$0)
            }
            let visitor = try await signet.runtime.open("one", identify: .none)
            if !isOptedOut { try await visitor.setOptedOut(true) }
            images.begin()
            try await visitor.setOptedOut(isOptedOut)
            self.count = images.end()
            (self.images, self.clock) = (images, known.clock)
            self.mpid = try #require(visitor.currentUser?.mpid)
            await signet.runtime.shutdown()
        }

        /// What is owed if nobody returns.
        func owedAfterADay(_ step: Int) async throws -> [DueWorkReport.Entry] {
            let folder = try TemporaryFolder(copying: self.images.path(step))
            let clock = ManualClock(startingAt: self.clock.date)
            let signet = try EmulatedSignet(in: folder.path, clock: clock)
            return try await signet.owedAfterADay(in: folder.path)
        }

        /// What the next process finds and delivers.
        func next(_ step: Int, killedAgain: Bool) async throws -> (isOptedOut: Bool, told: [Bool]) {
            let clock = ManualClock(startingAt: self.clock.date)
            let platform = Emulator(clock: clock, wallClock: { clock.date })
            func signet() throws -> EmulatedSignet {
                try EmulatedSignet(in: self.images.path(step), platform: platform, clock: clock)
            }
            if killedAgain {
                let killed = try signet()
                // It ends as by a kill: nothing was run, nothing is closed.
                withExtendedLifetime(killed) {}
            }
            let isOptedOut = try await signet().run { signet in
                let visitor = try await signet.runtime.open("one", identify: .none)
                try await signet.runtime.upload(within: .seconds(10))
                #expect(signet.runtime.statistics.eventsLost == 0)
                return visitor.isOptedOut
            }
            return (isOptedOut, platform.events(of: self.mpid).compactMap { $0.data["is_opted_out"]?.bool })
        }
    }

    @Test(arguments: [true, false], [false, true])
    func afterAKillAtAnyStepTheChoiceAndItsEventAreThereOnceOrNotAtAll(isOptedOut: Bool, killedAgain: Bool) async throws
    {
        let images = try await Images(of: isOptedOut)
        #expect(images.count > 3)
        let before = isOptedOut ? [] : [true]
        var hasBegun = false
        for step in TestScale.steps(images.count, every: 4) {
            let owed = try await images.owedAfterADay(step)
            #expect(owed.isEmpty, "step \(step): \(owed)")
            let (state, told) = try await images.next(step, killedAgain: killedAgain)
            if state != isOptedOut {
                #expect(!hasBegun, "step \(step): it was there, and is gone")
                #expect(told == before, "step \(step)")
            } else {
                hasBegun = true
                #expect(told == before + [isOptedOut], "step \(step)")
            }
        }
        #expect(hasBegun)
    }
}
