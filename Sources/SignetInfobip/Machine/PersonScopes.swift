// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

/// Whose data is whose: the people in front of the app, one after another, and which of them the service has.
///
/// A change that gives up data returns the scopes that hold it.
struct PersonScopes: Sendable, Hashable {
    /// The state at the service.
    enum Attachment: Sendable, Hashable {
        /// The person of this scope.
        case known(PersonScope.ID)
        /// The first barrier of `to` is or may be on the wire. `from` is surely still there; nil after any attempt without
        /// an answer, and after a relaunch.
        case moving(to: PersonScope.ID, from: PersonScope.ID?)
    }

    /// The most people whose data waits for their return; then the oldest data is dropped.
    static let mostParked = 32

    /// Oldest first, never empty; the last one is whom the app has in front of it.
    private(set) var all: [PersonScope]
    private(set) var attachment: Attachment
    /// The unsent data of named people who left, by ``InfobipIdentity/key``.
    private(set) var parked: [InfobipIdentity: PersonScope] = [:]
    /// The number of the last call.
    private(set) var lastNumber: UInt64

    /// A scope without a person; numbers continue from its id.
    init(first: PersonScope.ID = 0) {
        self.init([PersonScope(id: first)], attachment: .known(first), lastNumber: first)
    }

    init(
        _ all: [PersonScope],
        attachment: Attachment,
        parked: [InfobipIdentity: PersonScope] = [:],
        lastNumber: UInt64
    ) {
        (self.all, self.attachment, self.parked, self.lastNumber) = (all, attachment, parked, lastNumber)
    }

    var last: PersonScope {
        get { self.all[self.all.count - 1] }
        set { self.all[self.all.count - 1] = newValue }
    }

    /// A scope; nil if it is gone, and then changes have no effect.
    subscript(id: PersonScope.ID) -> PersonScope? {
        get { self.index(of: id).map { self.all[$0] } }
        set { if let newValue, let index = self.index(of: id) { self.all[index] = newValue } }
    }

    func index(of id: PersonScope.ID) -> Int? {
        self.all.firstIndex { $0.id == id }
    }

    /// The known scope of a person who leaves, and whose data gets one attempt.
    var leaving: PersonScope? {
        if case .known(let id) = self.attachment, id != self.last.id { self[id] } else { nil }
    }

    /// True if the service has the person of the last scope, and no barrier waits.
    var isAttached: Bool {
        self.attachment == .known(self.last.id) && self.last.barriers.isEmpty
    }

    /// All barriers, in the order in which they were asked for.
    var barriers: [PersonScope.Barrier] { self.all.flatMap(\.barriers) }

    /// The ordinals of all kept events.
    var events: [UInt64] {
        self.all.flatMap(\.events.all) + self.parked.values.flatMap(\.events.all)
    }

    mutating func newNumber() -> UInt64 {
        self.lastNumber += 1
        return self.lastNumber
    }

    /// The same without personal data.
    var withoutUser: PersonScopes {
        var scope = PersonScope(id: self.last.id)
        if self.last.isComing {
            scope.barriers = [.detach(self.last.barriers[0].number, .restore)]
        } else if case .moving = self.attachment {
            // The next process finds out whether a person has come.
            (scope.claim, scope.barriers) = (.named(InfobipIdentity()), [.look(self.last.barriers[0].number)])
        } else if self.last.claim != .anonymous {
            scope.claim = .named(InfobipIdentity())
        }
        let attachment: Attachment =
            scope.barriers.isEmpty ? .known(scope.id) : .moving(to: scope.id, from: nil)
        return PersonScopes([scope], attachment: attachment, lastNumber: self.lastNumber)
    }

    // MARK: - Asked for

    /// Opens a scope that a barrier leads to.
    mutating func open(_ barrier: PersonScope.Barrier) -> [PersonScope] {
        var scope = PersonScope(id: self.newNumber(), barriers: [barrier])
        if let attach = barrier.attach { scope.own = attach.changes.fields }
        self.all.append(scope)
        return self.prune()
    }

