// SPDX-License-Identifier: Apache-2.0

public import Signet
public import SignetEmulator
import SignetLock

/// What goes wrong between a ``MemorySharedStore`` and its database, as a test says.
public final class MemoryStoreFaults: Sendable {
    /// The calls of a `SharedStore`.
    public enum Call: String, Sendable, Hashable, CaseIterable {
        /// Opens the tables.
        case prepare
        /// Reads rows.
        case read
        /// Writes rows.
        case commit
        /// Reads the latest consents of users.
        case consents
        /// Writes the latest consent of a user.
        case writeConsent
        /// Removes the consent of a user.
        case removeConsent
        /// Removes consents of users whom no row names.
        case removeConsents
        /// Takes the right to make an identity call.
        case takeSlot
        /// Prolongs that right.
        case renewSlot
        /// Gives that right back.
        case releaseSlot
        /// Writes the activity of sessions.
        case flush
        /// Claims sessions whose timeout is over.
        case claimDue
        /// Enters a replica into the list.
        case join
        /// Takes a replica from the list.
        case leave
        /// Lists the replicas.
        case replicas
        /// Stores an erasure for all replicas.
        case erase
        /// Stores that no row names the user of an erasure.
        case finishRows
        /// Lists the users whom rows name.
        case mentionedUsers
        /// Finds rows that name a user.
        case mentions
        /// Lists the erasures that a replica has not made.
        case pendingErasures
        /// Says that a replica has made an erasure.
        case acknowledge
        /// Lists the replicas that have made an erasure.
        case acknowledgements
        /// Finds erasures by the hashes of their users.
        case erasures
        /// Lists all erasures.
        case allErasures
        /// Removes a row.
        case remove
        /// Removes rows that were idle for some days.
        case removeIdle
        /// Forgets erasures that are over.
        case forgetEnded
    }

    /// A fault of one call.
    public enum Fault: Sendable {
        /// The call fails, and nothing has happened: `unreachable`, `busy` or another error.
        case refused(SharedStoreError)
        /// The call happens, and its answer is lost: `outcomeUnknown`.
        case replyLost
        /// The call is given up, and happens right before the next one of its kind: `outcomeUnknown`.
        case requestLate
        /// The call waits at a gate before it happens. Cancelled there, it never does.
        case requestHeld(EmulatorGate)
        /// The call happens, and its answer waits at a gate: it is old when it arrives.
        case replyHeld(EmulatorGate)

        /// The database is not reached.
        public static let unreachable = Fault.refused(SharedStoreError(.unreachable, "The database is away."))
    }

    private struct Plan: Sendable {
        var fault: Fault
        var call: Call?
        /// Nil for as long as the plan stands.
        var left: Int?
    }

    private let plans = Locked([Plan]())

    /// Makes a store on which nothing goes wrong.
    public init() {}

    /// Plans a fault of the next calls.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - call: Only these calls; nil for all.
    ///   - times: The number of calls.
    public func inject(_ fault: Fault, on call: Call? = nil, times: Int = 1) {
        guard times > 0 else { return }
        self.plans.withLock { $0.append(Plan(fault: fault, call: call, left: times)) }
    }

    /// Plans a fault of all calls from now on, after those of ``inject(_:on:times:)``.
    public func injectAlways(_ fault: Fault, on call: Call? = nil) {
        self.plans.withLock { $0.append(Plan(fault: fault, call: call, left: nil)) }
    }

    /// Ends all plans; calls that are held stay so.
    public func clear() {
        self.plans.withLock { $0.removeAll() }
    }

    /// The fault of a call that begins; limited plans come first, in their order.
    func next(for call: Call) -> Fault? {
        self.plans.withLock { plans in
            let fitting = plans.indices.filter { plans[$0].call == nil || plans[$0].call == call }
            guard let index = fitting.first(where: { plans[$0].left != nil }) ?? fitting.first else { return nil }
            let fault = plans[index].fault
            if let left = plans[index].left {
                plans[index].left = left - 1
                if left == 1 { plans.remove(at: index) }
            }
            return fault
        }
    }
}
