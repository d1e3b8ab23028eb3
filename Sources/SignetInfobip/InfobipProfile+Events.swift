// SPDX-License-Identifier: Apache-2.0

public import Signet
import SignetModel
import SignetWire

import struct FoundationEssentials.Date

extension InfobipProfile {
    /// The way in which a custom event of a person is sent.
    public enum EventDelivery: Sendable, Hashable {
        /// Sent immediately, without a retry, and checked against its definition; errors reach the caller.
        case immediate
        /// Stored, and sent with others after 2 s without a further event; not checked, and retried.
        case queued
    }
}

extension InfobipProfile {
    /// Submits an event of the person.
    ///
    /// It belongs to the person that the app has in front of it, and is never sent for another. If the person leaves first,
    /// a queued event waits for their return.
    ///
    /// - Parameters:
    ///   - event: The event; its properties are single values.
    ///   - delivery: Immediate, or queued until Infobip has it; queueing also works before there is a registration.
    /// - Returns: `done` for an event that was sent, `pending` for one that is in flight.
    /// - Throws: `depersonalizationPending`, `identityUndetermined` for an immediate event whose person has left. See ``InfobipProfile``.
    @discardableResult
    public func submit(
        _ event: InfobipEvent,
        _ delivery: InfobipProfile.EventDelivery = .immediate
    ) async throws(SignetError) -> InfobipSaveResult {
        if let error = SignetError(InfobipLimits.violations(of: event)) { throw error }
        let now = Date(milliseconds: self.handle.now)
        let element = InfobipEventBody.element(event, at: now)
        switch delivery {
        case .immediate:
            return try await self.perform(.send(StoredInfobipEvent(ordinal: 0, element: element)))
        case .queued:
            try await self.manager().queue(element)
            return .pending
        }
    }

    /// Sets whether the app is in use.
    ///
    /// While it is, session time is recorded every 5 s; sessions are reported when the app becomes active. A session
    /// ends after 30 s without use, or when the person leaves; it is at least 5 s long. A process that dies loses half
    /// a minute of it at most.
    ///
    /// In application session mode, `Installation.enterForeground(launchReferral:)` and
    /// `Installation.enterBackground()` also set this.
    ///
    /// - Parameter isActive: True while the app is in use.
    /// - Throws: See ``InfobipProfile``.
    public func setActive(_ isActive: Bool) async throws(SignetError) {
        try await self.manager().setActive(isActive)
    }

    /// Retries everything that waits for a pause to end, such as when the network is back.
    ///
    /// - Throws: See ``InfobipProfile``.
    public func retry() async throws(SignetError) {
        try await self.manager().resume()
    }

    /// Waits until there is nothing to do, or nothing before a pause is over.
    ///
    /// - Throws: `notRunning` if `run()` is not active, `cancelled`; see ``InfobipProfile``.
    public func waitUntilIdle() async throws(SignetError) {
        let manager = try self.manager()
        try await manager.awaitRun()
        await manager.untilSettled()
    }
}
