// SPDX-License-Identifier: Apache-2.0

package import struct FoundationEssentials.UUID

/// Decides for one installation what a service is sent, and what the answers mean.
///
/// It is a value: no clock, no disk, no waiting. ``LinkedServiceDriver`` performs what it decides.
package protocol LinkedMachine: Sendable {
    /// A request, or the wait for a token.
    associatedtype Operation: Sendable
    /// The outcome of an operation.
    associatedtype Answer: Sendable
    /// A consequence of a decision.
    associatedtype Action: Sendable

    /// The newest entry of the outbox that was taken over.
    var followed: UUID? { get }

    /// The user of the installation whom the service knows; nil if it knows none.
    var synced: SyncedUser? { get }

    /// The reason for the present pause; nil after a success, and without a pause.
    var obstacle: LinkedObstacle? { get }

    /// True if an operation is in flight or pending, if only after a pause.
    func hasWork(now: Duration, milliseconds: Int64) -> Bool

    /// True if a removal of the installation need not wait for the work.
    var mayBeGivenUp: Bool { get }

    /// Chooses the next step; an operation is in flight from then on.
    ///
    /// - Parameters:
    ///   - now: Uptime.
    ///   - milliseconds: The wall clock.
    /// - Returns: The step.
    mutating func next(now: Duration, milliseconds: Int64) -> LinkedStep<Operation>

    /// Handles the end of an operation; the answer to one that is not in flight comes too late and is ignored.
    ///
    /// - Parameters:
    ///   - number: The number that ``next(now:milliseconds:)`` gave.
    ///   - answer: The outcome.
    ///   - now: Uptime.
    ///   - milliseconds: The wall clock.
    ///   - jitter: From 0 to 1, for the length of a pause.
    /// - Returns: The actions.
    mutating func finish(
        _ number: Int,
        _ answer: Answer,
        now: Duration,
        milliseconds: Int64,
        jitter: Double
    ) -> [Action]

    /// Ends the operation in flight because the runtime ends; its outcome is unknown.
    mutating func interrupt()
}

extension LinkedMachine {
    package var mayBeGivenUp: Bool { false }
}

/// The reason that a ``LinkedMachine`` pauses.
package enum LinkedObstacle: Sendable {
    /// The service cannot be reached, or does nothing for anybody.
    case service(SignetError)
    /// There is no token for the user of the installation.
    case token(SignetError)
    /// The service refuses this installation alone.
    case refusal(SignetError)
    /// Something in between has refused the same request of this installation before; those of others may pass.
    case content(SignetError)
}

/// The next step of a ``LinkedMachine``.
package enum LinkedStep<Operation: Sendable>: Sendable {
    /// Perform the operation, then call `finish` with the number.
    case perform(Int, Operation)
    /// Wait until this uptime, or for a signal.
    case wait(until: Duration)
    /// There is nothing to do.
    case idle
    /// An operation is in flight.
    case busy
}

extension LinkedStep: Equatable where Operation: Equatable {}
extension LinkedStep: Hashable where Operation: Hashable {}
