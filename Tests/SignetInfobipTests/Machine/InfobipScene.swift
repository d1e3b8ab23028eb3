// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

@testable import SignetInfobip

/// A machine that is driven by hand, call by call and answer by answer.
struct InfobipScene {
    typealias Operation = InfobipStateMachine.Operation

    var machine: InfobipStateMachine

    static let token = InfobipPushToken(token: "aa", service: "APNS")
    static let failure = SignetError(.serverFailure, "no")
    static let refusal = SignetError(.rejected, "no")

    /// An installation that is registered, and has a person if one is named.
    init(of name: String? = nil) {
        var memory = InfobipMemory(application: "a")
        memory.token = Self.token
        memory.registration = .active(.init(id: "1", token: Self.token, systemHash: "h", at: 0))
        memory.installation.known = .exact(Self.installation("1"))
        if let name {
            memory.last.claim = .named(InfobipIdentity(externalUserID: name))
            memory.last.snapshot = .exact(Self.user(name))
        }
        self.init(memory)
    }

    init(_ memory: InfobipMemory) {
        self.machine = InfobipStateMachine(restoring: memory, systemHash: ("h", "h"))
    }

    static func installation(_ id: String) -> InfobipInstallation {
        var installation = InfobipInstallation()
        installation.pushRegistrationID = id
        return installation
    }

    static func user(_ name: String?, firstName: String? = nil) -> InfobipUser {
        var user = InfobipUser()
        user.externalUserID = name
        user.firstName = firstName
        return user
    }

    static func change(_ name: String) -> InfobipUserChanges {
        var changes = InfobipUserChanges()
        changes.firstName = .set(name)
        return changes
    }

    var memory: InfobipMemory { self.machine.memory }
    var last: PersonScope { self.machine.memory.last }

    // MARK: - What happens

    @discardableResult
    mutating func call(_ call: InfobipCall) -> String {
        let (beginning, actions) = self.machine.begin(call, now: .zero)
        let outcome =
            switch beginning {
            case .ended(let result): Self.text(result)
            case .waits: "waits"
            }
        return ([outcome] + actions.map(Self.text)).joined(separator: ", ")
    }

    @discardableResult
    mutating func save(_ name: String) -> String { self.call(.saveUser(Self.change(name))) }

    @discardableResult
    mutating func personalize(_ name: String, forces: Bool = false, firstName: String? = nil) -> String {
        var attributes: InfobipAttributes?
        if let firstName {
            attributes = InfobipAttributes()
            attributes?.firstName = firstName
        }
        let options: InfobipRoute.PersonalizeOptions = forces ? .forceDepersonalize : []
        return self.call(
            .personalize(
                .init(identity: InfobipIdentity(externalUserID: name), attributes: attributes, options: options)
            )
        )
    }

    mutating func event() { _ = self.machine.queue([], now: .zero) }

    /// The next request, whatever the pauses; "-" for none.
    @discardableResult
    mutating func next() -> String {
        self.machine.backOff.clear()
        guard case .perform(_, let operation) = self.machine.next(now: .seconds(9), milliseconds: 0) else { return "-" }
        return Self.text(operation)
    }

    /// Ends the request in flight, or the next one.
    @discardableResult
    mutating func answer(_ answer: InfobipStateMachine.Answer? = nil) -> String {
        if self.machine.inFlight == nil { self.next() }
        guard let inFlight = self.machine.inFlight else { return "-" }
        let actions = self.machine.finish(
            inFlight.number,
            answer ?? Self.success(of: inFlight.operation),
            now: .zero,
            milliseconds: 0,
            jitter: 0
        )
        return actions.isEmpty ? "-" : actions.map(Self.text).joined(separator: ", ")
    }

    @discardableResult
    mutating func unanswered() -> String { self.answer(.failed(Self.failure, mayHaveHappened: true)) }

    @discardableResult
    mutating func unsent() -> String { self.answer(.failed(Self.failure, mayHaveHappened: false)) }

    @discardableResult
    mutating func refused() -> String { self.answer(.refused(Self.refusal, rollsBackIdentity: false)) }

