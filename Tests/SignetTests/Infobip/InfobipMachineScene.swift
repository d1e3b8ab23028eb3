// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

@testable import Signet
@testable import SignetInfobip

/// The cells of the profile machine's table: every stage it can be in, and everything that can happen.
enum InfobipMachineScene {
    enum Stage: String, CaseIterable {
        /// There is no push token.
        case new
        /// There is one, and no registration yet.
        case waiting
        /// Registered, and everything is told.
        case clean
        /// A save is kept, and nobody waits for it.
        case dirty
        /// A save is under way.
        case saving
        /// Changes of the installation are kept.
        case dirtyOwn
        /// A depersonalize waits.
        case pending
        /// A depersonalize waits, and what was saved before it.
        case leaving
        /// The registration of somebody known was lost.
        case lost
        /// It has another, which is nobody's yet.
        case restoring
        /// It is theirs again, and whether the service still knows them is not known.
        case recovering
        /// A forced personalize had no answer.
        case doubtful
        /// Whoever has logged in is to be told of.
        case following
    }

    enum Event: String, CaseIterable {
        case await, fetch, fetchOwn, save, same, saveOwn, personalize, force, depersonalize, other
        case token, noToken, event, expire, forget, login, logout
        case done, lost, refused, identity, failed, unanswered, late
    }

    static let token = InfobipPushToken(token: "aa", service: "APNS")
    static let error = SignetError(.rejected, "no")

    static let ann: InfobipUser = {
        var changes = InfobipUserChanges()
        changes.externalUserID = .set("ann")
        changes.firstName = .set("Ann")
        return InfobipUser().applying(changes)
    }()

    static func installation(_ id: String) -> InfobipInstallation {
        var profile = InfobipInstallation()
        profile.pushRegistrationID = id
        return profile
    }

    static func change(_ name: String, identity: String? = nil) -> InfobipUserChanges {
        var changes = InfobipUserChanges()
        changes.firstName = .set(name)
        changes.externalUserID = identity.map(Patch.set) ?? .untouched
        return changes
    }

    static let own: InfobipInstallationChanges = {
        var changes = InfobipInstallationChanges()
        changes.applicationUserID = .set("u")
        return changes
    }()

    static func personalization(force: Bool) -> InfobipCall.Personalization {
        .init(
            identity: InfobipIdentity(externalUserID: "bob"),
            attributes: nil,
            options: .init(forceDepersonalize: force)
        )
    }

    static func machine(in stage: Stage) -> InfobipStateMachine {
        var memory = InfobipMemory(application: "a")
        if stage != .new { memory.token = Self.token }
        if ![.new, .waiting, .lost].contains(stage) {
            memory.registration = .init(id: "1", token: Self.token, systemHash: "h", at: 0)
            memory.profile = Self.installation("1")
        }
        switch stage {
        case .clean, .dirty, .saving, .dirtyOwn, .lost, .restoring, .recovering, .doubtful: memory.user = Self.ann
        case .new, .waiting, .pending, .leaving, .following: break
        }
        switch stage {
        case .dirty, .saving: memory.userChanges = Self.change("B", identity: "anna")
        case .dirtyOwn: memory.installationChanges.isPrimary = true
        case .pending: memory.depersonalization = .init(status: .pending, isRequested: true, failures: 1)
        case .leaving:
            memory.depersonalization.isRequested = true
            memory.farewell = Self.change("B")
        case .lost, .restoring: memory.recovery = .identity
        case .recovering: (memory.recovery, memory.doubt) = (.details, .details)
        case .doubtful: memory.doubt = .person
        case .following: memory.linked = .init(id: .random(), identity: InfobipIdentity(externalUserID: "bob"))
        case .new, .waiting, .clean: break
        }
        var machine = InfobipStateMachine(restoring: memory, systemHash: ("h", "h"))
        if stage == .saving { _ = machine.next(now: .zero, milliseconds: 0) }
        return machine
    }

    /// Lets something happen; what is under way, or would be next, ends where the event is an answer.
    static func apply(_ event: Event, to machine: inout InfobipStateMachine) -> String {
        func begin(_ call: InfobipCall) -> String {
            let (beginning, actions) = machine.begin(call, now: .zero)
            let outcome =
                switch beginning {
                case .ended(let result): Self.name(result)
                case .waits: "waits"
                }
            return ([outcome] + actions.map(Self.name)).joined(separator: ", ")
        }
        func plain(_ actions: [InfobipStateMachine.Action]) -> String {
            actions.isEmpty ? "-" : actions.map(Self.name).joined(separator: ", ")
        }
        func answer(_ answer: InfobipStateMachine.Answer? = nil) -> String {
            if machine.underWay == nil { _ = machine.next(now: .zero, milliseconds: 0) }
            guard let underWay = machine.underWay else { return "-" }
            let answer = answer ?? Self.success(of: underWay.operation)
            return plain(machine.finish(underWay.number, answer, now: .zero, milliseconds: 0, jitter: 0))
        }
        switch event {
        case .await: return begin(.awaitRegistration)
        case .fetch: return begin(.fetchUser)
        case .fetchOwn: return begin(.fetchInstallation)
        case .save: return begin(.saveUser(Self.change("C")))
        case .same: return begin(.saveUser(Self.change("Ann")))
        case .saveOwn: return begin(.saveInstallation(Self.own))
        case .personalize: return begin(.personalize(Self.personalization(force: false)))
        case .force: return begin(.personalize(Self.personalization(force: true)))
        case .depersonalize: return begin(.depersonalize)
        case .other: return begin(.depersonalizeOther("2"))
        case .token: return plain(machine.setPushToken(.init(token: "bb", service: "APNS"), isRestored: false))
        case .noToken: return plain(machine.setPushToken(nil, isRestored: false))
        case .event: return plain(machine.queue([1], now: .zero))
        case .expire: return plain(machine.expire("0"))
        case .forget: return plain(machine.forget())
        case .login: return plain(machine.follow(Self.record(.identify(email: nil, customerID: "bob"))))
        case .logout: return plain(machine.follow(Self.record(.leave)))
        case .done: return answer()
        case .lost: return answer(.lost(Self.error))
        case .refused: return answer(.refused(Self.error, rollsBackIdentity: false))
        case .identity: return answer(.refused(Self.error, rollsBackIdentity: true))
        case .failed: return answer(.failed(Self.error, mayHaveHappened: false))
        case .unanswered: return answer(.failed(Self.error, mayHaveHappened: true))
        case .late: return plain(machine.finish(99, .done, now: .zero, milliseconds: 0, jitter: 0))
        }
    }