    /// Adds an unforced personalize to the barriers of the last scope; the same one twice in a row is done once.
    ///
    /// - Returns: The number of the earlier one, in whose place it goes.
    mutating func add(_ attach: PersonScope.Attach, besides inFlight: PersonScope.Attach?) -> UInt64? {
        var replaced: UInt64?
        if let earlier = self.last.barriers.last?.attach, earlier != inFlight,
            earlier.personalization == attach.personalization, earlier.origin == attach.origin
        {
            replaced = earlier.number
            self.last.barriers.removeLast()
        }
        self.last.own.formUnion(attach.changes.fields)
        self.last.barriers.append(.attach(attach))
        return replaced
    }

    /// Parks or drops scopes that are never entered any more.
    ///
    /// Of these, one empty one stays: if the last scope is refused, the person of before must leave all the same.
    private mutating func prune() -> [PersonScope] {
        var used: Set<PersonScope.ID> = [self.last.id]
        switch self.attachment {
        case .known(let id): used.insert(id)
        case .moving(let to, let from): used.formUnion([to] + (from.map { [$0] } ?? []))
        }
        var (kept, left): ([PersonScope], [PersonScope]) = ([], [])
        for scope in self.all {
            guard !used.contains(scope.id) else {
                kept.append(scope)
                continue
            }
            left.append(scope)
            // Before all that may still be there, nothing is returned to.
            if kept.isEmpty { continue }
            if let before = kept.last, !used.contains(before.id) { kept.removeLast() }
            let number = scope.barriers.first?.number ?? scope.id
            kept.append(PersonScope(id: self.newNumber(), barriers: [.detach(number, .restore)]))
        }
        self.all = kept
        return left.flatMap { self.park($0) }
    }

    // MARK: - Sent

    /// The first barrier of a scope is or may be on the wire from now on.
    mutating func move(to scope: PersonScope.ID) {
        switch self.attachment {
        case .known(let from), .moving(_, let from?): self.attachment = .moving(to: scope, from: from)
        case .moving(_, nil): self.attachment = .moving(to: scope, from: nil)
        }
    }

    /// There was no answer, or none from the service: the barrier is repeated.
    mutating func unanswered(mayHaveHappened: Bool) {
        guard case .moving(let to, let from) = self.attachment else { return }
        if mayHaveHappened {
            self.attachment = .moving(to: to, from: nil)
        } else if let from {
            self.attachment = .known(from)
        }
    }

    // MARK: - Done

    /// The service has the person of a scope: all earlier ones have left.
    private mutating func enter(_ id: PersonScope.ID) -> [PersonScope] {
        var dropped: [PersonScope] = []
        while let first = self.all.first, first.id != id {
            self.all.removeFirst()
            dropped += self.park(first)
        }
        self.attachment = .known(id)
        return dropped
    }

    /// Enters the last scope at once: the service has never heard of the installation.
    mutating func enterUnheard() -> [PersonScope] {
        self.last.barriers = []
        return self.enter(self.last.id)
    }

    /// The service has done a personalize.
    mutating func attached(_ attach: PersonScope.Attach, in id: PersonScope.ID, as user: InfobipUser) -> [PersonScope] {
        guard var scope = self[id], let index = self.index(of: id) else { return [] }
        let rest = Array(scope.barriers.dropFirst())
        let asked = attach.personalization.identity
        let answered = user.hasIdentity ? user.identity : asked
        let isNamed = attach.origin != .restore || scope.claim != .anonymous
        var dropped: [PersonScope] = []
        if !attach.isForced, !scope.claim.isSame(asAnswered: user) {
            // The person of the scope was logged out from elsewhere.
            scope.barriers = []
            dropped += self.park(scope)
            scope = PersonScope(id: self.newNumber())
        } else if attach.origin != .restore {
            scope.edits.remove(olderThan: attach.said)
        }
        scope.barriers = rest
        if isNamed { scope.claim = .named(answered) }
        scope.snapshot = .exact(user)
        self.all[index] = scope
        dropped += self.enter(scope.id)
        // A restore says nothing new.
        if attach.origin != .restore { self.strike(attach.said, of: answered, except: scope.id) }
        // A name that was asked for and is another person's in the answer names no person here.
        let isAnswered = asked.externalUserID == nil || asked.externalUserID == answered.externalUserID
        for name in isAnswered ? [asked, answered] : [answered] {
            if let parked = self.parked.removeValue(forKey: name.key) { self.all[0].take(parked) }
        }
        return dropped
    }

