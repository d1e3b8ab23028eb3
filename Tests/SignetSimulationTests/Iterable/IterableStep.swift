// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport

/// One thing that happens to visitors in a simulation; its seed decides the particulars.
struct IterableStep: Sendable, Hashable {
    enum Kind: String, Sendable, CaseIterable {
        case track, signup, update
        case consent, identify, login, logout, leave, changeEmail
        case token, optOut
        case network, moment, minutes, hours
        case kill, lateKill, shutdown

        /// How often it happens among all.
        var weight: Int {
            switch self {
            case .track: 22
            case .network: 9
            case .moment: 10
            case .consent, .identify: 6
            case .signup, .update, .login, .minutes, .kill, .lateKill: 4
            case .token: 3
            case .logout, .leave, .changeEmail, .optOut, .shutdown: 2
            case .hours: 1
            }
        }
    }

    let kind: Kind
    let seed: UInt64

    private static let kinds = Kind.allCases.flatMap { [Kind](repeating: $0, count: $0.weight) }

    /// The steps of a seed.
    static func plan(of seed: UInt64) -> [IterableStep] {
        var generator = SeededGenerator(seed: seed)
        return (0..<Int.random(in: 15...60, using: &generator)).map { _ in
            let kind = Self.kinds[Int.random(in: 0..<Self.kinds.count, using: &generator)]
            return IterableStep(kind: kind, seed: generator.next())
        }
    }
}
