// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The numbers of installations in a shared store of which nothing may wait any more, until this replica forgets them.
///
/// A number comes here when its last event or batch is gone, and when its last object has left memory.
struct SpentNumbers: Sendable {
    /// The decision about a number.
    enum Decision {
        /// Nothing needs it.
        case now
        /// Something needs it that does not say when it is over.
        case again
        /// Events or batches wait; it comes here again when the last one is gone.
        case later
    }

    /// The time after which numbers are looked at again that could not be forgotten yet.
    static let pause = Duration.seconds(30)

    private let context: RuntimeContext
    /// Numbers that could not be forgotten yet.
    private var held: Set<UInt32> = []
    private var idle: [ReplicaNumbers.Idle] = []

    init(_ context: RuntimeContext) {
        self.context = context
    }

    /// Collects the numbers that are idle now.
    ///
    /// It comes before reports and the journal are read: what an object has logged or reported before it left memory is then known.
    ///
    /// - Parameter emptied: The numbers of which nothing waits any more.
    mutating func collect(_ emptied: [UInt32]) {
        self.held.formUnion(emptied)
        self.idle = self.context.numbers.takeIdle(besides: self.held.union(self.idle.map(\.number)))
        self.held = []
    }

    /// True if none is collected.
    var isEmpty: Bool {
        self.idle.isEmpty
    }

    /// True if some could not be forgotten, and nothing else wakes the queue for them.
    var holds: Bool {
        !self.held.isEmpty
    }

    /// Forgets the collected numbers, after the journal was read to its end.
    mutating func forget(_ decide: (UInt32) -> Decision) {
        let idle = self.idle
        self.idle = []
        for one in idle {
            switch decide(one.number) {
            case .later: continue
            case .again: self.held.insert(one.number)
            case .now:
                do throws(SignetError) {
                    try self.context.numbers.forget(one)
                } catch {
                    // The disk refuses it: tried again when the queue looks next.
                    self.held.insert(one.number)
                }
            }
        }
    }
}

extension EventBacklog {
    /// Forgets the numbers of installations of which this replica has nothing left.
    mutating func forgetNumbers() {
        guard var spent = self.spent, !spent.isEmpty else { return }
        defer { self.spent = spent }
        let named: Set<UInt32>?
        do throws(SignetError) {
            named = try self.isSettled ? self.deadLetters.installations() : nil
        } catch {
            // Unreadable dead letters may name them all.
            named = nil
        }
        spent.forget { number in
            if self.machine.lines.find(number) != nil { return .later }
            guard let named, !named.contains(number), !self.shared.concerns(number), !self.intake.looks(at: number),
                !self.unsentConsents.contains(number),
                !self.answered.contains(where: { $0.installation == number })
            else { return .again }
            return .now
        }
    }

    /// True if no event has left the queue that is still in the journal or in memory.
    private var isSettled: Bool {
        self.intake.isRestored && self.context.memory.count == 0 && self.machine.dropped.isEmpty
            && self.machine.forgotten.isEmpty
    }
}
