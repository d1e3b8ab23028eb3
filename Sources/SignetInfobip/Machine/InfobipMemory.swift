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
            /// The system data that the service has refused last; nil for none.
            var refused: RefusedSystem?

            /// The time after which refused system data are sent once more, in milliseconds.
            private static let pause: Int64 = 86_400_000

            /// True if the service has refused system data with this hash in the last day.
            func hasRefused(_ hash: String, _ milliseconds: Int64) -> Bool {
                guard let refused = self.refused, refused.hash == hash else { return false }
                return (0..<Self.pause).contains(milliseconds - refused.at)
            }
        }

        struct RefusedSystem: Sendable, Hashable {
            let hash: String
            /// The time of the refusal, in milliseconds since 1970.
            let at: Int64
        }
    }

    /// The hash of the application code.
    let application: String
    /// The push token of the device.
    var token: InfobipPushToken?
    var registration = Registration.none
    /// Former registrations that are to be ended.
    var former: [String] = []
    var installation = InstallationReplica()
    var people = PersonScopes()
    /// The ordinal of the next event; never used twice.
    var nextEvent: UInt64 = 0
    /// The id of the last followed change of the installation's user.
    var followed: UUID?
    /// The count of the last content that was refused as too large; nil for none.
    var tooLarge: TooLarge?
    /// The installation's user whom Infobip knows.
    var synced: SyncedUser?

    init(application: String, isPushRegistrationEnabled: Bool = true) {
        self.application = application
        if !isPushRegistrationEnabled { self.installation.known.value.isPushRegistrationEnabled = false }
    }

    var active: Registration.Active? {
        if case .active(let active) = self.registration { active } else { nil }
    }

    /// True if requests can be sent, or will be after a registration.
    var canRegister: Bool { self.active != nil || self.token != nil }

    /// The push service; after the token is removed, the one that the service still knows.
    var pushService: String? { self.token?.service ?? self.active?.token?.service }

    /// The person in front of the app.
    var last: PersonScope {
        get { self.people.last }
        set { self.people.last = newValue }
    }

    /// The ordinals of all kept events.
    var events: [UInt64] { self.people.events }

    /// True if a login or logout of the installation's user is still to be done.
    var hasLogin: Bool { self.people.barriers.contains { !$0.origin.isNoLogin } }

    /// The person with all pending changes; a pending primary flag of this installation shows in their list, too.
    var user: InfobipUser {
        var user = self.last.user
        if let isPrimary = self.installation.edits.changes.isPrimary, let id = self.active?.id {
            user.setPrimary(id, isPrimary)
        }
        return user
    }

    /// The installation with all pending changes, as `device` describes it.
    func profile(on device: InfobipDevice) -> InfobipInstallation {
        var replica = self.installation
        // They belong to the person who leaves.
        if self.last.isComing { replica.clearPerson() }
        var profile = replica.known.value.applying(replica.edits.changes)
        profile.pushRegistrationID = self.active?.id
        profile.pushServiceType = self.token?.service ?? profile.pushServiceType
        profile.pushServiceToken = self.token.map { Secret($0.token) }
        return device.applied(to: profile)
    }

    /// True if changes of the app have not reached the service; what waits for a person's return does not count.
    var hasPendingChanges: Bool {
        !self.installation.edits.isEmpty
            || self.people.all.contains { !$0.edits.isEmpty || !$0.barriers.isEmpty }
    }

    /// The time after registration in which notifications are reported as enabled, in milliseconds.
    ///
    /// The user's choice does not matter then.
    private static let settling: Int64 = 3_600_000

    /// True before registration and in the first hour after it: the user may not have been asked about notifications
    /// yet.
    func isFresh(_ milliseconds: Int64) -> Bool {
        self.active.map { milliseconds - $0.at < Self.settling } ?? true
    }

    /// The same without personal data, for a disk that must have none.
    var withoutUser: InfobipMemory {
        var memory = self
        // It is taken over again from the installation, which knows the user.
        if self.hasLogin { (memory.followed, memory.synced) = (nil, nil) }
        memory.people = self.people.withoutUser
        return memory
    }

    /// True if something is to be sent, now or when somebody returns, that ``withoutUser`` lacks.
    var hasUnsentOfPeople: Bool {
        !self.people.parked.isEmpty || self.people.all.contains { !$0.isSent || $0.awaitsAttachOfApp }
    }

    /// True if a process has something to send without the app.
    ///
    /// What the system is now does not count: it is sent when the installation is used again, not for each installation at a deploy.
    var isDue: Bool {
        let hash = self.active?.systemHash ?? ""
        let machine = InfobipStateMachine(restoring: self, systemHash: (hash, hash))
        return machine.hasWork(now: .zero, milliseconds: 0)
    }

    /// The work that the service has to do without a call of the app.
    func due(isOptedOut: Bool) -> ServiceDue {
        var people = self.people
        people.forgetUse()
        if isOptedOut, people != self.people { return .due }
        if self.isDue { return isOptedOut ? .awaitsApp("an opt-in") : .due }
        let isWaiting = self.hasPendingChanges || !self.events.isEmpty
        return isWaiting && !self.canRegister ? .awaitsApp("a push token") : .nothing
    }

    // MARK: - Calls

    /// Keeps an event of the person in front of the app.
    mutating func add(_ element: [UInt8]) -> StoredInfobipEvent {
        let ordinal = self.nextEvent
        self.nextEvent += 1
        self.last.events.append(ordinal..<(ordinal + 1))
        return StoredInfobipEvent(ordinal: ordinal, element: element)
    }

    /// Forgets people who have left.
    ///
    /// - Returns: Their events.
    mutating func forgetLeft() -> [UInt64] {
        let before = self.events
        // It may be of them; a start still undoes nothing that the app has changed at Infobip itself.
        self.synced = self.synced?.forgotten
        self.people.forgetLeft()
        let kept = Set(self.events)
        return before.filter { !kept.contains($0) }
    }

    // MARK: - Answers

    /// Records the push token and the system data that the service has.
    mutating func reported(_ token: InfobipPushToken?, _ system: String?) {
        guard case .active(var active) = self.registration else { return }
        active.token = token ?? active.token
        active.systemHash = system ?? active.systemHash
        if system != nil { active.refused = nil }
        self.registration = .active(active)
    }

    /// Records the hash of system data that the service has refused.
    ///
    /// On disk, so that no start or visit of the next day sends them.
    mutating func refused(_ system: String, _ milliseconds: Int64) {
        guard case .active(var active) = self.registration else { return }
        active.refused = .init(hash: system, at: milliseconds)
        self.registration = .active(active)
    }

    /// Takes over what an answer about the person says of this installation.
    mutating func learn(_ user: InfobipUser) {
        let own = user.installations.first { $0.pushRegistrationID == self.active?.id }
        if let own { self.installation.learn(own) }
    }

    /// Sends everything again if the service has lost more than a registration.
    ///
    /// If the service knows the person, its data wins, because another device may have changed it since. It knows them if
    /// it has anything but the identity that was sent.
    ///
    /// - Parameters:
    ///   - before: What was known of the person, whose scope is the first now.
    ///   - user: The answer.
    mutating func restored(_ before: InfobipUser?, _ user: InfobipUser) {
        let others = user.installations.filter { $0.pushRegistrationID != self.active?.id }
        // The flag counted among the installations without a person until this one had its person again.
        if self.installation.known.value.isPrimary, self.installation.edits.changes.isPrimary == nil,
            !others.contains(where: \.isPrimary)
        {
            var changes = InfobipInstallationChanges()
            changes.isPrimary = true
            self.installation.edits.set(changes, number: self.people.newNumber())
        }
        guard let before, others.isEmpty,
            InfobipUser().applying(before.leadingIdentity.changes).lacking(user.asChanges).isEmpty
        else { return }
        self.people[self.people.all[0].id]?.edits.add(InfobipEdits(user.lacking(before.asChanges), number: 0))
    }
}
