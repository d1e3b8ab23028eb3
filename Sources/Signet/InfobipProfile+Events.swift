//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel
import SignetWire

import struct FoundationEssentials.Date

/// How a custom event of a person is told.
public enum InfobipEventDelivery: Sendable, Hashable {
    /// At once, once, and checked against its definition: the caller hears of it.
    case immediate
    /// Written down, and sent with others as soon as there have been none for 2 s; not checked, and tried again.
    case queued
}

extension InfobipProfile {
    /// Tells of something that the person did.
    ///
    /// It is told of nobody else: what is kept when the person goes is sent before, and given up where the service can no
    /// longer be told (``SignetStatistics/infobipEventsDropped``). What is queued while nobody knows whether a forced
    /// personalize has happened is of whom ``user`` shows, and given up where somebody else has come.
    ///
    /// - Parameters:
    ///   - event: What; its properties are single values.
    ///   - delivery: At once, or kept until the service has it; before there is a registration, too.
    /// - Returns: `done` for an event that was sent, `pending` for one that is on its way.
    /// - Throws: `depersonalizationPending`, `identityUndetermined` for one that is to be told at once: nobody can tell of whom it would
    ///   be. See ``InfobipProfile``.
    @discardableResult
    public func submit(
        _ event: InfobipEvent,
        _ delivery: InfobipEventDelivery = .immediate
    ) async throws(SignetError) -> InfobipSaveResult {
        if let error = SignetError(InfobipLimits.violations(of: event)) { throw error }
        let now = Date(milliseconds: self.core.services.time.milliseconds)
        let element = InfobipEventBody.element(event, at: now)
        switch delivery {
        case .immediate:
            return try await self.perform(.send(StoredInfobipEvent(ordinal: 0, element: element)))
        case .queued:
            try await self.manager().queue(element)
            return .pending
        }
    }

    /// Says whether the app is in use: while it is, its sessions are counted every 5 s, and reported when it becomes so.
    ///
    /// A session is over when the app was not in use for 30 s, or when the person goes; it is at least 5 s long. A process
    /// that dies loses half a minute of it at most. Where sessions are those of an application,
    /// ``Installation/enterForeground(launchReferral:)`` and ``Installation/enterBackground()`` say it, too.
    ///
    /// - Parameter isActive: Whether.
    /// - Throws: See ``InfobipProfile``.
    public func setActive(_ isActive: Bool) async throws(SignetError) {
        try await self.manager().setActive(isActive)
    }

    /// Tries again what waits for a pause to end, such as when the network is back.
    ///
    /// - Throws: See ``InfobipProfile``.
    public func retry() async throws(SignetError) {
        try await self.manager().resume()
    }

    /// Waits until there is nothing to do, or nothing before a pause is over.
    ///
    /// - Throws: `notRunning` where nobody runs the runtime, `cancelled`; see ``InfobipProfile``.
    public func waitUntilIdle() async throws(SignetError) {
        let manager = try self.manager()
        try await manager.awaitRun()
        await manager.untilSettled()
    }
}
