// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

@testable import Signet
@testable import SignetIterable

/// A machine brought into a stage, and what to call things there.
struct TokenScene {
    static let start: Int64 = 1_700_000_000_000
    static let policy = TokenRetryPolicy(maximumAttempts: 3, interval: .seconds(6))

    var machine = TokenStateMachine(policy: Self.policy, lead: .seconds(60))
    var now = Self.start

    /// A token that ends at a time, with a name in place of the signature.
    static func token(_ name: String, exp seconds: Int64) -> String {
        Self.token(name, payload: "{\"exp\":\(seconds)}")
    }

    static func token(_ name: String, payload: String) -> String {
        "e30." + Base64.encode(Array(payload.utf8)).split(separator: "=")[0] + "." + name
    }

    /// An hour from the start.
    static let old = Self.token("old", exp: Self.start / 1000 + 3600)
    /// Two hours from the start.
    static let new = Self.token("new", exp: Self.start / 1000 + 7200)
    static let unreadable = "un.readable.token"

    init(_ stage: TokenTable.Stage) {
        switch stage {
        case .empty:
            break
        case .scheduled, .resting, .due, .expired, .pausedHolding, .refreshing, .wornOut:
            self.fetch(.token(Self.old))
        case .doubting:
            self.fetch(.token(Self.unreadable))
        case .fetching:
            _ = self.machine.request(now: self.now)
        case .retrying, .exhausted:
            self.fetch(.failed(.noToken))
        case .paused:
            _ = self.machine.pause(now: self.now)
        }
        self.finish(stage)
    }

    private mutating func finish(_ stage: TokenTable.Stage) {
        switch stage {
        case .resting:
            _ = self.machine.leave()
        case .due, .refreshing:
            self.now += 3_540_000
            if stage == .refreshing { _ = self.apply(.woke) }
        case .wornOut:
            // Inside the lead, with all tries to get another one made.
            self.now += 3_540_000
            _ = self.apply(.woke)
            for _ in 0..<2 {
                _ = self.apply(.answeredNothing)
                _ = self.apply(.woke)
            }
            _ = self.apply(.answeredNothing)
        case .expired:
            self.now += 3_600_000
        case .exhausted:
            for _ in 0..<2 {
                _ = self.apply(.woke)
                _ = self.apply(.answeredNothing)
            }
        case .pausedHolding:
            _ = self.machine.pause(now: self.now)
        case .empty, .scheduled, .doubting, .fetching, .retrying, .paused:
            break
        }
    }

    private mutating func fetch(_ answer: TokenStateMachine.ProviderAnswer) {
        _ = self.machine.request(now: self.now)
        _ = self.machine.answered(0, answer, now: self.now)
    }

    /// What is under way, by its number; a number that never is when nothing is.
    var number: Int { self.machine.number ?? -1 }

    /// The token there is, or one that nobody has.
    var present: Secret {
        switch self.machine.state {
        case .held(let held, _), .fetching(_, let held?), .paused(let held?): held.text
        default: Secret("nobody's")
        }
    }

    mutating func apply(_ event: TokenTable.Event) -> TokenAction {
        let (now, number) = (self.now, self.number)
        switch event {
        case .request: return self.machine.request(now: now)
        case .refusedPresent: return self.machine.refused(self.present, .signatureInvalid, now: now)
        case .refusedOlder: return self.machine.refused(Secret("older"), .expired, now: now)
        case .succeeded: return self.machine.succeeded(self.present)
        case .succeededOlder: return self.machine.succeeded(Secret("older"))
        case .answeredToken: return self.machine.answered(number, .token(Self.new), now: now)
        case .answeredUnreadable: return self.machine.answered(number, .token(Self.unreadable), now: now)
        case .answeredNothing: return self.machine.answered(number, .failed(.noToken), now: now)
        case .answeredLate: return self.machine.answered(number - 1, .token(Self.new), now: now)
        case .woke: return self.machine.woke(number, now: now)
        case .wokeLate: return self.machine.woke(number - 1, now: now)
        case .setToken: return self.machine.set(Self.new, now: now)
        case .setUnreadable: return self.machine.set(Self.unreadable, now: now)
        case .setNothing: return self.machine.set(nil, now: now)
        case .pause: return self.machine.pause(now: now)
        case .resume: return self.machine.resume(now: now)
        case .leave: return self.machine.leave()
        }
    }

    // MARK: - In words

    static func text(_ action: TokenAction) -> String {
        var words: [String] = []
        if let report = action.report {
            words.append("tells \(report.reason)\(report.willTryAgain ? "" : " for good"),")
        }
        switch action.work {
        case .fetch(_, let reason): words.append("asks \(reason),")
        case .wakeUp(_, let duration): words.append("sleeps \(duration.components.seconds),")
        case nil: break
        }
        switch action.answer {
        case .token(let token): words.append("gives \(Self.name(token))")
        case .refused(let obstacle): words.append("refuses \(obstacle)")
        case nil: words.append("-")
        }
        return words.joined(separator: " ")
    }

    static func text(_ state: TokenStateMachine.State) -> String {
        switch state {
        case .empty: "empty"
        case .held(let held, let alarm): "held \(Self.name(held.text))" + (alarm.map { " \($0.purpose)" } ?? "")
        case .fetching(_, let old): "fetching" + (old.map { " \(Self.name($0.text))" } ?? "")
        case .retrying: "retrying"
        case .exhausted: "exhausted"
        case .paused(let held): "paused" + (held.map { " \(Self.name($0.text))" } ?? "")
        }
    }

    private static func name(_ token: Secret) -> String {
        switch token {
        case Secret(Self.old): "old"
        case Secret(Self.new): "new"
        case Secret(Self.unreadable): "unreadable"
        default: "?"
        }
    }
}
