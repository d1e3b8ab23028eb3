// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import Synchronization

/// Connects the threads that log to the queue that delivers: the journal holds the events, this only wakes the queue.
final class EventIngress: Sendable {
    /// An attribution of anonymous events to a user.
    struct NewAttribution: Sendable, Hashable {
        /// The number of the installation.
        let installation: UInt32
        /// The user of the events, and the last of the events.
        let anonymousAttribution: AnonymousAttribution
    }

    /// What the queue must know besides the events, since it last looked.
    struct Reports: Sendable {
        /// Anonymous events have users.
        var newAttributions: [NewAttribution] = []
        /// Installations that opted out.
        var optOuts: Set<UInt32> = []
        /// Installations that were reset.
        var resets: Set<UInt32> = []
        /// Installations whose events are due soon.
        var hastened: Set<UInt32> = []
        /// Installations whose users' consents the platform does not have; true if an earlier process or object has left them.
        var unsentConsents: [UInt32: Bool] = [:]
        /// Installations of a shared store whose row says whose their anonymous events are.
        var looks: Set<UInt32> = []
    }

    private let reports = Locked(Reports())
    private let currentInterval: Locked<Duration>
    /// The number of the event that wakes the queue; the highest number while it is awake or needs no waking.
    private let wakeAt = Atomic<UInt64>(.max)
    /// The most bytes of a short event: a hundred of that size are no more than a batch takes.
    static let longEvent = 1024
    /// The signal that wakes the queue.
    let wakeup = AsyncSignal()

    /// Makes an ingress without events.
    ///
    /// - Parameter interval: The upload interval: the longest time that events wait for others.
    init(interval: Duration = .seconds(600)) {
        self.currentInterval = Locked(interval)
    }

    /// The current upload interval.
    var interval: Duration {
        self.currentInterval.withLock { $0 }
    }

    /// Changes the upload interval, and wakes the queue to check the waiting events.
    func setInterval(_ interval: Duration) {
        self.currentInterval.withLock { $0 = interval }
        self.wakeup.signal()
    }

    /// Wakes the queue after an event was appended to the journal.
    func eventLogged() {
        self.wakeup.signal()
    }

    /// Wakes the queue, if necessary, after an event was appended to the journal.
    ///
    /// A full batch, a prompt event or a long one, of which fewer fill a batch, wakes the queue. So does an event
    /// without a number, which is in memory and must move to the journal. The queue wakes by itself when other events
    /// are due.
    func eventLogged(_ sequence: UInt64, _ urgency: EventMetadata.Urgency, bytes: Int = 0) {
        // Relaxed: the lock of the journal, taken by the append before and by the queue after it has set the number,
        // orders the two.
        let wakes = urgency == .prompt || sequence == 0 || bytes > Self.longEvent
        guard wakes || sequence >= self.wakeAt.load(ordering: .relaxed) else { return }
        // Later events need not wake it again.
        self.wakeAt.store(.max, ordering: .relaxed)
        self.wakeup.signal()
    }

    /// Sets the event that wakes the queue; called before it sleeps.
    ///
    /// The queue must check afterwards whether the event is there already.
    ///
    /// - Parameter sequence: The number of the event.
    func wake(at sequence: UInt64) {
        self.wakeAt.store(sequence, ordering: .relaxed)
    }

    /// Reports the first user of an installation, or the first after an erased one.
    ///
    /// Call it when the journal has the last event that was logged before that user.
    ///
    /// - Parameters:
    ///   - installation: The number of the installation.
    ///   - mpid: The user.
    ///   - limit: The number of that last event; later events belong to later users.
    func attributed(_ installation: UInt32, to mpid: MPID, upTo limit: UInt64 = .max) {
        let newAttribution = NewAttribution(
            installation: installation,
            anonymousAttribution: AnonymousAttribution(upTo: limit, mpid: mpid)
        )
        self.reports.withLock { $0.newAttributions.append(newAttribution) }
        self.wakeup.signal()
    }

    /// Reports that the row of an installation has users: its anonymous events belong to those of their moments.
    ///
    /// - Parameter installation: The number of the installation.
    func look(at installation: UInt32) {
        self.reports.withLock { _ = $0.looks.insert(installation) }
        self.wakeup.signal()
    }

    /// Reports that an installation has opted out.
    ///
    /// Call it when the installation's record has the last event to drop.
    ///
    /// - Parameter installation: The number of the installation.
    func optedOut(_ installation: UInt32) {
        self.reports.withLock { _ = $0.optOuts.insert(installation) }
        self.wakeup.signal()
    }

    /// True while an opt-out or a reset has been reported and not taken.
    var forbidsCutting: Bool {
        self.reports.withLock { !$0.optOuts.isEmpty || !$0.resets.isEmpty }
    }

    /// Reports that an installation was reset: nothing of it is sent from now on.
    ///
    /// Call it when its record is written down.
    ///
    /// - Parameter installation: The number of the installation.
    func reset(_ installation: UInt32) {
        self.reports.withLock { _ = $0.resets.insert(installation) }
        self.wakeup.signal()
    }

    /// Makes the events that an installation has logged so far due soon, because its app may not live for long.
    ///
    /// - Parameter installation: The number of the installation.
    func hasten(_ installation: UInt32) {
        self.reports.withLock { _ = $0.hastened.insert(installation) }
        self.wakeup.signal()
    }

    /// Reports that the platform does not have consents of an installation's users.
    ///
    /// Call it when the installation's record says so.
    ///
    /// - Parameters:
    ///   - installation: The number of the installation.
    ///   - isLate: True if an earlier process or object has left them: they have waited.
    func consentsUnsent(_ installation: UInt32, isLate: Bool = false) {
        let isNew = self.reports.withLock { reports in
            let before = reports.unsentConsents[installation]
            reports.unsentConsents[installation] = isLate && before ?? true
            return before == nil
        }
        if isNew { self.wakeup.signal() }
    }

    /// Takes what was reported since the last call.
    func takeReports() -> Reports {
        self.reports.withLock { reports in
            defer { reports = Reports() }
            return reports
        }
    }
}
