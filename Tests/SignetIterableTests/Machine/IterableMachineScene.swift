// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetModel

import struct FoundationEssentials.UUID

@testable import Signet
@testable import SignetIterable

/// The cells of the visitor machine's table: every stage it can be in, and everything that can happen.
enum IterableMachineScene {
    enum Stage: String, CaseIterable {
        /// The master switch is off.
        case off
        case noConsent
        /// With one event and an update.
        case visitor
        /// The session request is under way.
        case activating
        /// An unknown user whose tasks and records wait.
        case replaying
        case unknown
        /// A known user, once a visitor, whose tasks and records wait.
        case resolving
        /// A known user, once unknown, whose merge waits.
        case merging
        case known
        /// A visitor, and a user before who has a record left.
        case leaving
        /// An unknown user who has the device.
        case registered
        /// A known user, once an unknown one who has the device, whose merge waits.
        case handing
    }

    enum Event: String, CaseIterable {
        case agree, revoke, launch, track, update, token, matched
        case identify, identifyAlone, logout, email, forget
        /// The app calls the unknown user by the id that was made for them.
        case identifySame
        case allow
        /// The installation opts out.
        case out
        case done, conflict, refused, failed, noToken, givenUp, late
    }

    static let ann = IterableUserID.email("ann@example.com")
    static let bob = IterableUserID.userID("bob")
    static let push = IterablePushToken(token: "0aff", platform: "APNS")
    static let uuid = "5E6D1F1C-54E5-4C7A-9A0B-0E6E0B9F3E11"

    static func machine(in stage: Stage) -> IterableStateMachine {
        var machine = IterableStateMachine(
            restoring: IterableMemory(),
            records: [],
            isEnabled: stage != .off,
            threshold: 2,
            queueLimit: 4
        )
        switch stage {
        case .off, .noConsent:
            break
        case .visitor:
            Self.browse(&machine)
        case .activating:
            Self.activate(&machine)
        case .replaying:
            Self.activate(&machine)
            Self.finish(&machine)
        case .unknown:
            Self.activate(&machine)
            Self.finishAll(&machine)
        case .resolving:
            Self.browse(&machine)
            _ = machine.identify(Self.ann, replays: true, merges: true)
        case .merging:
            Self.activate(&machine)
            Self.finishAll(&machine)
            _ = machine.identify(Self.ann, replays: true, merges: true)
            // The token is there.
            Self.finish(&machine)
        case .known:
            _ = machine.identify(Self.ann, replays: true, merges: true)
            Self.finishAll(&machine)
        case .leaving:
            _ = machine.identify(Self.ann, replays: true, merges: true)
            Self.finishAll(&machine)
            _ = machine.record(.customEvent("e", at: 1), id: .random())
            _ = machine.logout(now: 1)
        case .registered:
            _ = machine.setPushToken(Self.push)
            Self.activate(&machine)
            Self.finishAll(&machine)
        case .handing:
            _ = machine.setPushToken(Self.push)
            Self.activate(&machine)
            Self.finishAll(&machine)
            _ = machine.identify(Self.ann, replays: true, merges: true)
            Self.finish(&machine)
        }
        return machine
    }

    private static func browse(_ machine: inout IterableStateMachine) {
        _ = machine.setConsent(true, now: 1000)
        _ = machine.record(.customEvent("e", at: 1), id: .random())
        _ = machine.record(.userUpdate(["a": 1], at: 1), id: .random())
    }

    private static func activate(_ machine: inout IterableStateMachine) {
        Self.browse(&machine)
        _ = machine.matched("7") { UUID(uuidString: Self.uuid) ?? .random() }
    }

    private static func finish(_ machine: inout IterableStateMachine) {
        guard case .perform(let number, _) = machine.next(now: .zero) else { return }
        _ = machine.finish(number, .done, now: .zero, jitter: 0)
    }

    private static func finishAll(_ machine: inout IterableStateMachine) {
        while machine.hasWork { Self.finish(&machine) }
    }

