// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

/// The persisted state of an Infobip profile: the data that the service has, and those still to be sent.
struct InfobipMemory: Sendable, Hashable {
    /// The registration that the service has given the installation.
    struct Registration: Sendable, Hashable {
        var id: String
        /// The push token that the service has.
        var token: InfobipPushToken?
        /// The hash of the system data that the service has.
        var systemHash: String?
        /// The time of the registration, in milliseconds since 1970.
        var at: Int64
    }

    /// The state of a depersonalize.
    struct Depersonalization: Sendable, Hashable {
        /// The status that the app sees.
        enum Status: String, Sendable, Hashable {
            case undefined, pending, success
        }

        var status = Status.undefined
        /// True until the service has done it.
        var isRequested = false
        /// The number of times that the service has refused it since the request.
        var failures = 0
    }

    /// The data to send again after the service has lost a registration.
    enum Recovery: String, Sendable, Hashable {
        case none
        /// The person of the new registration.
        case identity
        /// The other known data of the person, if the service has lost them.
        case details
    }

    /// The facts that are unknown since a personalize got no answer.
    enum Doubt: String, Sendable, Hashable {
        case none
        /// The service's data of the person.
        case details
        /// The identity of the person.
        case person
    }

    /// The change that the installation's user asks for.
    struct Linked: Sendable, Hashable {
        /// The id of the change of the user.
        let id: UUID
        /// The requested identity; nil to depersonalize.
        let identity: InfobipIdentity?
        /// The pending changes of the same fields at the time of the request.
        var old = InfobipUserChanges()
    }

    /// A personalize without an answer; it may have happened.
    struct Unanswered: Sendable, Hashable {
        /// The values that it sets for the person.
        let said: InfobipUserChanges
        /// The values among them that may have been so before it, and so are no sign of it.
        let known: InfobipUserChanges
        /// The pending changes of the same fields, which are old if it has happened.
        var old: InfobipUserChanges
    }

    /// The hash of the application code.
    var application: String
    /// The push token of the device.
    var token: InfobipPushToken?
    /// Nil before the first registration, and after a lost one.
    var registration: Registration?
    /// Former registrations that are to be ended.
    var former: [String] = []
    /// The person as the service has last reported.
    var user = InfobipUser()
    /// The pending changes of the person.
    var userChanges = InfobipUserChanges()
    /// The identity of the outgoing person if the service does not know them yet.
    ///
    /// The service must know them before their data are sent.
    var introduction: InfobipIdentity?
    /// The pending changes of the outgoing person, sent last before a depersonalize.
    var farewell = InfobipUserChanges()
    /// The installation as the service has it.
    var profile = InfobipInstallation()
    /// The pending changes of the installation.
    var installationChanges = InfobipInstallationChanges()
    var depersonalization = Depersonalization()
    var recovery = Recovery.none
    var doubt = Doubt.none
    /// True if the service's data of the installation are unknown: a refused change may have been taken before.
    var isInfobipDoubted = false
    /// The personalizes without an answer since the service last named the person, in order.
    var unanswered: [Unanswered] = []
    /// The range of the kept events.
    var events: Range<UInt64> = 0..<0 {
        // An event that reuses a number is another event.
        didSet {
            self.untold = self.untold.clamped(to: self.events)
            self.leaving = min(self.leaving, self.events.upperBound)
        }
    }
    /// The first event of the next person; earlier ones are the outgoing person's.
    var leaving: UInt64 = 0
    /// The first event recorded after a forced personalize whose outcome is unknown; nil if there is none.
    var doubted: UInt64?
    /// The outgoing person, if they decide whether the doubted events are sent; nil if there is none.
    var departed: InfobipIdentity?
    /// Kept events that must not be sent any more, until their removal is complete.
    var untold: Range<UInt64> = 0..<0
    /// The sessions whose end the service does not know.
    var sessions = InfobipSessions()

    /// The id of the last followed change of the installation's user.
    var followed: UUID?
    /// The request of that change, until the service has done it.
    var linked: Linked?
    /// True if the installation had a person by the service's last answer; known even without user data on disk.
    var isPersonalized = false

    init(application: String, isPushRegistrationEnabled: Bool = true) {
        self.application = application
        if !isPushRegistrationEnabled { self.profile.isPushRegistrationEnabled = false }
    }

    /// The push service; after the token is removed, the one that the service still knows.
    var pushService: String? {
        self.token?.service ?? self.registration?.token?.service
    }

    /// The same without personal data, for a disk that must have none.
    var withoutUser: InfobipMemory {
        var memory = self
        // Their ordinals are not used again in this process.
        memory.events = self.events.upperBound..<self.events.upperBound
        memory.doubted = nil
        memory.departed = nil
        memory.untold = 0..<0
        memory.sessions = InfobipSessions()
        memory.user = InfobipUser()
        memory.userChanges = InfobipUserChanges()
        memory.farewell = InfobipUserChanges()
        memory.introduction = nil
        memory.unanswered = []
        if self.linked?.identity != nil {
            // It is taken over again from the installation, which knows the user.
            memory.followed = nil
            memory.linked = nil
        }
        return memory
    }
}
