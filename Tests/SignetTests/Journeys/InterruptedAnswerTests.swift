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

/// An answer about consent whose writes the disk, or a kill, cuts off.
@Suite(.watched) struct InterruptedAnswerTests {
    private static let given = ConsentState(gdpr: ["ads": Consent(true)])
    private static let refused = ConsentState(gdpr: ["ads": Consent(false)])
    /// More than the calls to the disk that an answer makes.
    private static let calls = 8

    /// The disk refuses every change from the nth call on, and the process dies.
    ///
    /// Nobody returns.
    @Test func anAnswerThatCountsReachesThePlatformWhereverItWasCutOff() async throws {
        var cutOffAfterRecord = 0
        for calls in 0..<Self.calls {
            let clock = ManualClock()
            let platform = Emulator(EmulatorConfiguration(), clock: clock, wallClock: { clock.date })
            let folder = try TemporaryFolder()
            let left = Locked<Int?>(nil)
            let image = Locked<TemporaryFolder?>(nil)
            let first = try Self.process(in: folder, platform, clock) {
                $0.disk = Disk(asking: { request in
                    guard request.call != .read else { return nil }
                    let isBroken = left.withLock { left in
                        guard let count = left else { return false }
                        left = max(0, count - 1)
                        return count == 0
                    }
                    return isBroken ? .failure(28) : nil
                })
            }
            let (mpid, hasFailed) = try await first.run { signet in
                let visitor = try await signet.runtime.open("one", identify: .none)
                let mpid = try await visitor.login([.customerID: "c"]).user.mpid
                try await visitor.setConsent(Self.given)
                try visitor.log(.custom("x"))
                try await signet.runtime.upload()
                #expect(platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven == true)
                clock.advance(by: .seconds(1))
                left.withLock { $0 = calls }
                var hasFailed = false
                do throws(SignetError) {
                    try await visitor.setConsent(Self.refused)
                } catch {
                    #expect([.diskFull, .diskFailed].contains(error.code), "\(error)")
                    hasFailed = true
                }
                let copy = try TemporaryFolder(copying: folder)
                image.withLock { $0 = copy }
                // What this process still does at its end reaches nobody.
                platform.faults.injectAlways(.connectionRefused, on: .events)
                left.withLock { $0 = nil }
                return (mpid, hasFailed)
            }
            platform.faults.clear()
            let copy = try #require(image.withLock { $0 })
            let next = try Self.process(in: copy, platform, clock)
            try await next.run { signet in
                let record = try #require(try signet.runtime.context.consents?.latest(of: mpid))
                let isGiven = try #require(record.consent?.gdpr["ads"]).isGiven
                if !hasFailed { #expect(!isGiven, "what returned counts") }
                if hasFailed, !isGiven { cutOffAfterRecord += 1 }
                await signet.pass(by: .seconds(10), until: "the platform has what counts") {
                    platform.user(mpid)?.consent?.gdpr["ads"]?.isGiven == isGiven
                }
            }
        }
        #expect(cutOffAfterRecord > 0, "the case of which this is")
    }

    private static func process(
        in folder: TemporaryFolder,
        _ platform: Emulator,
        _ clock: ManualClock,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try EmulatedSignet(in: folder.path, platform: platform, clock: clock) {
            $0.sessions.tracking = .manual
            $0.sessions.beginsAtOpen = false
            configure(&$0)
        }
    }
}
