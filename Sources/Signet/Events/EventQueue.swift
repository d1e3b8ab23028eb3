//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetModel

import struct FoundationEssentials.UUID

/// Delivers what is in the journal, in batches, until the platform has answered for every event.
///
/// An event leaves the journal when the platform has taken it or refused it for good; in the second case its batch is set
/// aside on disk first.
actor EventQueue {
    let services: EventServices
    var machine: UploadStateMachine
    /// Batches that have no answer yet.
    var held: [UUID: InFlightBatch] = [:]
    /// The last event of earlier processes.
    let leftBefore: UInt64
    /// The last number of the journal that has been taken in.
    var lastSequence: UInt64 = 0
    /// Those who wait until something was delivered, by the number of their goal.
    var waiters: [Int: Promise<UploadStateMachine.Progress>] = [:]
    /// Whether `run` has returned: nothing is delivered any more.
    var hasEnded = false
    /// Whether what an earlier process left has been read to its end.
    var isRestored = false
    /// Events that belong to batches of an earlier process; known until the journal has been read to its end.
    var owned: Set<UInt64>?
    /// Told, but not carried out, because the journal could not be read.
    var adoptions: [EventIngress.Adoption] = []
    /// Installations whose events are not to wait for company, because the journal could not be read yet.
    var hastened: Set<UInt32> = []
    /// Installations that have opted out and whose events are still to be taken off, with what their records are called.
    var optOuts: [UInt32: Set<UInt64>] = [:]
    /// Installations that were reset, until their events have gone from disk.
    var resets: Set<UInt32> = []
    /// Events of those that are not sent any more, but that the disk has not let go, by installation.
    var optedOut: [UInt32: TakenOff] = [:]
    /// Whether the last attempt to read the journal failed.
    var isUnreadable = false
    /// What it failed with.
    var readFailure: SignetError?
    /// Answered for, but not yet taken out of the journal, because the disk refused.
    var unsettled: [[BatchOutcome]] = []
    /// When the disk that refused is asked again.
    var settleAgainAt: Duration = .zero
    /// Whether a pause is written down.
    var isPauseStored = false
    /// What the last try failed with.
    var lastFailure: SignetError?
    /// The batches that are set aside, oldest first; nil until somebody needs to know.
    var deadLettered: [(id: UUID, events: Int)]?
    /// Looks for events that are too old.
    var ageing: EventAgeing
    /// Numbers of installations that somebody has asked for by name.
    var numbers: [InstallationID: UInt32] = [:]
    /// Batches that have gone out and have no answer yet.
    var onWire: Set<UUID> = []
    /// Those who erase a user and wait until no batch of theirs is on the wire.
    var answerWaiters: [(mpid: MPID, promise: Promise<Void>)] = []
    /// Events of batches to be sent again that were erased since somebody last asked.
    var erasedResends = 0

    /// How long to leave a disk alone that cannot be read or written.
    static let diskPause = Duration.seconds(5)

    /// Makes a queue.
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
            self.tellWaiters()
            let retry = isTakenIn ? nil : self.now + Self.diskPause
            let memory = self.services.memory.count > 0 ? self.now + Self.diskPause : nil
            let settle = self.unsettled.isEmpty ? nil : self.settleAgainAt
            let wakeUp = [deadline, retry, settle, memory].compactMap { $0 }.min()
            if isTakenIn {
                await self.sleep(until: wakeUp)
            } else {
                // Its updates are not to be had: only time helps, and whoever asks for something.
                await self.services.ingress.wakeup.wait(until: wakeUp, on: self.services.time)
            }
        }
        self.hasEnded = true
        for waiter in self.waiters.values { waiter.resolve(.underWay) }
        self.waiters = [:]
    }

    /// Does what the machine says, until it says to wait.
    ///
    /// - Returns: Until when; nil for updates.
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
        // Without a deadline it is an answer that is waited for; in a pause only limits and ages are to be kept.
        let events =
            self.machine.isPaused(now: self.now) || deadline == nil ? 8192 : self.machine.eventsUntilFull
        // A batch that is full already waits for something else than events.
        let wakeAt = self.lastSequence + max(1, events)
        self.services.ingress.wake(at: wakeAt)
        if self.services.journal.lastSequence < wakeAt {
            await self.services.ingress.wakeup.wait(until: deadline, on: self.services.time)
        }
        self.services.ingress.wake(at: .max)
    }
}
