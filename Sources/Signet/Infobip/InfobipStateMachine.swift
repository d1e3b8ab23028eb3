//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// Decides what becomes of a profile: what is kept, what is sent next, and what an answer means for both.
///
/// It holds what is on disk, and what is not: which request is under way, who waits for what, and how long to pause.
struct InfobipStateMachine: Sendable {
    /// What is to be done about a decision, in this order.
    enum Action: Sendable {
        /// Write the memory down.
        case save
        /// Write an event down, before the memory that counts it.
        case store(StoredInfobipEvent)
        /// Remove events that count no longer.
        case remove([UInt64])
        /// Remove events that nobody may be told of any more, and count them.
        case drop([UInt64])
        /// Count changes of a person that nobody may be told of any more.
        case dropChanges(Int)
        /// Tell whoever listens.
        case tell(InfobipUpdate.Kind)
        /// Say what became of a change of the installation's user.
        case linked(UUID, IdentitySyncOutcome.Kind)
        /// Answer a caller.
        case end(Int, Result<InfobipSaveResult, SignetError>)
    }

    /// One request.
    enum Operation: Sendable, Hashable {
        case register(InfobipInstallation, InfobipPushToken)
        case expire(String)
        /// The changes that differ from what is known; the token and what it runs on where the service has others.
        case saveInstallation(
            InfobipInstallationChanges,
            known: InfobipInstallation?,
            token: InfobipPushToken?,
            system: String?
        )
        case saveUser(InfobipUserChanges, known: InfobipUser?, isFarewell: Bool)
        /// To say whose a registration is that takes the place of a lost one.
        case restore(InfobipIdentity)
        /// To say who somebody is who is about to go, and of whom the service has not heard yet.
        case introduce(InfobipIdentity)
        case personalize(InfobipCall.Personalization, clears: Bool)
        case depersonalize
        case fetchUser
        case fetchInstallation
        case depersonalizeOther(String)
        case setPrimary(String, Bool)
        case sendEvent(StoredInfobipEvent)
        case sendEvents(Range<UInt64>)
        case reportSessions(InfobipSessions.Report)
    }

    /// What is next.
    enum Step: Sendable, Hashable {
        /// Do that, and say how it ended with `finish` of the number.
        case perform(Int, Operation)
        /// Wait for that uptime, or for updates.
        case wait(until: Duration)
        /// There is nothing to do.
        case idle
        /// Something is under way.
        case busy
    }

    /// How an operation ended.
    enum Answer: Sendable {
        /// The service has done it.
        case done
        /// It says who the person is.
        case user(InfobipUser)
        /// It says what the installation is.
        case installation(InfobipInstallation)
        /// There is no such registration any more.
        case lost(SignetError)
        /// It never will; phones, addresses and external id may be another person's.
        case refused(SignetError, rollsBackIdentity: Bool)
        /// It may later, or has, and nobody knows.
        case failed(SignetError, mayHaveHappened: Bool)
    }

    /// A caller of something that is done once.
    struct Waiting: Sendable, Hashable {
        let ticket: Int
        let call: InfobipCall
        /// What was to change of the installation when it called, and has not been asked for again since.
        var own = InfobipInstallationChanges()
        /// What waited to be saved of what it says itself when it called.
        var old = InfobipUserChanges()
        /// Whether it is of somebody else for certain; without force it works only when the service has nobody any more.
        var isReplacement = false
        /// Whether it is of whoever is to go.
        var isLeft = false

        /// Whether it makes the installation nobody's first.
        var isForced: Bool {
            if case .personalize(let personalization) = self.call {
                personalization.options.forceDepersonalize
            } else {
                false
            }
        }
    }

    /// What is under way, for whom, and since when a person is who it is.
    struct UnderWay: Sendable {
        let number: Int
        let operation: Operation
        let tickets: [Int]
        let era: Int
        /// What was to change of the person when it began.
        let changes: InfobipUserChanges
        /// What was to change of the installation when it was asked for, and has not been asked for again since.
        var own: InfobipInstallationChanges
        /// What waited to be saved of what it says itself, when it was asked for.
        var old: InfobipUserChanges
        /// Whether it is the last of those in the memory that have no answer.
        var isRemembered = false
        /// The change of the installation's user that asked for it.
        let linked: UUID?
        /// What was not known when it began.
        let doubt: InfobipMemory.Doubt
    }

