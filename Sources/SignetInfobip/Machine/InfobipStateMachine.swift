// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// Decides on a profile: the data to keep, the next request, and the effect of an answer on both.
///
/// It holds the persisted memory, and transient state: the request in flight, the waiting callers and the pause.
struct InfobipStateMachine: Sendable {
    /// The actions of a decision, in this order.
    enum Action: Sendable {
        /// Persist the memory.
        case save
        /// Persist an event, before the memory that counts it.
        case store(StoredInfobipEvent)
        /// Remove events that no longer count.
        case remove([UInt64])
        /// Remove events that must not be sent any more, and count them.
        case drop([UInt64])
        /// Count changes of a person that must not be sent any more.
        case dropChanges(Int)
        /// Notify subscribers.
        case tell(InfobipUpdate.Kind)
        /// Report the outcome of a change of the installation's user.
        case linked(UUID, IdentitySyncOutcome.Kind)
        /// Answer a caller.
        case end(Int, Result<InfobipSaveResult, SignetError>)
    }

    /// One request.
    enum Operation: Sendable, Hashable {
        case register(InfobipInstallation, InfobipPushToken)
        case expire(String)
        /// Sends the changes that differ from the known state; also token and system data if the service has others.
        case saveInstallation(
            InfobipInstallationChanges,
            known: InfobipInstallation?,
            token: InfobipPushToken?,
            system: String?
        )
        case saveUser(InfobipUserChanges, known: InfobipUser?, isFarewell: Bool)
        /// Assigns a new registration to the person of a lost one.
        case restore(InfobipIdentity)
        /// Identifies an outgoing person whom the service does not know yet.
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

    /// The next step.
    enum Step: Sendable, Hashable {
        /// Perform the operation, then call `finish` with the number.
        case perform(Int, Operation)
        /// Wait until this uptime, or for a signal.
        case wait(until: Duration)
        /// There is nothing to do.
        case idle
        /// A request is in flight.
        case busy
    }

    /// The outcome of an operation.
    enum Answer: Sendable {
        /// The service has done it.
        case done
        /// The service has named the person.
        case user(InfobipUser)
        /// The service has described the installation.
        case installation(InfobipInstallation)
        /// The registration does not exist any more.
        case lost(SignetError)
        /// It will never be done; phones, addresses and external id may be another person's.
        case refused(SignetError, rollsBackIdentity: Bool)
        /// It may be done later, or the outcome is unknown.
        case failed(SignetError, mayHaveHappened: Bool)
    }

    /// A caller of an operation that is done once.
    struct Waiting: Sendable, Hashable {
        let ticket: Int
        let call: InfobipCall
        /// The pending changes of the installation at the time of the call, without those requested again since.
        var own = InfobipInstallationChanges()
        /// The pending changes of the same fields at the time of the call.
        var old = InfobipUserChanges()
        /// True if it certainly names another person; without force it works only if the service has no person any
        /// more.
        var isReplacement = false
        /// True if it belongs to the outgoing person.
        var isLeft = false

        /// True if it depersonalizes the installation first.
        var isForced: Bool {
            if case .personalize(let personalization) = self.call {
                personalization.options.forceDepersonalize
            } else {
                false
            }
        }
    }

    /// The operation in flight, its callers, and the era of its person.
    struct UnderWay: Sendable {
        let number: Int
        let operation: Operation
        let tickets: [Int]
        let era: Int
        /// The pending changes of the person when it began.
        let changes: InfobipUserChanges
        /// The pending changes of the installation at the time of the call, without those requested again since.
        var own: InfobipInstallationChanges
        /// The pending changes of the same fields at the time of the call.
        var old: InfobipUserChanges
        /// True if it is the last of the remembered personalizes without an answer.
        var isRemembered = false
        /// The change of the installation's user that requested it.
        let linked: UUID?
        /// The doubt before it began.
        let doubt: InfobipMemory.Doubt
    }

    /// The number of refusals after which a depersonalize is given up.
    static let refusals = 3
    /// The time without a further event after which events are sent.
    static let quiet: Duration = .seconds(2)
    static let pauses: [Duration] = [5, 15, 60, 120, 300].map { .seconds($0) }
    /// The time after registration in which notifications are reported as enabled, in milliseconds.
    ///
    /// The user's choice does not matter then.
    static let settling: Int64 = 3_600_000

