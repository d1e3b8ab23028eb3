// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

import struct FoundationEssentials.UUID

/// Delivers the events of the journal in batches until the platform has answered for every event.
///
/// An event leaves the journal when the platform has accepted it or refused it for good. A refused batch is first
/// written to disk as a dead letter.
actor EventQueue {
    let services: EventServices
    var machine: UploadStateMachine
    /// Batches that have no answer yet.
    var held: [UUID: InFlightBatch] = [:]
    /// The last event of earlier processes.
    let leftBefore: UInt64
    /// The last number of the journal that has been taken in.
    var lastSequence: UInt64 = 0
    /// Callers that wait for delivery, by the number of their goal.
    var waiters: [Int: Promise<UploadStateMachine.Progress>] = [:]
    /// True when `run` has returned: nothing is delivered any more.
    var hasEnded = false
    /// True when the data of earlier processes has been read to its end.
    var isRestored = false
    /// Events that belong to batches of an earlier process; known until the journal has been read to its end.
    var owned: Set<UInt64>?
    /// Attributions that are reported, but not applied, because the journal could not be read.
    var newAttributions: [EventIngress.NewAttribution] = []
    /// Installations whose events are due soon; kept because the journal could not be read yet.
    var hastened: Set<UInt32> = []
    /// Installations that opted out and whose events are still in the queue, with the names of their records.
    var optOuts: [UInt32: Set<UInt64>] = [:]
    /// Installations that were reset, until their events have gone from disk.
    var resets: Set<UInt32> = []
    /// Events of opted-out installations that are not sent any more, but that the disk has not removed, by
    /// installation.
    var optedOut: [UInt32: TakenOff] = [:]
    /// True when the last attempt to read the journal failed.
    var isUnreadable = false
    /// The error of that attempt.
    var readFailure: SignetError?
    /// Answered batches whose events are still in the journal, because the disk refused to remove them.
    var unsettled: [[BatchOutcome]] = []
    /// The time of the next try to remove them.
    var settleAgainAt: Duration = .zero
    /// True when a pause is written down.
    var isPauseStored = false
    /// The error of the last try.
    var lastFailure: SignetError?
    /// The dead letters, oldest first; nil until first needed.
    var deadLettered: [(id: UUID, events: Int)]?
    /// Looks for events that are too old.
    var ageing: EventAgeing
    /// A cache of the numbers of installations by name.
    var numbers: [InstallationID: UInt32] = [:]
    /// Batches that were sent and have no answer yet.
    var onWire: Set<UUID> = []
    /// Erasures that wait until no batch of their user is on the wire.
    var answerWaiters: [(mpid: MPID, promise: Promise<Void>)] = []
    /// The number of events erased in batches to be sent again, since the last erasure began.
    var erasedResends = 0

    /// The pause after the disk could not be read or written.
    static let diskPause = Duration.seconds(5)

    init(services: EventServices) {
        self.services = services
        self.leftBefore = services.journal.lastSequence
        self.machine = UploadStateMachine(limits: services.limits, now: services.time.uptime)
        self.ageing = EventAgeing(services.time, keeping: services.limits.maximumAge)
    }

    var now: Duration {
        self.services.time.uptime
    }

    /// Delivers until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let isTakenIn = self.takeIn()
            guard self.isRestored else {
                await self.services.ingress.wakeup.wait(until: self.now + Self.diskPause, on: self.services.time)
                continue
            }
            self.settleAgain()
            self.dropOld()
            let deadline = self.act()
            self.resumeWaiters()
            let retry = isTakenIn ? nil : self.now + Self.diskPause
            let memory = self.services.memory.count > 0 ? self.now + Self.diskPause : nil
            let settle = self.unsettled.isEmpty ? nil : self.settleAgainAt
            let wakeUp = [deadline, retry, settle, memory].compactMap { $0 }.min()
            if isTakenIn {
                await self.sleep(until: wakeUp)
            } else {
                // Updates of the journal are not available: only time helps, or a caller's request.
                await self.services.ingress.wakeup.wait(until: wakeUp, on: self.services.time)
            }
        }
        self.hasEnded = true
        for waiter in self.waiters.values { waiter.resolve(.underWay) }
        self.waiters = [:]
    }

    /// Performs the actions of the machine until it says to wait.
    ///
    /// - Returns: The deadline; nil to wait for updates.
    private func act() -> Duration? {
        while true {
            switch self.machine.next(now: self.now) {
            case .cut(let cut):
                self.cut(cut)
            case .send(let request):
                let isAccepted = self.services.jobs.submit { await self.upload(request) }
                if !isAccepted {
                    self.machine.finished(request.number, .postponed(.zero, .failure), now: self.now)
                    return self.now + Self.diskPause
                }
            case .wait(let deadline):
                return deadline
            }
        }
    }

    private func sleep(until deadline: Duration?) async {
        // Without a deadline the queue waits for an answer; in a pause only limits and ages matter.
        let events =
            self.machine.isPaused(now: self.now) || deadline == nil ? 8192 : self.machine.eventsUntilFull
        // A batch that is full already waits for something other than events.
        let wakeAt = self.lastSequence + max(1, events)
        self.services.ingress.wake(at: wakeAt)
        if self.services.journal.lastSequence < wakeAt {
            await self.services.ingress.wakeup.wait(until: deadline, on: self.services.time)
        }
        self.services.ingress.wake(at: .max)
    }
}