    /// How often the service may refuse a depersonalize.
    static let refusals = 3
    /// How long there must be no further event before events are sent.
    static let quiet: Duration = .seconds(2)
    static let pauses: [Duration] = [5, 15, 60, 120, 300].map { .seconds($0) }
    /// How long after its registration an installation is said to show messages, whatever its user lets it.
    static let settling: Int64 = 3_600_000

    var memory: InfobipMemory
    /// What is remembered when nothing is.
    let fresh: InfobipMemory
    /// What the app says of the device.
    var device = InfobipDevice()
    /// What it runs on by a hash: as it is, and as it is said to be at first.
    var systemHash: (settled: String, fresh: String)
    var underWay: UnderWay?
    /// Callers of personalize, who go first.
    var urgent: [Waiting] = []
    /// Other callers of what is done once.
    var queue: [Waiting] = []
    var userTickets: [Int] = []
    var infobipTickets: [Int] = []
    var depersonalizeTickets: [Int] = []
    var registrationTickets: [Int] = []
    /// What the service has of the person by saves alone, while not everything is known.
    var confirmed = InfobipUserChanges()
    /// Whether ``InfobipMemory/user`` is what the service has.
    var isUserKnown: Bool
    /// The names that saves without an answer may have given the person since the service has said last who they are.
    var unansweredNames: [InfobipUserChanges] = []
    /// Whether ``InfobipMemory/profile`` is what the service has.
    var isInfobipKnown: Bool
    /// Grows whenever the person is another one: what was under way for the one before is not for this one.
    var era = 0
    /// Whether the service has refused to say who the person is.
    var isFetchRefused = false
    /// How often the registration was lost since it was last good for anything.
    var losses = 0
    var failures = 0
    var pausedUntil: Duration?
    /// Whether the service has asked for the pause.
    var isPauseAsked = false
    var eventsDue: Duration?
    var isReportDue = false
    /// Whether the app is in use.
    var isActive = false
    /// The end of a session as it was written down last, in milliseconds since 1970.
    var keptUntil: Int64 = 0
    private var lastNumber = 0
    private var lastTicket = 0

    init(
        restoring memory: InfobipMemory,
        systemHash: (settled: String, fresh: String),
        fresh: InfobipMemory? = nil
    ) {
        self.fresh = fresh ?? InfobipMemory(application: memory.application)
        self.memory = memory
        // Where nothing of a person was kept, nobody knows whose it was.
        if !memory.user.hasIdentity { self.memory.recovery = .none }
        self.systemHash = systemHash
        // What waits may have been under way when the process died, and nobody knows how that ended.
        self.isUserKnown =
            memory.userChanges.isEmpty && memory.farewell.isEmpty && memory.doubt == .none
            && memory.recovery == .none
            && memory.user != InfobipUser()
        self.isInfobipKnown =
            memory.installationChanges.isEmpty && memory.registration != nil && !memory.isInfobipDoubted
        self.beginNames(memory.userChanges)
        if !memory.events.isEmpty { self.eventsDue = .zero }
        // Where nobody is on disk, the app does not know whom it takes the person for.
        let isForgotten = memory.isPersonalized && memory.user == InfobipUser()
        if memory.doubt == .person, !isForgotten { self.beginDoubt() }
    }

    // MARK: - Facts

    /// The person with all changes.
    var user: InfobipUser {
        self.memory.user.applying(self.memory.userChanges)
    }

    /// The installation with all changes.
    var profile: InfobipInstallation {
        var profile = self.memory.profile.applying(self.memory.installationChanges)
        profile.pushRegistrationID = self.memory.registration?.id
        profile.pushServiceType = self.memory.token?.service ?? profile.pushServiceType
        profile.pushServiceToken = self.memory.token.map { Secret($0.token) }
        return self.device.applied(to: profile)
    }

    /// The person as the service has them; nil where that is not known.
    var knownUser: InfobipUser? {
        self.isUserKnown && self.memory.doubt == .none ? self.memory.user : nil
    }

    /// The installation as the service has it; nil where that is not known, as of what goes and comes with a person.
    var knownInfobip: InfobipInstallation? {
        self.isInfobipKnown && self.memory.doubt == .none ? self.memory.profile : nil
    }

