// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.UUID

/// The batches that the platform refused for good, or that could not be sent: kept on disk until you resend or discard
/// them.
///
/// The newest 1000 are kept. Older ones are removed, counted in ``SignetStatistics/eventsDiscarded`` and reported to
/// the observer.
public struct DeadLetterBatches: Sendable {
    private let queue: EventQueue

    init(_ queue: EventQueue) {
        self.queue = queue
    }

    /// Lists all dead letters, oldest first.
    ///
    /// - Throws: `diskFailed`; `notRunning` after the end of the runtime.
    public func list() async throws(SignetError) -> [DeadLetterBatches.Batch] {
        try await self.queue.deadLetterBatches()
    }

    /// Returns the JSON of one dead letter.
    ///
    /// - Parameter id: The batch's id.
    /// - Returns: The bytes as they were sent; nil if no dead letter has that id.
    /// - Throws: `diskFailed`; `notRunning` after the end of the runtime.
    public func json(of id: UUID) async throws(SignetError) -> [UInt8]? {
        try await self.queue.deadLetterBody(of: id)
    }

    /// Sends one again, with the same id and the same bytes.
    ///
    /// If it is refused again, it becomes a dead letter again.
    ///
    /// - Parameter id: The batch's id.
    /// - Returns: True if there was one; it is in flight then, and survives a restart.
    /// - Throws: `diskFull`, `diskFailed`; `notRunning` after the end of the runtime.
    @discardableResult
    public func resend(_ id: UUID) async throws(SignetError) -> Bool {
        try await self.queue.resend(id)
    }

    /// Removes one for good.
    ///
    /// - Parameter id: The batch's id.
    /// - Returns: True if there was one.
    /// - Throws: `diskFailed`; `notRunning` after the end of the runtime.
    @discardableResult
    public func discard(_ id: UUID) async throws(SignetError) -> Bool {
        try await self.queue.discard(id)
    }
}
