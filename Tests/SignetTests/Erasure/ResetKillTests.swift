// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A process that dies, or whose disk fails, while it resets an installation, at each call to the disk.
@Suite(.watched) struct ResetKillTests {
    @Test(arguments: [Journal.Options.Storage.automatic, .written])
    func afterAKillAtAnyStepItIsResetOrNothingHasHappened(
        storage: Journal.Options.Storage
    )
        async throws
    {
        let scene = try await ErasureScene(storage)
        let images = try KillImages(of: scene.folder.path)
        let signet = try await scene.secondProcess { images.watch(&$0) }
        let a = try await signet.runtime.open("a", identify: .none)
        images.begin()
        try await a.reset()
        let steps = images.end()
        #expect(steps > 10)
        var hasBegun = false
        for step in TestScale.steps(steps, every: 5) {
            if step.isMultiple(of: 3) {
                let owed = try await scene.owedAfterADay(in: images.path(step))
                #expect(owed.isEmpty, "step \(step): \(owed)")
            }
            // Of installation a: all that waits is of the one user.
            let delivered = try await scene.deliver(from: images.path(step))
            #expect(delivered.others.sorted() == ErasureScene.others.sorted(), "step \(step)")
            if delivered.isErased {
                hasBegun = true
                #expect(delivered.erased.isEmpty, "step \(step)")
            } else {
                #expect(!hasBegun, "step \(step): reset before, and back")
                #expect(delivered.erased.count == 13, "step \(step)")
            }
        }
        #expect(hasBegun)
    }

    @Test func afterASecondKillInTheRecoveryTheThirdStartFinishesIt() async throws {
        let scene = try await ErasureScene(.written)
        let images = try KillImages(of: scene.folder.path)
        let signet = try await scene.secondProcess { images.watch(&$0) }
        let a = try await signet.runtime.open("a", identify: .none)
        images.begin()
        try await a.reset()
        let steps = images.end()
        var again = 0
        for step in stride(from: 3, to: steps, by: TestScale.count(quick: 7, full: 2)) {
            let second = try KillImages(of: images.path(step))
            second.begin()
            let killed = try ErasureScene.signet(
                in: images.path(step),
                scene.platform,
                scene.clock,
                .written
            ) {
                second.watch(&$0)
            }
            let count = second.end()
            withExtendedLifetime(killed) {}
            again += count
            for number in TestScale.steps(count, every: 6, from: step) {
                if number.isMultiple(of: 10) {
                    let owed = try await scene.owedAfterADay(in: second.path(number))
                    #expect(owed.isEmpty, "\(step), \(number): \(owed)")
                }
                let delivered = try await scene.deliver(from: second.path(number))
                #expect(delivered.others.sorted() == ErasureScene.others.sorted(), "\(step), \(number)")
                #expect(delivered.erased.isEmpty == delivered.isErased, "\(step), \(number)")
            }
        }
        #expect(again > 0)
    }

    /// The disk refuses every change from the nth call on, and then works again.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25])
    func whereTheDiskFailsItStandsOrNothingHasHappened(
        calls: Int
    ) async throws {
        let left = Locked<Int?>(nil)
        let scene = try await ErasureScene(.written)
        let signet = try await scene.secondProcess {
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
        let a = try await signet.runtime.open("a", identify: .none)
        left.withLock { $0 = calls - 1 }
        var failure: SignetError.Code?
        do throws(SignetError) { try await a.reset() } catch { failure = error.code }
        left.withLock { $0 = nil }
        #expect(failure == nil || failure == .diskFull || failure == .diskFailed)
        let again = try await signet.runtime.open("a", identify: .none)
        if again.currentUser != nil {
            #expect(failure != nil)
            #expect(a.deviceApplicationStamp == again.deviceApplicationStamp)
            try a.log(.custom("goes on"))
            try await a.reset()
        } else {
            #expect(throws: SignetError.self) { try a.log(.custom("x")) }
            #expect(again.deviceApplicationStamp != a.deviceApplicationStamp)
        }
        await signet.runtime.managers.finishResets(signet.runtime.context)
        #expect(signet.runtime.managers.resets.withLock { $0.all }.isEmpty)
        #expect(try InstallationReset.stored(in: signet.runtime.context.store).isEmpty)
        await signet.runtime.shutdown()
        #expect(signet.runtime.statistics.eventsLost == 0)
        let delivered = try await scene.deliver(from: scene.folder.path)
        #expect(delivered.others.sorted() == ErasureScene.others.sorted())
        #expect(delivered.erased.isEmpty)
    }
}
