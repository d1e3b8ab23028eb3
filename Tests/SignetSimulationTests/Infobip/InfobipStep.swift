// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport

/// One thing that happens to profiles in a simulation; its seed decides the particulars.
struct InfobipStep: Sendable, Hashable {
    enum Kind: String, Sendable, CaseIterable {
        case save, saveInstallation, personalize, depersonalize, depersonalizeOther, setPrimary
        case fetchUser, fetchInstallation
        case immediateEvent, queuedEvent, active
        case token, expire, retry, optOut
        case network, moment, minutes, rest
        case kill, lateKill, powerLoss

        /// How often it happens among all.
        var weight: Int {
            switch self {
            case .save: 20
            case .saveInstallation: 8
            case .personalize: 10
            case .depersonalize: 6
            case .depersonalizeOther: 4
            case .setPrimary: 3
            case .fetchUser: 4
            case .fetchInstallation: 2
            case .immediateEvent: 2
            case .queuedEvent: 4
            case .active: 1
            case .token: 4
            case .expire: 3
            case .retry: 2
            case .optOut: 1
            case .network: 9
            case .moment: 12
            case .minutes: 3
            case .rest: 5
            case .kill: 3
            case .lateKill: 3
            case .powerLoss: 1
            }
        }
    }

    var kind: Kind
    var seed: UInt64
    /// What goes wrong with the disks from then on; nil where that stays.
    var disk: DiskFault?

    private static let kinds = Kind.allCases.flatMap { [Kind](repeating: $0, count: $0.weight) }

    /// The steps of a seed; power is lost in one world of eight, for so much is excused there.
    static func plan(of seed: UInt64) -> [InfobipStep] {
        var generator = SeededGenerator(seed: seed)
        let losesPower = generator.chance(0.125)
        // From a generator of its own, so that the worlds without it are what they were before there was such a thing.
        var more = SeededGenerator(seed: seed ^ 0x6469_736B)
        let hasBadDisk = more.chance(0.2)
        return (0..<Int.random(in: 15...60, using: &generator)).map { _ in
            var kind = Self.kinds[Int.random(in: 0..<Self.kinds.count, using: &generator)]
            if kind == .powerLoss, !losesPower { kind = .kill }
            let changesDisk = hasBadDisk && more.chance(0.15)
            let faults = DiskFault.allCases[Int.random(in: 0..<DiskFault.allCases.count, using: &more)]
            return InfobipStep(
                kind: kind,
                seed: generator.next(),
                disk: changesDisk ? more.pick(.fine, faults) : nil
            )
        }
    }
}