    private static func record(_ call: OutboxEntry.Call) -> OutboxEntry {
        OutboxEntry(id: .random(), mpid: nil, call: call, services: [.infobip])
    }

    private static func success(of operation: InfobipStateMachine.Operation) -> InfobipStateMachine.Answer {
        switch operation {
        case .register: return .installation(Self.installation("2"))
        case .fetchInstallation: return .installation(Self.installation("1"))
        case .fetchUser, .personalize: return .user(Self.ann)
        default: return .done
        }
    }

    static func name(_ result: Result<InfobipSaveResult, SignetError>) -> String {
        switch result {
        case .success(let outcome): "\(outcome)"
        case .failure(let error): "throws \(error.code)"
        }
    }

    static func name(_ action: InfobipStateMachine.Action) -> String {
        switch action {
        case .save: "save"
        case .store(let event): "store \(event.ordinal)"
        case .remove(let ordinals): "remove \(ordinals.count)"
        case .drop(let ordinals): "drop \(ordinals.count)"
        case .dropChanges(let count): "drop changes \(count)"
        case .linked(_, let kind):
            switch kind {
            case .done: "linked done"
            case .failed: "linked failed"
            case .superseded: "linked superseded"
            }
        case .end(_, let result): "end \(Self.name(result))"
        case .tell(let updates):
            switch updates {
            case .registrationUpdated: "tell registration"
            case .pushTokenReceived: "tell token"
            case .installationSynced: "tell installation"
            case .userSynced: "tell user"
            case .personalized: "tell personalized"
            case .depersonalized: "tell depersonalized"
            case .failed: "tell failed"
            }
        }
    }

    /// What it remembers that is not everyday, and what is next, whatever the pauses.
    static func name(_ machine: InfobipStateMachine) -> String {
        let memory = machine.memory
        var words = [memory.registration.map { $0.id } ?? (memory.token == nil ? "none" : "unregistered")]
        if let name = machine.user.firstName { words.append(name) }
        if !memory.userChanges.isEmpty { words.append("dirty") }
        if !memory.installationChanges.isEmpty { words.append("dirtyOwn") }
        if !memory.farewell.isEmpty { words.append("farewell") }
        if memory.depersonalization.isRequested { words.append("leaving") }
        if memory.depersonalization.status != .undefined || memory.depersonalization.failures > 0 {
            words.append("\(memory.depersonalization.status.rawValue) \(memory.depersonalization.failures)")
        }
        switch memory.recovery {
        case .identity: words.append("restoring")
        case .details: words.append("recovering")
        case .none: break
        }
        if memory.doubt != .none { words.append("doubt \(memory.doubt.rawValue)") }
        if memory.isInfobipDoubted { words.append("doubtOwn") }
        if memory.linked != nil { words.append("linked") }
        if !memory.events.isEmpty { words.append("event") }
        if machine.pausedUntil != nil { words.append("paused") }
        let state = words.joined(separator: " ")
        if let underWay = machine.underWay { return "\(state), now \(Self.name(underWay.operation))" }
        guard let (next, _) = machine.choose(isPaused: false, now: .seconds(9), milliseconds: 0) else { return state }
        return "\(state), then \(Self.name(next))"
    }

    static func name(_ operation: InfobipStateMachine.Operation) -> String {
        switch operation {
        case .register: "register"
        case .expire(let id): "expire \(id)"
        case .saveInstallation: "saveOwn"
        case .saveUser(_, _, let isFarewell): isFarewell ? "farewell" : "save"
        case .restore: "restore"
        case .introduce: "introduce"
        case .personalize(_, let clears): clears ? "personalize clearing" : "personalize"
        case .depersonalize: "depersonalize"
        case .fetchUser: "fetch"
        case .fetchInstallation: "fetchOwn"
        case .depersonalizeOther: "other"
        case .setPrimary: "primary"
        case .sendEvent: "send"
        case .sendEvents: "events"
        case .reportSessions: "sessions"
        }
    }
}
