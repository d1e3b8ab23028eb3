// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetModel
import Testing

@testable import Signet
@testable import SignetIterable

/// Refusals without a reason of Iterable, and pages of what is in between.
@Suite struct IterableRefusalTests {
    private typealias Scene = IterableMachineScene

    private static let page = SignetError(.rejected, "a page", httpStatus: 400)
    private static let hour: Int64 = 3_600_000

    /// Ends the next operation.
    ///
    /// - Returns: The names of the actions; nil if there is no operation.
    private func end(
        _ machine: inout IterableStateMachine,
        _ answer: IterableStateMachine.Answer,
        at milliseconds: Int64 = 0
    ) -> String? {
        machine.backOff.endPause()
        guard case .perform(let number, _) = machine.next(now: .zero) else { return nil }
        return Scene.name(machine.finish(number, answer, now: .zero, jitter: 0, at: milliseconds))
    }

    /// Lets the next operation meet a page in each of 23 hours.
    private func tryForHours(_ machine: inout IterableStateMachine) {
        for hour in 0...23 { _ = self.end(&machine, .unexplained(Self.page), at: Int64(hour) * Self.hour) }
        #expect(machine.memory.refusals.first?.count.hours == 23)
    }

    /// What ends the first of two tasks of one kind.
    enum Ending: CaseIterable, Sendable {
        case done, refused, givenUp

        var answer: IterableStateMachine.Answer {
            switch self {
            case .done: .done
            case .refused: .refused(SignetError(.rejected, "no", httpStatus: 400))
            case .givenUp: .unexplained(SignetError(.rejected, "a page", httpStatus: 400))
            }
        }
    }

    @Test(arguments: Ending.allCases, [true, false])
    func theNextTaskIsTriedForADayOfItsOwn(_ ending: Ending, _ waits: Bool) throws {
        var machine = Scene.machine(in: .known)
        _ = machine.changeEmail("b@example.com")
        if waits { _ = machine.changeEmail("c@example.com") }
        self.tryForHours(&machine)
        let last = Int64(24) * Self.hour
        #expect(try #require(self.end(&machine, ending.answer, at: last)).contains("save"))
        #expect(machine.memory.refusals.isEmpty)
        if !waits { _ = machine.changeEmail("c@example.com") }
        #expect(machine.memory.turns.first?.tasks == [.changeEmail("c@example.com")])
        _ = self.end(&machine, .unexplained(Self.page), at: last + 2 * Self.hour)
        #expect(machine.memory.turns.first?.tasks == [.changeEmail("c@example.com")])
        #expect(machine.memory.refusals.first?.count.hours == 0)
    }

    /// Otherwise each poisoned record of some visitor makes all wait, again and again.
    @Test func onlyTheFirstPageSaysSomethingOfTheWay() throws {
        var machine = Scene.machine(in: .known)
        _ = machine.record(.customEvent("e", at: 1), id: .random())
        _ = self.end(&machine, .unexplained(Self.page))
        guard case .service? = machine.obstacle else {
            Issue.record("\(String(describing: machine.obstacle))")
            return
        }
        // A later process, too, knows that it has been refused.
        var next = IterableStateMachine(
            restoring: machine.memory,
            records: machine.records,
            isEnabled: true,
            threshold: 2,
            queueLimit: 4
        )
        _ = self.end(&next, .unexplained(Self.page), at: Self.hour)
        guard case .content? = next.obstacle else {
            Issue.record("\(String(describing: next.obstacle))")
            return
        }
    }

    /// Tasks go before records: an app that sets its token at each start sends one a day.
    @Test func anotherTaskThatIsDoneDoesNotBeginTheDayAnew() throws {
        var machine = Scene.machine(in: .known)
        _ = machine.record(.customEvent("e", at: 1), id: .random())
        self.tryForHours(&machine)
        _ = machine.changeEmail("b@example.com")
        _ = self.end(&machine, .done)
        #expect(machine.memory.turns.first?.tasks == [])
        #expect(machine.memory.refusals.first?.count.hours == 23)
        let actions = self.end(&machine, .unexplained(Self.page), at: 24 * Self.hour)
        #expect(try #require(actions).contains("remove"))
        #expect(machine.records.isEmpty)
    }

    @Test func aRecordThatIsTakenAfterAllIsForgottenOnDiskToo() throws {
        var machine = Scene.machine(in: .known)
        _ = machine.record(.customEvent("e", at: 1), id: .random())
        self.tryForHours(&machine)
        #expect(try #require(self.end(&machine, .done)).contains("save"))
        #expect(machine.memory.refusals.isEmpty)
    }

