//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

/// What an installation remembers of its profile: what the service has, and what it is still to be told.
struct InfobipMemory: Sendable, Hashable {
    /// What the service has given the installation.
    struct Registration: Sendable, Hashable {
        /// The id.
        var id: String
        /// The push token that the service has.
        var token: InfobipPushToken?
        /// What it runs on, as the service has it, by a hash.
        var systemHash: String?
        /// When it was registered, in milliseconds since 1970.
        var at: Int64
    }

    /// How far a depersonalize is.
    struct Depersonalization: Sendable, Hashable {
        /// What the app is told of it.
        enum Status: String, Sendable, Hashable {
            case undefined, pending, success
        }

        var status = Status.undefined
        /// Whether the service is still to do it.
        var isRequested = false
        /// How often the service has refused it since it was asked for.
        var failures = 0
    }

    /// What the service is to be told anew after it has lost a registration.
    enum Recovery: String, Sendable, Hashable {
        /// Nothing.
        case none
        /// Whose the new registration is.
        case identity
        /// What else was known of them, if it does not know that any more.
        case details
    }

    /// What is not known since a personalize had no answer.
    enum Doubt: String, Sendable, Hashable {
        /// Nothing.
        case none
        /// What the service knows of the person.
        case details
        /// Who the person is.
        case person
    }

    /// What the installation's user asks for.
    struct Linked: Sendable, Hashable {
        /// The name of the change of the user.
        let id: UUID
        /// Who it is to be; nil for nobody.
        let identity: InfobipIdentity?
        /// What waited to be saved of what it says itself, when it was asked for.
        var old = InfobipUserChanges()
    }

    /// A personalize that has no answer: it may have happened.
    struct Unanswered: Sendable, Hashable {
        /// What it says of the person.
        let said: InfobipUserChanges
        /// Of that, what may have been so before it, and so is no sign of it.
        let known: InfobipUserChanges
        /// What waited to be saved of what it says itself: old, if it has happened.
        var old: InfobipUserChanges
    }

    /// The application, by the hash of its code.
    var application: String
    /// The push token of the device.
    var token: InfobipPushToken?
    /// Nil before the first, and when it was lost.
    var registration: Registration?
    /// Registrations from before, to be ended.
    var former: [String] = []
    /// The person as the service knows it, as far as it has said so.
    var user = InfobipUser()
    /// What is to change of the person.
    var userChanges = InfobipUserChanges()
    /// Who somebody is who is to go, where the service has not heard of them: it has to before it is told what was theirs.
    var introduction: InfobipIdentity?
    /// What is to change of the person before, as the last thing before a depersonalize.
    var farewell = InfobipUserChanges()
    /// The installation as the service knows it.
    var profile = InfobipInstallation()
    /// What is to change of the installation.
    var installationChanges = InfobipInstallationChanges()
    var depersonalization = Depersonalization()
    var recovery = Recovery.none
    var doubt = Doubt.none
    /// Whether what the service has of the installation is not known: what was refused may have been taken before.
    var isInfobipDoubted = false
    /// What has had no answer since the service said last who the person is, in order.
    var unanswered: [Unanswered] = []
    /// The first event that is kept, and the one after the last.
    var events: Range<UInt64> = 0..<0 {
        // What comes again under the same number is another event.
        didSet {
            self.untold = self.untold.clamped(to: self.events)
            self.leaving = min(self.leaving, self.events.upperBound)
        }
    }
    /// The event from which on they are of whoever comes; those before are of whoever is to go.
    var leaving: UInt64 = 0
    /// The event from which on they are of whoever the app takes the person for, while nobody knows whether a forced
    /// personalize without an answer has happened; nil when that is known.
    var doubted: UInt64?
    /// Who is to go, where that decides whether the doubted events are told; nil for nobody.
    var departed: InfobipIdentity?
    /// Events among those that are kept that nobody is told of any more, wherever a removal has not come to its end.
    var untold: Range<UInt64> = 0..<0
    /// Sessions that the service does not know to their end.
    var sessions = InfobipSessions()

    /// The change of the installation's user that was taken over last, by its name.
    var followed: UUID?
    /// What that asks for, until the service has done it.
    var linked: Linked?
    /// Whether the installation was somebody's when the service was heard last; known also where nobody is on disk.
    var isPersonalized = false

    init(application: String, isPushRegistrationEnabled: Bool = true) {
        self.application = application
        if !isPushRegistrationEnabled { self.profile.isPushRegistrationEnabled = false }
    }

    /// The push service; one whose token was taken away is the one that the service still knows.
    var pushService: String? {
        self.token?.service ?? self.registration?.token?.service
    }

    /// The same without anything of a person: for a disk that is to have nothing of that.
    var withoutUser: InfobipMemory {
        var memory = self
        // Their ordinals are not used again in this life.
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
            // Taken over again from where the user is known.
            memory.followed = nil
            memory.linked = nil
        }
        return memory
    }
}
