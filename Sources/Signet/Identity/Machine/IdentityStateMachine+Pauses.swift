// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

// Between two tries of one call, a call of the app keeps its slot; one of Signet's own yields it (design, law 3).
extension IdentityStateMachine {
    /// Begins the pause after a failed try that will be repeated.
    ///
    /// - Returns: The next call, if a call of the app waited for one of Signet's own; otherwise nil.
    mutating func pause(_ number: Int) -> Int? {
        guard case .sending(let ticket, let plan) = self.slot, ticket.number == number else { return nil }
        guard ticket.call.isOwn, let first = self.waiting.firstIndex(where: { !$0.call.isOwn }) else {
            self.slot = .pausing(ticket, plan)
            return nil
        }
        let next = self.waiting.remove(at: first)
        self.displaced.append(ticket)
        self.slot = .reserved(next)
        return next.number
    }

    /// Decides what to send for a call that has its turn, or whose pause is over.
    mutating func nextTry(_ number: Int, now: Int64) -> SendAction {
        self.isReserved(number) ? self.startSending(number, now: now) : self.resume(number, now: now)
    }

    /// Ends the pause of a call and applies the changes made during it.
    ///
    /// - Returns: The next action; also `ignore` if another call has the slot, and this one waits for its turn.
    mutating func resume(_ number: Int, now: Int64) -> SendAction {
        if case .pausing(let ticket, let plan) = self.slot, ticket.number == number {
            if let obstacle = self.obstacle(to: plan) { return .finish(.failed(obstacle), next: self.passOn()) }
            let plan = self.planToRepeat(plan, of: ticket)
            self.slot = .sending(ticket, plan)
            return .send(plan)
        }
        guard let index = self.displaced.firstIndex(where: { $0.number == number }) else { return .ignore }
        let ticket = self.displaced.remove(at: index)
        guard case .free = self.slot else {
            self.waiting.append(ticket)
            return .ignore
        }
        self.slot = .reserved(ticket)
        return self.startSending(number, now: now)
    }

    /// Stops retrying a call that pauses.
    ///
    /// - Returns: `withdrawn` with the next call if it paused; otherwise `ignore`.
    mutating func giveUpRepeating(_ number: Int) -> WithdrawAction {
        if case .pausing(let ticket, _) = self.slot, ticket.number == number {
            return .withdrawn(next: self.passOn())
        }
        guard let index = self.displaced.firstIndex(where: { $0.number == number }) else { return .ignore }
        self.displaced.remove(at: index)
        return .withdrawn(next: nil)
    }

    /// True if the call has its turn or is between two tries: it may still be sent.
    func isUnderWay(_ number: Int) -> Bool {
        self.slot.ticket?.number == number || self.displaced.contains { $0.number == number }
    }

    private func obstacle(to plan: IdentityPlan) -> SignetError? {
        // A user who was erased in the pause is not changed any more.
        if case .modify(let mpid, _, _) = plan, self.state.directory.entries[mpid] == nil { return .noUser }
        return self.state.isOptedOut ? .optedOut : nil
    }

    /// The same plan again, without a user who was erased in the pause.
    private func planToRepeat(_ plan: IdentityPlan, of ticket: Ticket) -> IdentityPlan {
        // While a call has the slot, only an erasure changes the current user.
        guard case .transition(_, _, let previous?, _, _) = plan, previous != self.state.directory.current else {
            return plan
        }
        return self.plan(for: ticket) ?? plan
    }
}
