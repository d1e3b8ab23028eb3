//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel
import Synchronization

/// The way from the threads that log to the queue that delivers: the journal holds the events, this only wakes the queue.
final class EventIngress: Sendable {
    /// Events of nobody that have got a user.
    struct Adoption: Sendable, Hashable {
        /// The number of the installation.
        let installation: UInt32
        /// Whose they are.
        let inheritance: AnonymousAttribution
    }

    private let adoptions = Locked<[Adoption]>([])
    private let optOuts = Locked<Set<UInt32>>([])
    private let resets = Locked<Set<UInt32>>([])
    private let hastened = Locked<Set<UInt32>>([])
    private let currentInterval: Locked<Duration>
    /// The number of an event that wakes the queue; the highest while it is awake, or needs no waking.
    private let wakeAt = Atomic<UInt64>(.max)
    /// The bytes of an event beyond which it is long: a hundred shorter ones are no more than a batch takes.
    static let longEvent = 1024
    /// Wakes the queue.
    let wakeup = AsyncSignal()

    /// Makes one without events.
    ///
    /// - Parameter interval: How long events wait for company.
    init(interval: Duration = .seconds(600)) {
        self.currentInterval = Locked(interval)
    }

    /// How long events wait for company, as of now.
    var interval: Duration {
        self.currentInterval.withLock { $0 }
    }

    /// Changes how long events wait for company, and has the queue look at what waits.
    func setInterval(_ interval: Duration) {
        self.currentInterval.withLock { $0 = interval }
        self.wakeup.signal()
    }

    /// An event is in the journal.
    func eventLogged() {
        self.wakeup.signal()
    }

    /// An event is in the journal under this number.
    ///
    /// The queue is woken for a full batch and for an event that is prompt; it wakes by itself when others are due. It is
    /// woken for a long one, of which fewer fill a batch, and for one without a number too, which is in memory and to be
    /// moved to the journal.
    func eventLogged(_ sequence: UInt64, _ urgency: EventMetadata.Urgency, bytes: Int = 0) {
        // Relaxed: the lock of the journal, taken by the append before and by the queue after it has set the number, orders
        // the two.
        let wakes = urgency == .prompt || sequence == 0 || bytes > Self.longEvent
        guard wakes || sequence >= self.wakeAt.load(ordering: .relaxed) else { return }
        // Those who come next need not wake it again.
        self.wakeAt.store(.max, ordering: .relaxed)
        self.wakeup.signal()
    }

    /// The queue is about to sleep.
    ///
    /// It must look afterwards whether the event is there already.
    ///
    /// - Parameter sequence: The number of the event that is to wake it.
    func wake(at sequence: UInt64) {
        self.wakeAt.store(sequence, ordering: .relaxed)
    }

    /// The first user of an installation is known, or the first after one who was erased.
    ///
    /// Told after the journal has the last event that was logged for nobody.
    ///
    /// - Parameters:
    ///   - installation: The number of the installation.
    ///   - mpid: The user.
    ///   - limit: That last event: what follows it is of whoever comes later.
    func adopted(_ installation: UInt32, by mpid: MPID, upTo limit: UInt64 = .max) {
        let adoption = Adoption(installation: installation, inheritance: AnonymousAttribution(upTo: limit, heir: mpid))
        self.adoptions.withLock { $0.append(adoption) }
        self.wakeup.signal()
    }

    /// An installation has opted out.
    ///
    /// Told after its record says up to which event it is to drop.
    ///
    /// - Parameter installation: Its number.
    func optedOut(_ installation: UInt32) {
        self.optOuts.withLock { _ = $0.insert(installation) }
        self.wakeup.signal()
    }

    /// Whether an opt-out or a reset was told that was not taken yet.
    var forbidsCutting: Bool {
        self.optOuts.withLock { !$0.isEmpty } || self.resets.withLock { !$0.isEmpty }
    }

    /// An installation was reset: nothing of it is sent from now on.
    ///
    /// Told after its record is written down.
    ///
    /// - Parameter installation: Its number.
    func reset(_ installation: UInt32) {
        self.resets.withLock { _ = $0.insert(installation) }
        self.wakeup.signal()
    }

    /// Takes those that were reset since the last time.
    func takeResets() -> Set<UInt32> {
        self.resets.withLock { resets in
            defer { resets = [] }
            return resets
        }
    }

    /// Takes those that have opted out since the last time.
    func takeOptOuts() -> Set<UInt32> {
        self.optOuts.withLock { optOuts in
            defer { optOuts = [] }
            return optOuts
        }
    }

    /// The app of an installation may not live for long: what it has logged so far is not to wait for company.
    ///
    /// - Parameter installation: Its number.
    func hasten(_ installation: UInt32) {
        self.hastened.withLock { _ = $0.insert(installation) }
        self.wakeup.signal()
    }

    /// Takes those that were hastened since the last time.
    func takeHastened() -> Set<UInt32> {
        self.hastened.withLock { hastened in
            defer { hastened = [] }
            return hastened
        }
    }

    /// Takes what has been told since the last time.
    func takeAdoptions() -> [Adoption] {
        self.adoptions.withLock { adoptions in
            defer { adoptions = [] }
            return adoptions
        }
    }
}