    /// Whether anything of the app's has not reached the service.
    var hasPendingChanges: Bool {
        !self.memory.userChanges.isEmpty || !self.memory.installationChanges.isEmpty || !self.memory.farewell.isEmpty
            || self.memory.depersonalization.isRequested || self.memory.linked != nil
    }

    /// Whether anybody waits for an answer; who waits for a registration waits through pauses.
    var hasCallers: Bool {
        !self.urgent.isEmpty || !self.queue.isEmpty || !self.userTickets.isEmpty || !self.infobipTickets.isEmpty
            || !self.depersonalizeTickets.isEmpty
    }

    // MARK: - Running

    /// What is to be done now.
    ///
    /// - Parameters:
    ///   - now: Uptime.
    ///   - milliseconds: The wall clock.
    /// - Returns: The next step; one that is performed is under way from then on, and the memory is to be written before.
    mutating func next(now: Duration, milliseconds: Int64) -> Step {
        guard self.underWay == nil else { return .busy }
        let isPaused = self.pausedUntil.map { $0 > now } ?? false
        // Nothing goes into a pause that the service has asked for.
        let isHeld = isPaused && self.isPauseAsked
        if !isHeld, let (operation, tickets) = self.choose(isPaused: isPaused, now: now, milliseconds: milliseconds) {
            self.lastNumber += 1
            let number = self.lastNumber
            self.underWay = UnderWay(
                number: number,
                operation: operation,
                tickets: tickets,
                era: self.era,
                changes: self.memory.userChanges,
                own: self.urgent.first { tickets.contains($0.ticket) }?.own ?? self.memory.installationChanges,
                old: self.old(tickets),
                linked: tickets.isEmpty ? self.memory.linked?.id : nil,
                doubt: self.memory.doubt
            )
            // Until there is an answer nobody knows; written down before it is sent, for the process may die meanwhile.
            if case .personalize(let personalization, false) = operation {
                let isForced = personalization.options.forceDepersonalize || self.memory.doubt == .person
                self.memory.doubt = isForced ? .person : .details
                let isRemembered = self.beginPersonalize(personalization.changes, old: self.old(tickets))
                self.underWay?.isRemembered = isRemembered
            }
            return .perform(number, operation)
        }
        guard self.memory.registration != nil || self.memory.token != nil else { return .idle }
        if isPaused, self.choose(isPaused: false, now: .seconds(1 << 40), milliseconds: milliseconds) != nil {
            return .wait(until: self.pausedUntil ?? now)
        }
        if let due = self.eventsDue, due > now, !self.memory.events.isEmpty, self.memory.registration != nil {
            return .wait(until: due)
        }
        return .idle
    }

    /// Whether anything is to be done, now or after a pause.
    func hasWork(now: Duration, milliseconds: Int64) -> Bool {
        self.underWay != nil
            || self.choose(isPaused: false, now: .seconds(1 << 40), milliseconds: milliseconds) != nil
    }

    /// What waited to be saved when a personalize was asked for that is about to be sent, of what it says itself.
    private func old(_ tickets: [Int]) -> InfobipUserChanges {
        guard tickets.isEmpty else { return self.urgent.first { tickets.contains($0.ticket) }?.old ?? .init() }
        return self.memory.linked?.old ?? .init()
    }

    mutating func newTicket() -> Int {
        self.lastTicket += 1
        return self.lastTicket
    }

    /// Pauses after a failure; a delay that the service asked for counts whoever calls.
    mutating func pause(after error: SignetError, now: Duration, jitter: Double) {
        self.failures += 1
        let own = Self.pauses[min(self.failures, Self.pauses.count) - 1]
        let delay = error.retryAfter ?? own * (1 - 0.2 * jitter)
        self.pausedUntil = now + min(delay, .seconds(86_400))
        self.isPauseAsked = error.retryAfter != nil
    }

    /// There is a reason to try again: a pause is over, unless the service has asked for it.
    mutating func tryAgain() {
        if !self.isPauseAsked { self.clearPause() }
    }

    /// Whatever the pause was for, it is over.
    mutating func clearPause() {
        self.pausedUntil = nil
        self.isPauseAsked = false
        self.failures = 0
    }
}