    /// The service has done a depersonalize.
    mutating func detached(_ id: PersonScope.ID) -> [PersonScope] {
        guard var scope = self[id] else { return [] }
        scope.endBarrier()
        (scope.claim, scope.snapshot) = (.anonymous, nil)
        self[id] = scope
        return self.enter(id)
    }

    /// A look has found a person: the one of the scope, or another one, who must leave.
    mutating func looked(_ id: PersonScope.ID, _ user: InfobipUser) -> [PersonScope] {
        guard var scope = self[id], scope.claim.isSame(asLooked: user) else { return self.abandon(id) }
        scope.endBarrier()
        scope.find(user)
        self[id] = scope
        return self.enter(id)
    }

    /// The service has taken edits.
    mutating func saved(_ edits: InfobipUserEdits, in id: PersonScope.ID) {
        guard var scope = self[id] else { return }
        scope.saved(edits)
        self[id] = scope
        self.strike(edits, of: scope.name, except: id)
    }

    // MARK: - Not done

    /// The service has refused a personalize.
    mutating func refused(_ attach: PersonScope.Attach, in id: PersonScope.ID) -> [PersonScope] {
        guard case .moving(_, let from) = self.attachment, var scope = self[id] else { return [] }
        if attach.isForced {
            guard let from, from != id, attach.origin.isNoLogin else { return self.abandon(id) }
            // Nothing has changed.
            self.all.removeAll { $0.id == id }
            self.attachment = .known(from)
            return self.park(scope)
        }
        if attach.origin == .restore { return self.abandon(id) }
        scope.endBarrier()
        if let from {
            self.attachment = .known(from)
            self[id] = scope
            return []
        }
        // An earlier attempt may have happened, and then what it has said is newer than the saves before it.
        let number = self.newNumber()
        scope.barriers.insert(scope.claim == .anonymous ? .detach(number, .restore) : .look(number), at: 0)
        var old = scope.edits
        scope.edits.remove(olderThan: attach.said)
        old.remove(scope.edits.fields)
        self[id] = scope
        self.strike(attach.said, of: attach.personalization.identity, except: id)
        return [PersonScope(id: id, edits: old)]
    }

    /// Replaces a refused personalize by the same one with force: the installation belongs to an unknown person, who must
    /// leave.
    mutating func force(_ attach: PersonScope.Attach, in id: PersonScope.ID) {
        var forced = attach
        forced.personalization.options.insert(.forceDepersonalize)
        self[id]?.endBarrier()
        self[id]?.barriers.insert(.attach(forced), at: 0)
        self.unanswered(mayHaveHappened: false)
    }

    /// Lets the person of before leave, ahead of the barriers of a scope.
    mutating func detachFirst(_ id: PersonScope.ID) {
        let number = self.newNumber()
        self[id]?.barriers.insert(.detach(number, .restore), at: 0)
    }

    /// Gives up the person of a scope: their data is parked, and no person comes in their place.
    ///
    /// Later requests of the app are still done.
    mutating func abandon(_ id: PersonScope.ID) -> [PersonScope] {
        guard let index = self.index(of: id) else { return [] }
        var scope = self.all[index]
        var anonymous = PersonScope(id: self.newNumber())
        anonymous.barriers = [.detach(self.newNumber(), .restore)] + scope.barriers.dropFirst()
        // The refused name counts, and not one that waits behind it.
        scope.barriers = Array(scope.barriers.prefix(1))
        let dropped = self.park(scope)
        self.all[index] = anonymous
        switch self.attachment {
        case .known(id): self.attachment = .moving(to: anonymous.id, from: nil)
        case .moving(id, let from): self.attachment = .moving(to: anonymous.id, from: from == id ? nil : from)
        case .known, .moving: break
        }
        return dropped
    }

