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
        #expect(machine.memory.refusals?.count.hours == 23)
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
        #expect(machine.memory.refusals == nil)
        if !waits { _ = machine.changeEmail("c@example.com") }
        #expect(machine.memory.turns.first?.tasks == [.changeEmail("c@example.com")])
        _ = self.end(&machine, .unexplained(Self.page), at: last + 2 * Self.hour)
        #expect(machine.memory.turns.first?.tasks == [.changeEmail("c@example.com")])
        #expect(machine.memory.refusals?.count.hours == 0)
    }

    @Test func aRecordThatIsTakenAfterAllIsForgottenOnDiskToo() throws {
        var machine = Scene.machine(in: .known)
        _ = machine.record(.customEvent("e", at: 1), id: .random())
        self.tryForHours(&machine)
        #expect(try #require(self.end(&machine, .done)).contains("save"))
        #expect(machine.memory.refusals == nil)
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
    @Test(arguments: [402, 404, 405, 407, 408, 409, 410, 413, 421, 425])
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

    @Test(arguments: [408, 422, 451]) func aPageIsNotRepeatedAtOnce(_ status: Int) {
        var machine = Scene.machine(in: .unknown)
        _ = machine.record(.customEvent("f", at: 2), id: .random())
        var pauses: [Duration] = []
        for _ in 0..<6 {
            _ = self.end(&machine, .failed(SignetError(.serverFailure, "a page", httpStatus: status)))
            pauses.append(machine.pausedUntil ?? .zero)
        }
        #expect(pauses == [5, 15, 60, 120, 300, 300].map { .seconds($0) })
    }
}
