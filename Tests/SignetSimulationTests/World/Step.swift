// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport

/// One thing that happens in a simulation; all about it that is left to chance, its own seed says.
///
/// So a step can be left out without a change to the others.
struct Step: Sendable, Hashable {
    enum Kind: String, Sendable, CaseIterable {
        case log, burst
        case login, logout, modify, identify, search
        case close, background, foreground
        case moment, minutes, hours, wallClock
        case network, disk
        case flush
        case kill, powerLoss, shutdown
        case optOut, forget
        case consent, pushToken, factsKill

        /// How often it happens among all.
        var weight: Int {
            switch self {
            case .log: 30
            case .burst: 4
            case .login: 7
            case .logout, .modify, .identify: 3
            case .search: 1
            case .close, .background, .foreground: 3
            case .moment: 14
            case .minutes: 5
            case .hours: 1
            case .wallClock: 1
            case .network: 6
            case .disk: 4
            case .flush: 3
            case .kill: 3
            case .powerLoss: 1
            case .shutdown: 2
            case .optOut, .forget: 2
            case .consent, .pushToken, .factsKill: 2
            }
        }
    }

    var kind: Kind
    var seed: UInt64

    /// The steps of a seed.
    static func plan(of seed: UInt64, count: ClosedRange<Int> = 25...70) -> [Step] {
        self.plan(of: seed, count: count, Self.weighed(Kind.allCases))
    }

    /// Those of the same seed before worlds had facts without an event.
    static func planWithoutFacts(of seed: UInt64) -> [Step] {
        self.plan(of: seed, Self.weighed(Kind.allCases.filter { ![.consent, .pushToken, .factsKill].contains($0) }))
    }

    private static func weighed(_ kinds: [Kind]) -> [Kind] {
        kinds.flatMap { [Kind](repeating: $0, count: $0.weight) }
    }

    /// The same with other chances: each kind as often as it is there.
    static func plan(of seed: UInt64, count: ClosedRange<Int> = 25...70, _ kinds: [Kind]) -> [Step] {
        var generator = SeededGenerator(seed: seed)
        return (0..<Int.random(in: count, using: &generator)).map { _ in
            Step(kind: kinds[Int.random(in: 0..<kinds.count, using: &generator)], seed: generator.next())
        }
    }
}
