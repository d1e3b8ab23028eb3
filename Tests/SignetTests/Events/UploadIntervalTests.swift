// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// How long events wait for company, changed while a runtime runs.
@Suite(.watched) struct UploadIntervalTests {
    private func waits(_ change: (inout Uploads) -> Void, now: Duration = .zero) -> String {
        var uploads = Uploads()
        uploads.take()
        change(&uploads)
        return uploads.next(now)
    }

    @Test func theWaitThatGoesOnCountsFromItsBegin() {
        #expect(self.waits({ _ in }, now: .seconds(4)) == "wait 10")
        #expect(self.waits({ $0.machine.setInterval(.seconds(6)) }, now: .seconds(4)) == "wait 6")
        #expect(self.waits({ $0.machine.setInterval(.seconds(60)) }, now: .seconds(4)) == "wait 60")
    }

    @Test func whatHasWaitedForTheNewIntervalGoesAtOnce() {
        #expect(self.waits({ $0.machine.setInterval(.seconds(3)) }, now: .seconds(4)) == "cut 1")
    }

    @Test func theSameAgainHoldsNothingUp() {
        #expect(
            self.waits({ uploads in for _ in 0..<5 { uploads.machine.setInterval(.seconds(10)) } }, now: .seconds(10))
                == "cut 1"
        )
        #expect(
            self.waits(
                { uploads in
                    for seconds in [60, 10, 60, 10] { uploads.machine.setInterval(.seconds(seconds)) }
                },
                now: .seconds(10)
            ) == "cut 1"
        )
    }

    @Test func theNextWaitIsOfTheNewLength() throws {
        var uploads = Uploads()
        uploads.machine.setInterval(.seconds(3))
        uploads.take()
        _ = uploads.deliverAll(.seconds(3))
        uploads.take(now: .seconds(3))
        #expect(uploads.next(.seconds(3)) == "wait 6")
    }

    @Test func aRuntimeUploadsByTheNewInterval() async throws {
        let folder = try TemporaryFolder()
        let observer = RecordingObserver()
        let configure = { (configuration: inout SignetConfiguration) in
            configuration.sessions.timeout = .seconds(100_000)
        }
        try await withEmulatedSignet(in: folder.path, observer: observer, configure: configure) { signet in
            #expect(signet.runtime.uploadInterval == .seconds(600))
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("first"))
            await signet.takeIn()
            signet.clock.advance(by: .seconds(20))
            await signet.takeIn()
            #expect(signet.eventBodies.isEmpty)
            // Nothing but the call wakes the queue.
            try signet.runtime.setUploadInterval(.seconds(15))
            #expect(await observer.nextDelivery() == 2)
            #expect(signet.runtime.uploadInterval == .seconds(15))
            try visitor.log(.custom("second"))
            await signet.takeIn()
            signet.clock.advance(by: .seconds(15))
            #expect(await observer.nextDelivery() == 1)
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(999), .seconds(-5)])
    func aShorterOneThanASecondIsRefused(interval: Duration) throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let error = #expect(throws: SignetError.self) { try signet.runtime.setUploadInterval(interval) }
        #expect(error?.code == .invalidArgument)
        #expect(signet.runtime.uploadInterval == .seconds(600))
    }

    @Test func theLongestOneDoesNotTrap() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.openKnown()
            try signet.runtime.setUploadInterval(.seconds(Int64.max))
            await signet.takeIn()
            try signet.runtime.setUploadInterval(.seconds(1))
            try visitor.log(.custom("x"))
            try await signet.runtime.upload()
        }
    }
}
