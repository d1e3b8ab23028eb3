// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Connects the parts that make due work with the runner that does it.
///
/// All of it is on disk already: the next start finds it if the process dies first.
final class DueWorkReports: Sendable {
    /// The state of the identity endpoint, by the answer to the call of an installation.
    struct IdentityEvidence: Sendable {
        let installation: UInt32
        /// Nil if it is well.
        let failure: SignetError?
    }

    /// The reports since the runner last looked.
    struct Reports: Sendable {
        /// Installations whose open session no object watches.
        var leftOpen: [UInt32] = []
        /// All marked sessions are looked at again: the timeout has changed.
        var isTimeoutChanged = false
        /// Installations whose app has identified, or asked for an identify: they no longer wait for the app.
        var identified: [UInt32] = []
        var identity: [IdentityEvidence] = []
        /// It is time to see what the oldest events wait for.
        var isMinuteOver = false
        /// The disk has refused an opt-out's event, or a service could not follow one.
        var areOptOutsDue = false
        /// Events may wait for a user whom no request under way will bring.
        var mayLackUsers = false
        /// Installations with work for services.
        var services: [UInt32] = []
        /// Services whose app asks for another try of everything.
        var retried: [IdentitySyncOutcome.Service] = []
        /// Installations with facts that the platform lacks.
        var facts: [UInt32] = []
    }

    /// The runner's counts, for statistics and health.
    struct Status: Sendable, Hashable {
        /// One kind of due work.
        struct Kind: Sendable, Hashable {
            var count = 0
            /// Of these, those that are due; nil for all.
            var overdue: Int?
            /// The uptime since which something of it waits without a break.
            var since: Duration?
            /// The code of the last failure; nil after a success.
            var lastError: SignetError.Code?
            var httpStatus: Int?
        }

        var kinds: [String: Kind] = [:]
        /// Pieces of work done since the start, by kind.
        var done: [String: Int] = [:]
        var eventsWaitingForUser = 0
        var eventsWaitingForApp = 0
        /// The times of the oldest events, by what they wait for, in milliseconds since 1970.
        var oldest: [String: Int64] = [:]
        /// True if the runner wants to hear of successful identity calls.
        var listensForSuccess = false
    }

    private let reports = Locked(Reports())
    private let published = Locked(Status())
    /// The numbers that wait for a visit, in a replica.
    private let held = Locked<[UInt32: InstallationNumbers.Lease]>([:])
    /// The signal that wakes the runner.
    let wakeup = AsyncSignal()

    /// Reports something, and wakes the runner.
    func report(_ change: (inout Reports) -> Void) {
        self.reports.withLock { change(&$0) }
        self.wakeup.signal()
    }

    /// Reports that the platform lacks facts of an installation in a shared store.
    ///
    /// Its number is not forgotten before the visit, though nothing else may wait under it.
    func owesFacts(_ lease: InstallationNumbers.Lease) {
        self.held.withLock { $0[lease.number] = lease }
        self.report { $0.facts.append(lease.number) }
    }

    /// Lets a number go after a visit that has left nothing.
    func letGo(of number: UInt32) {
        _ = self.held.withLock { $0.removeValue(forKey: number) }
    }

    /// Reports the outcome of an identify, login or logout.
    func identityAnswered(_ number: UInt32, _ outcome: IdentityOutcome) {
        switch outcome {
        case .resolved:
            guard self.status.listensForSuccess else { return }
            self.report { reports in
                reports.identified.append(number)
                reports.identity.append(IdentityEvidence(installation: number, failure: nil))
            }
        case .failed(let error):
            self.report { reports in
                reports.mayLackUsers = true
                if case .unwell = DueLane.Outcome(failure: error) {
                    reports.identity.append(IdentityEvidence(installation: number, failure: error))
                }
            }
        case .modified, .searched: break
        }
    }

    /// Takes what was reported since the last call.
    func take() -> Reports {
        self.reports.withLock { reports in
            defer { reports = Reports() }
            return reports
        }
    }

    /// The counts of the runner's last look.
    var status: Status {
        self.published.withLock { $0 }
    }

    func publish(_ change: (inout Status) -> Void) {
        self.published.withLock { change(&$0) }
    }
    /// Publishes what a look has left, which no lane knows of.
    ///
    /// - Parameters:
    ///   - kind: The kind of work.
    ///   - count: The number of pieces; the time since which there are some goes on from look to look.
    ///   - now: Uptime.
    func publishLeft(_ kind: String, _ count: Int, now: Duration) {
        self.publish { status in
            let since = count == 0 ? nil : status.kinds[kind]?.since ?? now
            status.kinds[kind] = Status.Kind(count: count, since: since)
        }
    }
}