    var memory: InfobipMemory
    /// The memory of a profile without a record.
    let fresh: InfobipMemory
    /// The app's description of the device.
    var device = InfobipDevice()
    /// The hashes of the system data: the settled ones, and those of the first hour.
    var systemHash: (settled: String, fresh: String)
    var underWay: UnderWay?
    /// Callers of personalize, which go first.
    var urgent: [Waiting] = []
    /// Callers of other operations that are done once.
    var queue: [Waiting] = []
    var userTickets: [Int] = []
    var infobipTickets: [Int] = []
    var depersonalizeTickets: [Int] = []
    var registrationTickets: [Int] = []
    /// The data of the person that the service has by saves alone, while not everything is known.
    var confirmed = InfobipUserChanges()
    /// True if ``InfobipMemory/user`` is the service's state.
    var isUserKnown: Bool
    /// The names that saves without an answer may have given the person since the service last named them.
    var unansweredNames: [InfobipUserChanges] = []
    /// True if ``InfobipMemory/profile`` is the service's state.
    var isInfobipKnown: Bool
    /// Grows with each change of the person; requests in flight for the previous person do not count for the next.
    var era = 0
    /// True if the service has refused to name the person.
    var isFetchRefused = false
    /// The number of lost registrations since one last worked.
    var losses = 0
    var failures = 0
    var pausedUntil: Duration?
    /// True if the service has asked for the pause.
    var isPauseAsked = false
    var eventsDue: Duration?
    var isReportDue = false
    /// True while the app is in use.
    var isActive = false
    /// The end of a session as last persisted, in milliseconds since 1970.
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
        // Without persisted personal data, the person of the registration is unknown.
        if !memory.user.hasIdentity { self.memory.recovery = .none }
        self.systemHash = systemHash
        // A pending request may have been in flight when the process died; its outcome is unknown.
        self.isUserKnown =
            memory.userChanges.isEmpty && memory.farewell.isEmpty && memory.doubt == .none
            && memory.recovery == .none
            && memory.user != InfobipUser()
        self.isInfobipKnown =
            memory.installationChanges.isEmpty && memory.registration != nil && !memory.isInfobipDoubted
        self.beginNames(memory.userChanges)
        if !memory.events.isEmpty { self.eventsDue = .zero }
        // Without personal data on disk, the app does not know which person it assumes.
        let isForgotten = memory.isPersonalized && memory.user == InfobipUser()
        if memory.doubt == .person, !isForgotten { self.beginDoubt() }
    }

    // MARK: - Facts

    /// The person with all pending changes.
    var user: InfobipUser {
        self.memory.user.applying(self.memory.userChanges)
    }

    /// The installation with all pending changes.
    var profile: InfobipInstallation {
        var profile = self.memory.profile.applying(self.memory.installationChanges)
        profile.pushRegistrationID = self.memory.registration?.id
        profile.pushServiceType = self.memory.token?.service ?? profile.pushServiceType
        profile.pushServiceToken = self.memory.token.map { Secret($0.token) }
        return self.device.applied(to: profile)
    }

    /// The person as the service has them; nil if unknown.
    var knownUser: InfobipUser? {
        self.isUserKnown && self.memory.doubt == .none ? self.memory.user : nil
    }

    /// The installation as the service has it; nil if unknown, such as the data that come and go with a person.
    var knownInfobip: InfobipInstallation? {
        self.isInfobipKnown && self.memory.doubt == .none ? self.memory.profile : nil
    }

    /// True if changes of the app have not reached the service.
    var hasPendingChanges: Bool {
        !self.memory.userChanges.isEmpty || !self.memory.installationChanges.isEmpty || !self.memory.farewell.isEmpty
            || self.memory.depersonalization.isRequested || self.memory.linked != nil
    }

    /// True if a caller waits for an answer.
    ///
    /// Callers who wait for a registration do not count: they wait through pauses.
    var hasCallers: Bool {
        !self.urgent.isEmpty || !self.queue.isEmpty || !self.userTickets.isEmpty || !self.infobipTickets.isEmpty
            || !self.depersonalizeTickets.isEmpty
    }

    // MARK: - Running

    /// Chooses the next step.
    ///
    /// - Parameters:
    ///   - now: Uptime.
    ///   - milliseconds: The wall clock.
    /// - Returns: The next step; an operation is in flight from then on, and the memory must be persisted before it is
    ///   sent.
    mutating func next(now: Duration, milliseconds: Int64) -> Step {
        guard self.underWay == nil else { return .busy }
        let isPaused = self.pausedUntil.map { $0 > now } ?? false
        // No request is sent in a pause that the service has asked for.
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
            // Until the answer, the outcome is unknown. The doubt is persisted before sending, because the process may
            // die.
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

    /// True if there is work, now or after a pause.
    func hasWork(now: Duration, milliseconds: Int64) -> Bool {
        self.underWay != nil
            || self.choose(isPaused: false, now: .seconds(1 << 40), milliseconds: milliseconds) != nil
    }

    /// The pending changes of the same fields when the personalize to be sent was requested.
    private func old(_ tickets: [Int]) -> InfobipUserChanges {
        guard tickets.isEmpty else { return self.urgent.first { tickets.contains($0.ticket) }?.old ?? .init() }
        return self.memory.linked?.old ?? .init()
    }

    mutating func newTicket() -> Int {
        self.lastTicket += 1
        return self.lastTicket
    }

    /// Pauses after a failure; a delay that the service asked for applies to all callers.
    mutating func pause(after error: SignetError, now: Duration, jitter: Double) {
        self.failures += 1
        let own = Self.pauses[min(self.failures, Self.pauses.count) - 1]
        let delay = error.retryAfter ?? own * (1 - 0.2 * jitter)
        self.pausedUntil = now + min(delay, .seconds(86_400))
        self.isPauseAsked = error.retryAfter != nil
    }

    /// Ends a pause, unless the service has asked for it.
    mutating func tryAgain() {
        if !self.isPauseAsked { self.clearPause() }
    }

    /// Ends any pause.
    mutating func clearPause() {
        self.pausedUntil = nil
        self.isPauseAsked = false
        self.failures = 0
    }
}
