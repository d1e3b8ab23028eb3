// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport

/// One thing that happens to a simulated fleet; its own seed says the rest, so that a step can be left out.
struct FleetStep: Sendable, Hashable {
    enum Kind: String, Sendable, CaseIterable {
        case log, burst, open, refresh
        case login, logout, increment, consent, optOut, optIn, erase, endSession
        case moment, minutes, wallClock
        case network, storeRefuses, storeLosesReply, storeIsAway, storeIsBack
        case databaseCrash, failover, rowsLocked
        case kill, shutdown

        /// The number of times among all.
        var weight: Int {
            switch self {
            case .log: 24
            case .burst: 3
            case .open, .refresh: 5
            case .login: 9
            case .logout, .increment, .consent: 4
            case .optOut, .optIn, .erase, .endSession: 1
            case .moment: 14
            case .minutes: 5
            case .wallClock: 1
            case .network: 4
            case .storeRefuses, .storeLosesReply: 5
            case .storeIsAway: 2
            case .storeIsBack: 4
            case .databaseCrash: 1
            case .failover: 3
            case .rowsLocked: 6
            case .kill: 3
            case .shutdown: 2
            }
        }
    }

    var kind: Kind
    var seed: UInt64

    /// The steps of a seed.
    ///
    /// A failover loses writes, and with them what is promised: only one world in eight has any. Another transaction locks rows in one of
    /// eight, too, so that the others are the worlds that they were.
    static func plan(of seed: UInt64) -> [FleetStep] {
        var generator = SeededGenerator(seed: seed)
        let losesWrites = seed % 8 == 0
        let locksRows = seed % 8 == 2
        let kinds = Kind.allCases.filter { (losesWrites || $0 != .failover) && (locksRows || $0 != .rowsLocked) }
            .flatMap { [Kind](repeating: $0, count: $0.weight) }
        return (0..<Int.random(in: 25...70, using: &generator)).map { _ in
            FleetStep(kind: kinds[Int.random(in: 0..<kinds.count, using: &generator)], seed: generator.next())
        }
    }
}
