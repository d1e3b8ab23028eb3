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

/// A process that dies, or whose disk fails, while it removes installations, at each call to the disk.
@Suite(.watched) struct RemovalKillTests {
    private let day = IdleScene.day

    /// Checks that each installation is whole or gone.
    ///
    /// - Returns: The number of those that are whole.
    private func check(_ path: String, _ scene: IdleScene, _ step: Int) async throws -> Int {
        let signet = try scene.start(in: path)
        let runtime = signet.runtime
        #expect(try InstallationReset.stored(in: runtime.context.store).isEmpty, "step \(step)")
        var whole = 0
        for (id, mpid) in scene.users {
            let isThere = runtime.context.store.contains(StateKey.identity(id))
            let visitor = try await runtime.open(id, identify: .none)
            #expect(visitor.currentUser?.mpid == (isThere ? mpid : nil), "step \(step), \(id)")
            #expect(isThere || visitor.allUsers.isEmpty, "step \(step), \(id)")
            if isThere { whole += 1 }
        }
        #expect(runtime.statistics.damagedRecords == 0, "step \(step)")
        await runtime.shutdown()
        return whole
    }

    @Test func afterAKillAtAnyStepEachIsWholeOrGone() async throws {
        let scene = try await IdleScene()
        scene.clock.advance(by: self.day * 10)
        let images = try KillImages(of: scene.folder.path)
        let signet = try scene.start { images.watch(&$0) }
        images.begin()
        #expect(try await signet.runtime.removeInstallations(idleFor: self.day) == 3)
        let steps = images.end()
        #expect(steps > 10)
        var last = scene.users.count
        for step in TestScale.steps(steps, every: 4) {
            let whole = try await self.check(images.path(step), scene, step)
            #expect(whole <= last, "step \(step): gone before, and back")
            last = whole
        }
        #expect(last == 0)
        await signet.runtime.shutdown()
    }

    @Test func afterAKillWhileItIsRemovedAfterItsDeliveryItIsWholeOrGone() async throws {
        let scene = try await IdleScene(["a"])
        let images = try KillImages(of: scene.folder.path)
        let signet = try scene.start { images.watch(&$0) }
        let steps = try await signet.run { signet in
            let visitor = try await signet.runtime.open("a", identify: .none)
            try await visitor.endSession()
            try await signet.runtime.upload()
            images.begin()
            try await visitor.remove()
            return images.end()
        }
        var last = 1
        for step in TestScale.steps(steps, every: 3) {
            let whole = try await self.check(images.path(step), scene, step)
            #expect(whole <= last, "step \(step): gone before, and back")
            last = whole
        }
        #expect(last == 0)
    }

    /// The disk refuses every change from the nth call on, and then works again.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30])
    func whereTheDiskFailsWhatHasBegunIsFinishedLater(calls: Int) async throws {
        let left = Locked<Int?>(nil)
        let scene = try await IdleScene()
        scene.clock.advance(by: self.day * 10)
        let signet = try scene.start {
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
        left.withLock { $0 = calls - 1 }
        var failure: SignetError.Code?
        do throws(SignetError) {
            _ = try await signet.runtime.removeInstallations(idleFor: self.day)
        } catch {
            failure = error.code
        }
        left.withLock { $0 = nil }
        #expect(failure == nil || failure == .diskFull || failure == .diskFailed)
        // One comes back before the runtime tries again: it finds nothing half removed.
        let back = try await signet.runtime.open("b", identify: .none)
        #expect(back.currentUser?.mpid == scene.users["b"] || back.allUsers.isEmpty)
        let stamp = back.deviceApplicationStamp
        await signet.runtime.managers.finishResets(signet.runtime.context)
        #expect(signet.runtime.managers.resets.withLock { $0.all.isEmpty && $0.quiet.isEmpty })
        #expect(try InstallationReset.stored(in: signet.runtime.context.store).isEmpty)
        #expect(try await signet.runtime.removeInstallations(idleFor: self.day) <= 2)
        #expect(try signet.stored == ["b"])
        #expect(signet.runtime.statistics.eventsLost == 0)
        await signet.runtime.shutdown()
        let next = try scene.start()
        #expect(try await next.runtime.open("b", identify: .none).deviceApplicationStamp == stamp)
        await next.runtime.shutdown()
    }
}