    /// The service has lost the registration; no barrier ends by that.
    mutating func lost() {
        let identity = self.last.restoredIdentity
        if case .look = self.last.barriers.first { self.last.barriers.removeFirst() }
        if !self.last.isComing {
            guard let identity else {
                // A scope without a name is known at once.
                let known = self.last.snapshot?.value ?? InfobipUser()
                self.last.edits.add(InfobipEdits(known.asChanges, number: 0))
                self.last.snapshot = nil
                self.attachment = .known(self.last.id)
                return
            }
            if self.last.barriers.first?.origin != .restore {
                let isLead = self.last.snapshot?.value.type == .lead
                let restore = InfobipCall.Personalization(
                    identity: identity,
                    attributes: nil,
                    options: isLead ? .keepAsLead : []
                )
                let number = self.newNumber()
                self.last.barriers.insert(
                    .attach(.init(number: number, personalization: restore, origin: .restore)),
                    at: 0
                )
            }
        }
        self.attachment = .moving(to: self.last.id, from: nil)
    }

    // MARK: - Leaving

    /// Keeps what is left of a named person for their return.
    ///
    /// - Returns: What is dropped instead: that of no named person, or of the one who has waited for longest.
    private mutating func park(_ scope: PersonScope) -> [PersonScope] {
        var scope = scope
        // A personalize that may have happened has said newer values of the same fields.
        if let attach = scope.barriers.first?.attach {
            scope.edits.remove(olderThan: attach.said)
            self.strike(attach.said, of: attach.personalization.identity, except: scope.id)
        }
        guard !scope.isSent else { return [] }
        guard let name = scope.name else { return [scope] }
        var parked = PersonScope(id: scope.id, edits: scope.edits, events: scope.events, sessions: scope.sessions)
        if let earlier = self.parked[name.key] { parked.take(earlier) }
        self.parked[name.key] = parked
        guard self.parked.count > Self.mostParked,
            let oldest = self.parked.min(by: { $0.value.id < $1.value.id })?.key,
            let dropped = self.parked.removeValue(forKey: oldest)
        else { return [] }
        return [dropped]
    }

    /// Removes values of a person that were saved before others of the same fields.
    private mutating func strike(_ newer: InfobipUserEdits, of name: InfobipIdentity?, except id: PersonScope.ID) {
        guard let key = name?.key else { return }
        self.parked[key]?.edits.remove(olderThan: newer)
        if self.parked[key]?.isSent ?? false { self.parked[key] = nil }
        for index in self.all.indices where self.all[index].id != id && self.all[index].name?.key == key {
            self.all[index].edits.remove(olderThan: newer)
        }
    }

    // MARK: - Forgetting

    /// Forgets the use of the app by all people: unsent events and sessions.
    mutating func forgetUse() {
        for index in self.all.indices { self.all[index].forgetUse() }
        for key in self.parked.keys { self.parked[key]?.forgetUse() }
        self.parked = self.parked.filter { !$0.value.isSent }
    }

    /// Forgets people who have left; a refusal returns to none of them.
    mutating func forgetLeft() {
        for index in self.all.indices.dropLast() {
            let isMoving = if case .moving(self.all[index].id, _) = self.attachment { true } else { false }
            self.all[index].forget(isMoving: isMoving)
        }
        self.parked = [:]
        switch self.attachment {
        case .known(let id) where id != self.last.id: self.attachment = .moving(to: self.last.id, from: nil)
        case .moving(let to, let from) where from != self.last.id: self.attachment = .moving(to: to, from: nil)
        case .known, .moving: break
        }
    }
}
