// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTransport
import Testing

/// What holds whatever the workspace and whatever the requests.
struct IdentityPropertyTests {
    @Test func theInvariantsHold() async {
        let base = Seed.base()
        print("IdentityPropertyTests: SIGNET_SEED=\(base)")
        var reached: [String: Int] = [:]
        for offset in 0..<UInt64(TestScale.count(quick: 300, full: 1000)) {
            let seed = base &+ offset
            var world = IdentityWorld(seed: seed)
            for number in 0..<25 {
                let step = await world.step()
                let violations = Self.violations(of: step, in: world.configuration)
                #expect(violations.isEmpty, "SIGNET_SEED=\(seed), step \(number), \(step.call)")
                for state in Self.states(of: step, in: world.configuration) {
                    reached[state, default: 0] += 1
                }
                guard violations.isEmpty else { return }
            }
        }
        for state in Self.allStates {
            #expect(
                reached[state, default: 0] >= 1,
                "reached \(state) \(reached[state, default: 0]) times from \(base)"
            )
        }
    }

    // MARK: Invariants

    private static func violations(
        of step: IdentityWorld.Observation,
        in configuration: EmulatorConfiguration
    ) -> [String] {
        var violations = Self.sharedValues(step.after, configuration.uniqueIdentities)
        violations += Self.changedImmutables(step, configuration.immutableIdentities)
        switch step.answer.status {
        case 200 where step.call == "modify":
            if step.after.count != step.before.count { violations.append("modify created") }
            if step.user != nil { violations.append("modify named a user") }
        case 200:
            violations += Self.violations(ofResolving: step, in: configuration)
        default:
            if step.after != step.before { violations.append("a refused request changed something") }
            if step.answer.errorCode == nil { violations.append("a refusal without errors") }
        }
        return violations
    }

    private static func violations(
        ofResolving step: IdentityWorld.Observation,
        in configuration: EmulatorConfiguration
    ) -> [String] {
        guard let mpid = step.user, let after = step.after[mpid] else { return ["resolved to nobody"] }
        var violations: [String] = []
        let before = step.before[mpid]
        if step.answer.isLoggedIn != after.isKnown { violations.append("is_logged_in lies") }
        if before?.isOrphaned ?? false { violations.append("an orphan was returned") }
        if after.isOrphaned { violations.append("a user without identities was returned") }
        if let before, before.isKnown, !Self.matches(step, before, configuration.loginIdentities) {
            violations.append("a known user without a login identity")
        }
        let immutable = configuration.immutableIdentities
        if let before, !immutable.isDisjoint(with: before.identities.keys), !Self.matches(step, before, immutable) {
            violations.append("a protected user without the immutable identity")
        }
        if step.call == "search", step.after != step.before { violations.append("search changed something") }
        if step.call == "logout" {
            if after.isKnown { violations.append("logout resolved to a known user") }
            if configuration.strategy != .isolation, step.returned.contains(mpid) || before != nil {
                violations.append("logout resolved to somebody old")
            }
        }
        if step.after.count - step.before.count != (before == nil ? 1 : 0) { violations.append("created another") }
        return violations
    }

    private static func matches(
        _ step: IdentityWorld.Observation,
        _ user: EmulatedUser,
        _ types: Set<IdentityType>
    ) -> Bool {
        step.identities.contains { types.contains($0.key) && user.identities[$0.key]?.contains($0.value) ?? false }
    }

    private static func sharedValues(_ users: [MPID: EmulatedUser], _ unique: Set<IdentityType>) -> [String] {
        unique.filter { type in
            let values = users.values.flatMap { $0.identities[type] ?? [] }
            return Set(values).count != values.count
        }.map { "\($0) is shared" }
    }

    private static func changedImmutables(
        _ step: IdentityWorld.Observation,
        _ immutable: Set<IdentityType>
    ) -> [String] {
        step.before.values.flatMap { user in
            immutable.filter { type in
                user.identities[type] != nil && step.after[user.mpid]?.identities[type] != user.identities[type]
            }.map { "\($0) of \(user.mpid) changed" }
        }
    }

    // MARK: Reached states

    private static let allStates = [
        "created", "found", "orphaned", "anonymous became known", "source", "several values", "changes reported",
        "unknown user", "immutable refused", "login refused", "logout returned", "search missed", "negative",
        "known by immutable",
    ]

    private static func states(
        of step: IdentityWorld.Observation,
        in configuration: EmulatorConfiguration
    ) -> [String] {
        let before = step.user.flatMap { step.before[$0] }
        let after = step.user.flatMap { step.after[$0] }
        let conditions: [(String, Bool)] = [
            ("created", step.after.count > step.before.count),
            ("found", before != nil),
            ("orphaned", step.after.values.count(where: \.isOrphaned) > step.before.values.count(where: \.isOrphaned)),
            ("anonymous became known", before?.isKnown == false && after?.isKnown == true),
            ("source", before == nil && after?.source != nil),
            ("several values", after?.identities.values.contains { $0.count > 1 } ?? false),
            ("changes reported", !(step.answer.json["change_results"]?.array ?? []).isEmpty),
            ("unknown user", step.call == "modify" && step.answer.status == 404),
            ("immutable refused", step.call == "modify" && step.answer.status == 400),
            ("login refused", step.answer.errorCode == "LOOKUP_ERROR"),
            ("logout returned", step.call == "logout" && before != nil),
            ("search missed", step.call == "search" && step.answer.status == 404),
            ("negative", (step.user?.rawValue ?? 0) < 0),
            ("known by immutable", before.map { Self.matches(step, $0, configuration.immutableIdentities) } ?? false),
        ]
        return conditions.filter(\.1).map(\.0)
    }
}
