// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

/// The persisted state of an Infobip profile.
struct InfobipMemory: Sendable, Hashable {
    /// The registration of the installation at the service.
    enum Registration: Sendable, Hashable {
        /// There was none yet; it takes a push token.
        case none
        case active(Active)
        /// The service has lost it; the next one has no person.
        case lost

        struct Active: Sendable, Hashable {
            var id: String
            /// The push token that the service has.
            var token: InfobipPushToken?
            /// The hash of the system data that the service has.
            var systemHash: String?
            /// The time of the registration, in milliseconds since 1970.
            var at: Int64
        }
    }

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

    /// The hash of the application code.
    var application: String
    /// The push token of the device.
    var token: InfobipPushToken?
    var registration = Registration.none
    /// Former registrations that are to be ended.
    var former: [String] = []
    var installation = InstallationReplica()
    /// Oldest first, never empty; the last one is whom the app has in front of it.
    var scopes = [PersonScope(id: 0)]
    var attachment = Attachment.known(0)
    /// The unsent data of named people who left, by ``InfobipIdentity/key``.
    var parked: [InfobipIdentity: PersonScope] = [:]
    /// The number of the last call.
    var lastNumber: UInt64 = 0
    /// The ordinal of the next event; never used twice.
    var nextEvent: UInt64 = 0
    /// The id of the last followed change of the installation's user.
    var followed: UUID?

    init(application: String, isPushRegistrationEnabled: Bool = true) {
        self.application = application
        if !isPushRegistrationEnabled { self.installation.known.value.isPushRegistrationEnabled = false }
    }

    var active: Registration.Active? {
        if case .active(let active) = self.registration { active } else { nil }
    }

    /// The push service; after the token is removed, the one that the service still knows.
    var pushService: String? { self.token?.service ?? self.active?.token?.service }

    var last: PersonScope {
        get { self.scopes[self.scopes.count - 1] }
        set { self.scopes[self.scopes.count - 1] = newValue }
    }

    /// True if the service has the person of the last scope, and no barrier waits.
    var isAttached: Bool {
        self.attachment == .known(self.last.id) && self.last.barriers.isEmpty
    }

    func index(of id: PersonScope.ID) -> Int? {
        self.scopes.firstIndex { $0.id == id }
    }

    mutating func newNumber() -> UInt64 {
        self.lastNumber += 1
        return self.lastNumber
    }

    /// The ordinals of all kept events.
    var events: [UInt64] {
        self.scopes.flatMap(\.events.all) + self.parked.values.flatMap(\.events.all)
    }

    /// True if a login or logout of the installation's user is still to be done.
    var hasLogin: Bool {
        self.scopes.contains { $0.barriers.contains { if case .login = $0.origin { true } else { false } } }
    }

    /// The same without personal data, for a disk that must have none.
    var withoutUser: InfobipMemory {
        var memory = self
        if self.hasLogin {
            // It is taken over again from the installation, which knows the user.
            memory.followed = nil
        }
        var scope = PersonScope(id: self.last.id)
        if self.last.isComing {
            scope.barriers = [.detach(self.last.barriers[0].number, .restore)]
        } else if case .moving = self.attachment {
            // The next process finds out whether a person has come.
            (scope.claim, scope.barriers) = (.named(InfobipIdentity()), [.look(self.last.barriers[0].number)])
        } else if self.last.claim != .anonymous {
            scope.claim = .named(InfobipIdentity())
        }
        memory.scopes = [scope]
        memory.attachment = scope.barriers.isEmpty ? .known(scope.id) : .moving(to: scope.id, from: nil)
        memory.parked = [:]
        return memory
    }

    // MARK: - Leaving

    /// Keeps what is left of a named person for their return.
    ///
    /// - Returns: What is dropped instead: that of no named person, or of the one who has waited for longest.
    mutating func park(_ scope: PersonScope) -> [PersonScope] {
        var scope = scope
        // A personalize that may have happened has said newer values of the same fields.
        if let attach = scope.barriers.first?.attach {
            let said = InfobipEdits(attach.personalization.changes, number: attach.number)
            scope.edits.remove(olderThan: said)
            self.strike(said, of: attach.personalization.identity, except: scope.id)
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
    mutating func strike(_ newer: InfobipEdits, of name: InfobipIdentity?, except id: PersonScope.ID) {
        guard let key = name?.key else { return }
        self.parked[key]?.edits.remove(olderThan: newer)
        if self.parked[key]?.isSent ?? false { self.parked[key] = nil }
        for index in self.scopes.indices where self.scopes[index].id != id && self.scopes[index].name?.key == key {
            self.scopes[index].edits.remove(olderThan: newer)
        }
    }
}
