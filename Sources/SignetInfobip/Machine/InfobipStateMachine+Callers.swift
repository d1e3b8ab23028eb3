// SPDX-License-Identifier: Apache-2.0

import Signet

// The answers to callers whose event has come, or will not come in their time.
extension InfobipStateMachine {
    /// Answers callers.
    mutating func end(_ tickets: [Int], _ result: InfobipCallers.Outcome) -> [Action] {
        let tickets = Set(tickets)
        return self.callers.end { tickets.contains($0.ticket) ? result : nil }
    }

    /// Ends all callers; what is kept stays pending.
    mutating func endAll(_ result: Result<Never, SignetError>) -> [Action] {
        switch result {
        case .failure(let error): self.callers.fail(error) { _ in true }
        }
    }

    /// Ends all callers, except those who wait for a registration: they wait through pauses.
    mutating func endServed(_ error: SignetError) -> [Action] {
        self.endBlocked(error) + self.callers.fail(error) { $0.event != .registration }
    }

    /// Ends the callers who wait for a change of the person, or behind it.
    mutating func endBlocked(_ error: SignetError) -> [Action] {
        let first = self.memory.last.barriers.first?.attach
        let isSeen = first.map { forced in self.callers.contains { $0 == .attach(forced.number) } } ?? false
        let actions = self.callers.fail(error) { $0.event.needsPerson || $0.event == .installation(ofPerson: true) }
        // A forced personalize that its caller saw fail is not done later.
        guard isSeen, first?.isForced ?? false else { return actions }
        let id = self.memory.last.id
        return actions + self.change { $0.abandon(id) }
    }

    /// Ends the callers whose data, person or barrier is settled.
    mutating func endOvertaken(_ outcome: InfobipCallers.Outcome? = nil, ofBarrier isBarrier: Bool = false) -> [Action]
    {
        self.callers.endOvertaken(outcome, ofBarrier: isBarrier, by: self.memory, self.inFlight?.tickets ?? [])
    }
}
