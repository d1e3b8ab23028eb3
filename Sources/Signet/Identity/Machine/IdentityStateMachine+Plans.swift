// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

// A call becomes a request, or an outcome that needs none, when its turn comes.
extension IdentityStateMachine {
    func boundUser(of call: IdentityCall) -> MPID? {
        guard case .modify(let request) = call else { return nil }
        return request.mpid ?? self.state.directory.current
    }

    /// Checks the gates that need no platform, in this order: opted out, no user, empty delta (design, law 3).
    mutating func outcomeWithoutSending(_ ticket: Ticket, now: Int64) -> IdentityOutcome? {
        if self.state.isOptedOut { return .failed(.optedOut) }
        switch ticket.call {
        case .transition, .search:
            return nil
        case .start:
            // The call paused, and the app has identified the user meanwhile.
            guard let last = self.lastTransition, last > ticket.number else { return nil }
            return self.currentUserOutcome(now: now)
        case .startIfUnknown:
            // A user has arrived while the call waited.
            return self.currentUserOutcome(now: now)
        case .pushToken:
            guard let user = self.state.directory.currentUser(now: now) else { return .failed(.noUser) }
            // An earlier login has already sent the token.
            return self.state.pushTokenChange == nil
                ? .modified(ModifyResult(user: user, isSent: false, affectedUsers: [])) : nil
        case .modify(let request):
            guard let mpid = ticket.boundUser ?? self.state.directory.current,
                let user = self.state.directory.user(mpid, now: now)
            else { return .failed(.noUser) }
            guard self.changes(request, of: mpid, for: ticket).isEmpty else { return nil }
            // The platform has these identities; the device may have had other values meanwhile.
            self.state.takeDeviceIdentities(from: self.modification(request, of: mpid, for: ticket), of: mpid)
            return .modified(ModifyResult(user: user, isSent: false, affectedUsers: []))
        }
    }

    private func currentUserOutcome(now: Int64) -> IdentityOutcome? {
        self.state.directory.currentUser(now: now).map {
            .resolved(IdentityResult(user: $0))
        }
    }

    /// The endpoint of a call that is under way, by what is known now; nil if there is no user for it.
    func route(of number: Int) -> Route? {
        let underWay = [self.slot.ticket].compactMap { $0 } + self.displaced
        guard let ticket = underWay.first(where: { $0.number == number }) else { return nil }
        switch ticket.call {
        case .transition(let transition, _): return transition.route
        case .start, .startIfUnknown: return .identify
        case .search: return .search
        case .modify, .pushToken: return (ticket.boundUser ?? self.state.directory.current).map { .modify($0) }
        }
    }

    /// The request to send; nil if there is no user for it.
    func plan(for ticket: Ticket) -> IdentityPlan? {
        switch ticket.call {
        case .transition(let transition, let request):
            return self.transitionPlan(transition, self.upToDate(request, of: ticket))
        case .startIfUnknown(let request):
            return self.transitionPlan(
                .identify,
                request.map { self.upToDate($0, of: ticket) } ?? IdentityRequest()
            )
        case .start(let request):
            let stored = self.state.directory.current.map { self.state.directory.identities(of: $0) } ?? [:]
            return self.transitionPlan(
                .identify,
                request.map { self.upToDate($0, of: ticket) } ?? IdentityRequest(values: stored)
            )
        case .search(let request):
            return .search(known: request.values)
        case .modify(let request):
            guard let mpid = ticket.boundUser ?? self.state.directory.current else { return nil }
            return .modify(
                mpid,
                self.changes(request, of: mpid, for: ticket),
                request: self.modification(request, of: mpid, for: ticket)
            )
        case .pushToken:
            guard let mpid = self.state.directory.current, let change = self.state.pushTokenChange else {
                return nil
            }
            return .modify(mpid, [IdentityChange(type: .pushToken, old: change.old, new: change.new)], request: nil)
        }
    }

    private func transitionPlan(_ transition: IdentityCall.Transition, _ request: IdentityRequest) -> IdentityPlan {
        .transition(
            transition,
            known: self.state.knownIdentities(for: request),
            previous: self.state.directory.current,
            context: self.state.context,
            request: request
        )
    }

    private func changes(_ request: IdentityRequest, of mpid: MPID, for ticket: Ticket) -> [IdentityChange] {
        IdentityDelta.changes(
            from: self.state.directory.identitiesTold(of: mpid),
            to: self.modification(request, of: mpid, for: ticket).identities
        )
    }

    /// The request of a modify as of now; newer device identities replace its own if it is about this device.
    func modification(_ request: IdentityRequest, of mpid: MPID, for ticket: Ticket) -> IdentityRequest {
        self.state.speaksOfThisDevice(request, of: mpid) ? self.upToDate(request, of: ticket) : request
    }
}