    /// Otherwise n records of one visitor wait for n days, one after the other.
    @Test func recordsThatHaveWaitedThroughTheDayShareIt() throws {
        var machine = Scene.machine(in: .known)
        for time in 1...3 { _ = machine.record(.customEvent("e", at: Int64(time)), id: .random()) }
        _ = self.end(&machine, .unexplained(Self.page))
        // It comes later, and has a day from then on.
        _ = machine.record(.customEvent("late", at: 4), id: .random())
        for hour in 1...23 { _ = self.end(&machine, .unexplained(Self.page), at: Int64(hour) * Self.hour) }
        #expect(machine.records.count == 4)
        for left in [3, 2, 1] {
            let actions = self.end(&machine, .unexplained(Self.page), at: 24 * Self.hour)
            #expect(try #require(actions).contains("remove"))
            #expect(machine.records.count == left)
        }
        #expect(machine.memory.refusals.isEmpty)
        for hour in 24...47 { _ = self.end(&machine, .unexplained(Self.page), at: Int64(hour) * Self.hour) }
        #expect(machine.records.count == 1)
        _ = self.end(&machine, .unexplained(Self.page), at: 48 * Self.hour)
        #expect(machine.records.isEmpty)
    }

    /// The way is open, so the next refusal is another matter; so is one with another status.
    @Test(arguments: [true, false]) func recordsShareOneObstacleOnly(_ isOpen: Bool) {
        var machine = Scene.machine(in: .known)
        for time in 1...3 { _ = machine.record(.customEvent("e", at: Int64(time)), id: .random()) }
        self.tryForHours(&machine)
        _ = self.end(&machine, .unexplained(Self.page), at: 24 * Self.hour)
        #expect(machine.records.count == 2)
        if isOpen {
            _ = self.end(&machine, .done, at: 24 * Self.hour)
            #expect(machine.memory.refusals.isEmpty)
        }
        let status = isOpen ? 400 : 413
        let page = SignetError(.rejected, "a page", httpStatus: status)
        let count = machine.records.count
        _ = self.end(&machine, .unexplained(page), at: 25 * Self.hour)
        #expect(machine.records.count == count)
        #expect(machine.memory.refusals.last?.status == status)
        #expect(machine.memory.refusals.last?.count.hours == 0)
    }

    /// Their turns begin with the same record.
    @Test func anErasedUsersHoursAreNotThoseOfTheNext() throws {
        var machine = IterableStateMachine(
            restoring: IterableMemory(),
            records: [],
            isEnabled: true,
            threshold: 2,
            queueLimit: 9
        )
        _ = machine.setPushToken(Scene.push)
        _ = machine.identify(Scene.ann, replays: true, merges: true, mpid: MPID(rawValue: 1))
        // The token is there.
        _ = self.end(&machine, .done)
        self.tryForHours(&machine)
        let before = try #require(machine.memory.turns.first)
        _ = machine.forget { $0 == MPID(rawValue: 1) }
        _ = machine.identify(Scene.bob, replays: true, merges: true, mpid: MPID(rawValue: 2))
        #expect(machine.memory.turns.first?.born == before.born)
        _ = self.end(&machine, .done)
        let tasks = machine.memory.turns.first?.tasks
        _ = self.end(&machine, .unexplained(Self.page), at: 24 * Self.hour)
        #expect(machine.memory.turns.first?.tasks == tasks)
    }

    /// What Iterable itself says later is the truth.
    @Test(arguments: [301, 302, 303, 307, 308, 402, 404, 405, 407, 408, 409, 410, 413, 421, 425])
    func aPageHasMergedNothing(_ status: Int) throws {
        for code in [SignetError.Code.serverFailure, .unexpectedAnswer, .rejected] {
            var machine = Scene.machine(in: .merging)
            let page = SignetError(code, "a page", httpStatus: status)
            _ = self.end(&machine, code == .rejected ? .unexplained(page) : .failed(page))
            #expect(machine.uncertainMerge == nil)
            let actions = self.end(&machine, .refused(SignetError(.rejected, "no such user", httpStatus: 400)))
            #expect(try #require(actions).contains("tell mergeFailed"), "\(code)")
        }
    }

    @Test(arguments: [302, 408, 422, 451]) func aPageIsNotRepeatedAtOnce(_ status: Int) {
        var machine = Scene.machine(in: .unknown)
        _ = machine.record(.customEvent("f", at: 2), id: .random())
        var pauses: [Duration] = []
        for _ in 0..<6 {
            let code: SignetError.Code = status < 400 ? .unexpectedAnswer : .serverFailure
            _ = self.end(&machine, .failed(SignetError(code, "a page", httpStatus: status)))
            pauses.append(machine.pausedUntil ?? .zero)
        }
        #expect(pauses == [5, 15, 60, 120, 300, 300].map { .seconds($0) })
    }
}
