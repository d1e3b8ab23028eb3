// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet
@testable import SignetInfobip

/// The hours for which content was too large, by the machine.
@Suite struct InfobipTooLargeTests {
    private static let page = SignetError(.rejected, "a page", httpStatus: 413)
    private static let hour: Int64 = 3_600_000

    private func end(_ scene: inout InfobipScene, _ answer: InfobipAnswer, at milliseconds: Int64) {
        scene.next()
        guard let number = scene.machine.inFlight?.number else {
            Issue.record("nothing to do")
            return
        }
        _ = scene.machine.finish(number, answer, now: .zero, milliseconds: milliseconds, jitter: 0)
    }

    private func tryForHours(_ scene: inout InfobipScene) {
        for hour in 0...23 {
            self.end(&scene, .failed(Self.page, mayHaveHappened: false), at: Int64(hour) * Self.hour)
        }
        #expect(scene.memory.tooLarge?.count.hours == 23)
    }

    /// What ends the first save.
    enum Ending: CaseIterable, Sendable {
        case done, refused, givenUp

        var answer: InfobipAnswer {
            switch self {
            case .done: .done
            case .refused: .refused(InfobipScene.refusal, rollsBackIdentity: false)
            case .givenUp: .failed(SignetError(.rejected, "a page", httpStatus: 413), mayHaveHappened: false)
            }
        }
    }

    @Test(arguments: Ending.allCases) func theNextSaveIsTriedForADayOfItsOwn(_ ending: Ending) {
        var scene = InfobipScene(of: "ann")
        scene.save("a")
        self.tryForHours(&scene)
        self.end(&scene, ending.answer, at: 24 * Self.hour)
        #expect(scene.last.edits.isEmpty && scene.memory.tooLarge == nil)
        scene.save("b")
        self.end(&scene, .failed(Self.page, mayHaveHappened: false), at: 26 * Self.hour)
        #expect(scene.last.edits.fields == [.firstName])
        #expect(scene.memory.tooLarge?.count.hours == 0)
    }

    /// Otherwise n large events of one visitor wait for n days, one after the other.
    @Test func eventsThatHaveWaitedThroughTheDayShareIt() {
        let page = InfobipAnswer.failed(Self.page, mayHaveHappened: false)
        var scene = InfobipScene()
        for _ in 0..<3 { scene.event() }
        // All together, then the first one alone.
        for _ in 0..<2 { self.end(&scene, page, at: 0) }
        // It comes later, and has a day from then on.
        scene.event()
        for hour in 1...23 { self.end(&scene, page, at: Int64(hour) * Self.hour) }
        #expect(scene.last.events.all.count == 4)
        for left in [3, 2, 1] {
            self.end(&scene, page, at: 24 * Self.hour)
            #expect(scene.last.events.all.count == left)
        }
        #expect(scene.memory.tooLarge == nil)
        for hour in 24...47 { self.end(&scene, page, at: Int64(hour) * Self.hour) }
        #expect(scene.last.events.all.count == 1)
        self.end(&scene, page, at: 48 * Self.hour)
        #expect(scene.last.events.all.isEmpty)
    }

    /// One was small enough, so the limit may be another by now.
    @Test func anEventThatIsTakenEndsTheDayOfTheOthers() {
        let page = InfobipAnswer.failed(Self.page, mayHaveHappened: false)
        var scene = InfobipScene()
        for _ in 0..<3 { scene.event() }
        for _ in 0..<2 { self.end(&scene, page, at: 0) }
        for hour in 1...24 { self.end(&scene, page, at: Int64(hour) * Self.hour) }
        #expect(scene.last.events.all.count == 2)
        self.end(&scene, .done, at: 24 * Self.hour)
        #expect(scene.memory.tooLarge == nil)
        self.end(&scene, page, at: 24 * Self.hour)
        #expect(scene.last.events.all.count == 1)
        #expect(scene.memory.tooLarge?.count.hours == 0)
    }

    /// The service is well: the work of other installations does not wait.
    @Test(arguments: [404, 413, 502]) func onlyTheSizeSaysNothingOfTheWay(_ status: Int) {
        var scene = InfobipScene(of: "ann")
        scene.save("a")
        let page = SignetError(.rejected, "a page", httpStatus: status)
        self.end(&scene, .failed(page, mayHaveHappened: true), at: 0)
        switch scene.machine.obstacle {
        case .content?: #expect(status == 413)
        case .service?: #expect(status != 413)
        default: Issue.record("\(String(describing: scene.machine.obstacle))")
        }
    }

    /// It replaces what was too large.
    @Test func aNewValueOfTheSameFieldIsTriedForADayOfItsOwn() {
        var scene = InfobipScene(of: "ann")
        scene.save("a")
        self.tryForHours(&scene)
        scene.save("b")
        self.end(&scene, .failed(Self.page, mayHaveHappened: false), at: 24 * Self.hour)
        #expect(scene.last.edits.fields == [.firstName])
    }

    @Test func theInstallationsNextSaveIsTriedForADayOfItsOwn() {
        var scene = InfobipScene()
        for (value, begin) in [("a", Int64(0)), ("b", 30)] {
            var changes = InfobipInstallationChanges()
            changes.applicationUserID = .set(value)
            scene.call(.saveInstallation(changes))
            self.end(&scene, .failed(Self.page, mayHaveHappened: false), at: begin * Self.hour)
            #expect(!scene.memory.installation.edits.isEmpty)
            if begin == 0 {
                for hour in 1...23 {
                    self.end(&scene, .failed(Self.page, mayHaveHappened: false), at: Int64(hour) * Self.hour)
                }
                self.end(&scene, .done, at: 24 * Self.hour)
            }
        }
    }
}
