// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A process that dies while it erases somebody, at each call to the disk.
@Suite(.watched) struct ErasureKillTests {
    @Test(arguments: [Journal.Options.Storage.automatic, .written])
    func afterAKillAtAnyStepTheNextStartFinishesIt(storage: Journal.Options.Storage) async throws {
        let scene = try await ErasureScene(storage)
        let images = try KillImages(of: scene.folder.path)
        let signet = try await scene.secondProcess { images.watch(&$0) }
        images.begin()
        try await signet.runtime.eraseUser(scene.erased)
        let steps = images.end()
        #expect(steps > 40)
        var hasBegun = false
        for step in TestScale.steps(steps, every: 12) {
            let image = images.path(step)
            if step.isMultiple(of: 3) {
                let owed = try await scene.owedAfterADay(in: image)
                #expect(owed.isEmpty, "step \(step): \(owed)")
            }
            let delivered = try await scene.deliver(from: image)
            #expect(delivered.others.sorted() == ErasureScene.others.sorted(), "step \(step)")
            guard delivered.isErased else {
                #expect(!hasBegun, "step \(step): erased before, and back")
                #expect(delivered.erased.count == 13, "step \(step)")
                continue
            }
            hasBegun = true
            #expect(delivered.erased.isEmpty, "step \(step)")
            #expect(try scene.traces(in: image) == [], "step \(step)")
        }
        #expect(hasBegun)
        print("killed at \(steps) steps, \(storage)")
    }

    /// The first process is killed at some of its steps, the second at each of those of its start.
    @Test(arguments: [Journal.Options.Storage.automatic, .written])
    func afterASecondKillAtAnyStepOfTheRecoveryTheThirdStartFinishesIt(
        storage: Journal.Options.Storage
    ) async throws {
        let scene = try await ErasureScene(storage)
        let images = try KillImages(of: scene.folder.path)
        let signet = try await scene.secondProcess { images.watch(&$0) }
        images.begin()
        try await signet.runtime.eraseUser(scene.erased)
        let steps = images.end()
        var again = 0
        // The first steps are before the erasure stands; a stride that divides nothing evenly.
        for step in stride(from: 4, to: steps, by: TestScale.count(quick: 29, full: 7)) {
            let second = try KillImages(of: images.path(step))
            second.begin()
            let killed = try ErasureScene.signet(in: images.path(step), scene.platform, scene.clock, storage) {
                second.watch(&$0)
            }
            let count = second.end()
            withExtendedLifetime(killed) {}
            again += count
            for number in TestScale.steps(count, every: 9, from: step) {
                let image = second.path(number)
                if number.isMultiple(of: 10) {
                    let owed = try await scene.owedAfterADay(in: image)
                    #expect(owed.isEmpty, "step \(step), \(number): \(owed)")
                }
                let delivered = try await scene.deliver(from: image)
                #expect(delivered.others.sorted() == ErasureScene.others.sorted(), "step \(step), \(number)")
                #expect(delivered.isErased, "step \(step), \(number)")
                #expect(delivered.erased.isEmpty, "step \(step), \(number)")
                #expect(try scene.traces(in: image) == [], "step \(step), \(number)")
            }
        }
        #expect(again > TestScale.count(quick: 20, full: 100))
        print("killed a second time at \(again) steps, \(storage)")
    }
}
