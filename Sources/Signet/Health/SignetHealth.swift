// SPDX-License-Identifier: Apache-2.0

/// The health of a runtime at one moment.
///
/// <doc:Monitoring> says what to do about each reason.
public enum SignetHealth: Sendable, Hashable {
    /// The runtime runs, and nothing is wrong.
    case ready
    /// Something is wrong: for each trouble one reason, the graver ones first.
    case degraded([HealthReason])

    /// The reasons; empty if nothing is wrong.
    public var reasons: [HealthReason] {
        switch self {
        case .ready: []
        case .degraded(let reasons): reasons
        }
    }

    /// True unless a reason makes calls of the runtime fail; for a readiness probe.
    ///
    /// A pause of uploads leaves it true: events are accepted, and wait on disk. So does a full storage: events are refused,
    /// and all else works. A probe that failed then would take all replicas of a service away because the platform is down.
    ///
    /// With `whenUnreachable: .logOnly` a shared store that is not reached leaves it true, too: pages go on without it.
    public var acceptsCalls: Bool {
        !self.reasons.contains { $0.stopsCalls }
    }
}