    /// Lets something happen; what is under way, or would be next, ends where the event is an answer.
    static func apply(_ event: Event, to machine: inout IterableStateMachine) -> [IterableStateMachine.Action] {
        let error = SignetError(.rejected, "no")
        func answer(_ answer: IterableStateMachine.Answer) -> [IterableStateMachine.Action] {
            guard case .perform(let number, _) = machine.next(now: .zero) else { return [] }
            return machine.finish(number, answer, now: .zero, jitter: 0)
        }
        switch event {
        case .agree: return machine.setConsent(true, now: 2000)
        case .revoke: return machine.setConsent(false, now: 2000)
        case .launch: return machine.launch(now: 2)
        case .track: return machine.record(.customEvent("f", at: 2), id: .random()).1
        case .update: return machine.record(.userUpdate(["b": 2], at: 2), id: .random()).1
        case .token: return machine.setPushToken(Self.push).1
        case .allow: return machine.setNotifications(areAllowed: true).1
        case .out: return machine.setOptedOut(true)
        case .matched: return machine.matched("8") { .random() }
        case .identify: return machine.identify(Self.bob, replays: true, merges: true)
        case .identifyAlone: return machine.identify(Self.bob, replays: false, merges: false)
        case .identifySame: return machine.identify(.userID(Self.uuid), replays: true, merges: true)
        case .logout: return machine.logout(now: 2)
        case .email: return machine.changeEmail("a@example.com") ?? []
        case .forget: return machine.forget()
        case .done: return answer(.done)
        case .conflict: return answer(.conflict(error))
        case .refused: return answer(.refused(error))
        case .failed: return answer(.failed(error))
        case .noToken: return answer(.noToken(error))
        case .givenUp: return answer(.tokenGivenUp(error))
        case .late: return machine.finish(99, .done, now: .zero, jitter: 0)
        }
    }

    static func name(_ actions: [IterableStateMachine.Action]) -> String {
        actions.map { action in
            switch action {
            case .save: "save"
            case .store(let record): "store \(record.ordinal)"
            case .remove(let ordinals): "remove \(ordinals.map(String.init).joined(separator: "+"))"
            case .reevaluate: "again"
            case .evaluate: "evaluate"
            case .fetchCriteria(let occasion): "fetch \(occasion)"
            case .forgetToken: "forget token"
            case .countSent: "sent"
            case .postpone: "postpone"
            case .tell(let updates):
                switch updates {
                case .criteriaReceived: "tell received"
                case .criteriaFailed: "tell failed"
                case .unknownUserCreated: "tell created"
                case .activationFailed: "tell activationFailed"
                case .merged: "tell merged"
                case .mergeFailed: "tell mergeFailed"
                case .tokenFailed: "tell tokenFailed"
                case .abandoned: "tell abandoned"
                case .resolved: "tell resolved"
                case .rejected(let refusal): "tell refused \(refusal.subject)"
                case .recordsDropped(let count, let cause): "drop \(count) \(cause)"
                }
            }
        }.joined(separator: ", ")
    }

    /// The state, and what is next.
    static func name(_ machine: IterableStateMachine) -> String {
        var machine = machine
        machine.underWay = nil
        machine.backOff.endPause()
        machine.tokenless.tryAgain()
        let state =
            switch machine.state {
            case .switchedOff: "off"
            case .noConsent: "noConsent"
            case .visitor: "visitor"
            case .activating: "activating"
            case .replaying: "replaying"
            case .unknown: "unknown"
            case .resolving(let id): "resolving \(id)"
            case .known(let id): "known \(id)"
            }
        guard case .perform(_, let operation) = machine.next(now: .zero) else { return state }
        let next =
            switch operation {
            case .activate: "activate"
            case .match: "match"
            case .send(let record, let turn): "send \(record.ordinal) as \(turn.id)"
            case .task(let task, let turn):
                switch task {
                case .create: "create"
                case .announce: "announce"
                case .awaitToken: "token of \(turn.id)"
                case .merge: "merge into \(turn.id)"
                case .consent: "consent of \(turn.id)"
                case .register: "register"
                case .disable(_, nil): "disable"
                case .disable(_, _?): "disable of unknown"
                case .changeEmail: "changeEmail"
                }
            }
        return "\(state), then \(next)"
    }
}