    @discardableResult
    mutating func gone() -> String { self.answer(.lost(Self.refusal)) }

    /// The process dies, and the next one reads what was written.
    mutating func kill() throws {
        self = InfobipScene(try InfobipMemory(decoding: self.memory.encoded()))
    }

    /// All requests until there is nothing to do.
    mutating func settle() -> [String] {
        var requests: [String] = []
        while requests.count < 20 {
            let next = self.next()
            if next == "-" { break }
            requests.append(next)
            self.answer()
        }
        return requests
    }

    static func success(of operation: Operation) -> InfobipStateMachine.Answer {
        switch operation {
        case .register: .installation(Self.installation("2"))
        case .fetchInstallation: .installation(Self.installation("1"))
        case .attach(let attach, _): .user(Self.user(attach.personalization.identity.externalUserID))
        case .fetchUser, .look: .user(Self.user("ann"))
        default: .done
        }
    }

    // MARK: - Texts

    static func text(_ result: Result<InfobipSaveResult, SignetError>) -> String {
        switch result {
        case .success(let outcome): "\(outcome)"
        case .failure(let error): "throws \(error.code)"
        }
    }

    static func text(_ action: InfobipStateMachine.Action) -> String {
        switch action {
        case .save: "save"
        case .store: "store"
        case .remove(let ordinals): "remove \(ordinals.count)"
        case .drop(let ordinals): "drop \(ordinals.count)"
        case .countRefused: "refused"
        case .countRefusedEvents(let count): "refused events \(count)"
        case .dropChanges(let count): "drop changes \(count)"
        case .linked: "linked"
        case .end(_, let result): "end \(Self.text(result))"
        case .tell(let kind):
            switch kind {
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

    static func text(_ operation: Operation) -> String {
        switch operation {
        case .register: "register"
        case .expire: "expire"
        case .saveInstallation: "saveInstallation"
        case .saveUser(let edits, _, let isLast):
            "save \(edits.changes.firstName.apply(to: nil) ?? "other")\(isLast ? ", last attempt" : "")"
        case .attach(let attach, _):
            "\(attach.isForced ? "force" : "attach") \(attach.personalization.identity.externalUserID ?? "-")"
        case .detach: "detach"
        case .look: "look"
        case .fetchUser: "fetch"
        case .fetchInstallation: "fetchInstallation"
        case .depersonalizeOther: "depersonalizeOther"
        case .setPrimary: "setPrimary"
        case .sendEvent: "send"
        case .sendEvents(let ordinals, _): "events \(ordinals.count)"
        case .reportSessions: "sessions"
        }
    }

    /// The state in words: the registration, the scopes with what waits in them, and what the service has.
    var text: String {
        let registration =
            switch self.memory.registration {
            case .none: "none"
            case .lost: "lost"
            case .active(let active): active.id
            }
        let scopes = self.memory.people.all.map { scope in
            var words: [String] = []
            if case .named(let identity) = scope.claim { words.append(identity.externalUserID ?? "somebody") }
            words += scope.barriers.map { barrier in
                switch barrier {
                case .attach(let attach):
                    (attach.isForced ? "force " : "attach ")
                        + (attach.personalization.identity.externalUserID ?? "-")
                case .detach: "detach"
                case .look: "look"
                }
            }
            if let name = scope.edits.changes.firstName.apply(to: nil) { words.append("edit \(name)") }
            if !scope.events.isEmpty { words.append("event") }
            return words.isEmpty ? "nobody" : words.joined(separator: " ")
        }
        let attachment =
            switch self.memory.people.attachment {
            case .known(let id): "known \(self.memory.people.index(of: id) ?? -1)"
            case .moving(let to, let from):
                "moving to \(self.memory.people.index(of: to) ?? -1)"
                    + (from.map { " from \(self.memory.people.index(of: $0) ?? -1)" } ?? "")
            }
        let parked = self.memory.people.parked.keys.compactMap(\.externalUserID).sorted().map { ", parked \($0)" }
            .joined()
        return "\(registration): [\(scopes.joined(separator: "; "))] \(attachment)\(parked)"
    }
}
