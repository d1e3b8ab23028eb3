// SPDX-License-Identifier: Apache-2.0

/// Takes reset installations off the queue, and keeps them off until their events have gone from disk.
struct InstallationResets: Sendable {
    private let context: RuntimeContext
    private let events: WaitingEvents
    /// The numbers of installations whose events are still on disk.
    private var numbers: Set<UInt32> = []

    init(_ context: RuntimeContext, _ events: WaitingEvents) {
        self.context = context
        self.events = events
    }

    /// Adds installations that were reset.
    mutating func add(_ numbers: Set<UInt32>) {
        self.numbers.formUnion(numbers)
    }

    /// Removes all events and batches of these installations from the queue: their consent is gone, or will go.
    func takeOff(from machine: inout UploadStateMachine, _ held: inout HeldBatches) {
        for number in self.numbers {
            for id in machine.remove(number) { held[id] = nil }
        }
        if !self.numbers.isEmpty { self.events.settled.signal() }
    }

    /// True while events or batches of an installation may be on disk that was reset.
    func contains(_ number: UInt32) -> Bool {
        self.numbers.contains(number)
    }

    /// Counts the removed events of an installation; if the disk refused the rest, another call finishes the reset.
    mutating func finish(_ number: UInt32, _ removed: RemovedEvents, _ result: Result<Void, SignetError>) {
        self.count(removed)
        if case .success = result { self.numbers.remove(number) }
    }

    private func count(_ removed: RemovedEvents) {
        self.context.statistics.record {
            $0.eventsResending -= removed.resends
            $0.eventsDiscarded += removed.deadLetters
        }
        self.context.dropped(removed.events + removed.resends, .reset)
        // Callers that wait for these events resume.
        self.events.settled.signal()
        self.context.ingress.wakeup.signal()
    }
}
