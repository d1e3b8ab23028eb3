// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import Testing

@testable import Signet

@Suite struct WorkQueueTests {
    @Test func jobsHandedInBeforeTheRunAreDoneByIt() async {
        let queue = WorkQueue()
        let done = Promise<Bool>()
        #expect(queue.submit { done.resolve(true) })
        #expect(done.current == nil)
        let run = Task { await queue.run() }
        #expect(await done.value() == true)
        queue.close()
        await run.value
    }

    @Test func aJobThatWaitsDoesNotHoldUpTheOthers() async {
        let queue = WorkQueue()
        let gate = Promise<Void>()
        let done = Promise<Bool>()
        queue.submit { _ = await gate.value() }
        queue.submit { done.resolve(true) }
        let run = Task { await queue.run() }
        #expect(await done.value() == true)
        gate.resolve(())
        queue.close()
        await run.value
    }

    @Test func theRunReturnsAfterItsJobs() async {
        let queue = WorkQueue()
        let started = Promise<Bool>()
        let gate = Promise<Void>()
        let isDone = Locked(false)
        queue.submit {
            started.resolve(true)
            _ = await gate.value()
            isDone.withLock { $0 = true }
        }
        let run = Task { await queue.run() }
        _ = await started.value()
        queue.close()
        gate.resolve(())
        await run.value
        #expect(isDone.withLock { $0 })
    }

    @Test func cancellationReachesTheJobs() async {
        let queue = WorkQueue()
        let started = Promise<Bool>()
        queue.submit {
            started.resolve(true)
            _ = await Promise<Void>().value()
        }
        let run = Task { await queue.run() }
        _ = await started.value()
        run.cancel()
        await run.value
    }

    @Test func aClosedQueueRefusesAndLetsGoOfWhatItHeld() {
        final class Witness: Sendable {}
        let queue = WorkQueue()
        weak var held: Witness?
        do {
            let witness = Witness()
            held = witness
            queue.submit { withExtendedLifetime(witness) {} }
        }
        #expect(held != nil)
        queue.close()
        #expect(held == nil)
        #expect(!queue.submit {})
    }
}
