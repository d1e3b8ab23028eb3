// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

// The changes that the platform's answers make.
extension IdentityStateMachine {
    mutating func take(
        _ answer: IdentityAnswer,
        of plan: IdentityPlan,
        for ticket: Ticket,
        now: Int64,
        _ syncStates: [ServiceSyncState],
        _ latest: UserConsent?
    ) -> Finish {
        switch (plan, answer) {
        case (_, .failed(let error)):
            return Finish(outcome: .failed(error))
        case (.transition(let call, let known, _, _, let request), .user(let reply)):
            let request = self.upToDate(request, of: ticket)
            let occasion = ticket.call.occasion
            return self.resolve(reply, call, request: request, known: known, now: now, occasion, syncStates, latest)
        case (.modify(let mpid, let changes, let request), .modified(let reply)):
            let request = request.map { self.modification($0, of: mpid, for: ticket) }
            return self.modified(mpid, changes, request: request, reply: reply, now: now, syncStates)
        case (.search, .found(let result)):
            return Finish(outcome: .searched(result))
        case (.transition, _), (.modify, _), (.search, _):
            return Finish(
                outcome: .failed(SignetError(.unexpectedAnswer, "The answer does not belong to this request."))
            )
        }
    }

    private mutating func resolve(
        _ reply: IdentityReply,
        _ call: IdentityCall.Transition,
        request: IdentityRequest,
        known: [IdentityType: String],
        now: Int64,
        _ occasion: CurrentUserUpdate.Occasion,
        _ syncStates: [ServiceSyncState],
        _ latest: UserConsent?
    ) -> Finish {
        var next = self.state
        let old = next.directory
        let before = old.currentUser(now: now)
        let isFirst = next.directory.firstUser == nil
        let resolution = next.directory.resolve(
            to: reply.mpid,
            isLoggedIn: reply.isLoggedIn,
            isLogin: call == .login,
            isEphemeral: reply.isEphemeral,
            request: request,
            now: now
        )
        if let latest { next.takeConsent(latest, of: reply.mpid, after: old) }
        if old.entries[reply.mpid] == nil { next.noteNewUser(reply.mpid) }
        next.context = reply.context
        // The identities were needed until the first user only.
        if case .request = next.pendingIdentify { next.pendingIdentify = .asKnown }
        // Device identities in the request belong to the device from now on, for all users.
        next.takeDeviceIdentities(from: request, of: reply.mpid)
        // A request cannot report a removed identity: a user who had it keeps it until a modify removes it.
        next.directory.tell(known.filter { $0.key.isDevice && $0.key != .deviceApplicationStamp }, of: reply.mpid)
        self.replaceState(next)
        guard let user = next.directory.currentUser(now: now) else {
            return Finish(outcome: .failed(.noUser))
        }
        // An ephemeral user is no longer stored; the caller gets them as of the switch.
        let previous = resolution.previous.flatMap { mpid in
            mpid == reply.mpid ? nil : next.directory.user(mpid, now: now) ?? before
        }
        let updates = next.directory.identityUpdates(since: old, of: [reply.mpid], now: now)
        let following = Following(CurrentUserUpdate(before, user, on: occasion), syncStates)
        let result = IdentityResult(
            user: user,
            previousUser: previous,
            previousGuest: previous.flatMap { old.isGuest($0.mpid) ? $0 : nil },
            matchedIdentities: reply.matchedIdentities,
            servicesFollowing: following.sorted
        )
        return Finish(
            outcome: .resolved(result),
            change: resolution.isChange ? (previous ?? before, user) : nil,
            following: following,
            firstUser: isFirst ? reply.mpid : nil,
            updates: updates
        )
    }

    private mutating func modified(
        _ mpid: MPID,
        _ changes: [IdentityChange],
        request: IdentityRequest?,
        reply: ModifyReply,
        now: Int64,
        _ syncStates: [ServiceSyncState]
    ) -> Finish {
        var next = self.state
        let old = next.directory
        if let request {
            next.directory.store(request.identities, for: mpid, now: now)
            next.takeDeviceIdentities(from: request, of: mpid)
        }
        next.directory.tell(changes, of: mpid)
        for change in reply.changes where change.mpid != mpid {
            let new = changes.first { $0.type == change.type }?.new ?? request?[change.type]
            next.directory.lose(change.type, of: change.mpid, to: new)
        }
        self.replaceState(next)
        guard let user = next.directory.user(mpid, now: now) else { return Finish(outcome: .failed(.noUser)) }
        var affectedUsers = [mpid]
        for change in reply.changes where !affectedUsers.contains(change.mpid) { affectedUsers.append(change.mpid) }
        let affected = reply.changes.map { ModifyResult.AffectedUser(mpid: $0.mpid, identityType: $0.type) }
        // Another user than the modified one may be current, and may have lost a name.
        let following = next.directory.currentUser(now: now).flatMap { current in
            Following(CurrentUserUpdate(old.currentUser(now: now), current, on: .modify), syncStates)
        }
        let result = ModifyResult(
            user: user,
            isSent: true,
            affectedUsers: affected,
            servicesFollowing: following.sorted
        )
        return Finish(
            outcome: .modified(result),
            following: following,
            updates: next.directory.identityUpdates(since: old, of: affectedUsers, now: now)
        )
    }
}

extension IdentityStateMachine.Following? {
    /// The services by name.
    fileprivate var sorted: [IdentitySyncOutcome.Service] {
        self?.services.sorted { $0.description < $1.description } ?? []
    }
}

extension IdentityCall {
    /// The kind of call, for services that follow.
    fileprivate var occasion: CurrentUserUpdate.Occasion {
        switch self {
        case .transition(.logout, _): .logout
        case .transition: .login
        case .start, .startIfUnknown: .start
        case .modify, .search, .pushToken: .modify
        }
    }
}
