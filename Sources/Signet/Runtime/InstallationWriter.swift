//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetModel
import SignetWire

/// Writes what an installation does: events into the journal, the open session into the state log, news to the streams.
///
/// Used under the lock of its installation.
struct InstallationWriter {
    let id: InstallationID
    let services: RuntimeServices
    /// Who is known as of now.
    let identity: IdentityState

    /// Writes begins and ends.
    ///
    /// - Returns: How many of them were written, the first ones, and why not all.
    func write(_ actions: [SessionStateMachine.Action]) -> (written: Int, failure: SignetError?) {
        for (index, action) in actions.enumerated() {
            do throws(SignetError) {
                try self.write(action)
            } catch {
                return (index, error)
            }
        }
        return (actions.count, nil)
    }

    private func write(_ action: SessionStateMachine.Action) throws(SignetError) {
        // Who has opted out is not written about: the session ends, and nobody else hears of it.
        guard !self.identity.isOptedOut else { return }
        switch action {
        case .end(let ended):
            let stamp = self.stamp(ended.milliseconds, ended.session)
            try self.append(
                EventBody.sessionEnd(duration: ended.length.milliseconds, stamp: stamp),
                of: ended.session,
                urgency: .prompt
            )
        case .begin(let session):
            let stamp = self.stamp(session.startTime.milliseconds, session)
            try self.append(EventBody.sessionStart(stamp: stamp), of: session, urgency: .regular)
        }
    }

    /// Writes down which session is open, for the next start to end it; nil for none.
    func save(_ stored: StoredSession?) throws(SignetError) {
        let key = StateKey.session(self.id)
        if let stored {
            try self.services.store.put(stored.encoded(), for: key)
        } else {
            try self.services.store.remove(key)
        }
    }

    /// The JSON of an event of the app.
    ///
    /// - Throws: `invalidArgument` when it is too long; asked before anything is written.
    func encode(_ event: Event, at milliseconds: Int64, session: Session?) throws(SignetError) -> [UInt8] {
        let body = EventBody.encode(event, stamp: self.stamp(milliseconds, session))
        guard body.count <= Self.maximumEventSize else {
            throw SignetError(
                .invalidArgument,
                "The event has \(body.count) bytes of JSON; \(Self.maximumEventSize) are allowed (a batch is 128 KB)."
            )
        }
        return body
    }

    /// Buffers the news for those who listen.
    func news(_ actions: some Sequence<SessionStateMachine.Action>) -> [Resumption] {
        actions.flatMap { action in
            let (kind, session): (SessionChange.Kind, Session) =
                switch action {
                case .end(let ended): (.ended(length: ended.length), ended.session)
                case .begin(let session): (.began, session)
                }
            let change = SessionChange(
                installation: self.id,
                kind: kind,
                session: session,
                mpid: self.identity.directory.current
            )
            return self.services.sessionChanges.stage(change, of: self.id)
        }
    }

    /// The most bytes of JSON that one event may have, so that it fits into a batch beside its user.
    private static let maximumEventSize = 100 * 1024

    private func stamp(_ milliseconds: Int64, _ session: Session?) -> EventStamp {
        EventStamp(milliseconds: milliseconds, session: session, messageID: .random())
    }

    /// Writes an event: when this returns, it survives the death of the process.
    func append(_ body: [UInt8], of session: Session?, urgency: EventTag.Urgency) throws(SignetError) {
        let tag = EventTag(
            installation: self.identity.number,
            mpid: self.identity.directory.current,
            session: EventTag.mark(of: session),
            plan: self.services.plans.current,
            seconds: UInt32(clamping: self.services.time.milliseconds / 1000),
            urgency: urgency
        )
        do throws(StorageError) {
            _ = try self.services.journal.append(stamp: tag.encoded(), payload: body)
        } catch {
            throw SignetError(error)
        }
        self.services.statistics.record { $0.eventsAccepted += 1 }
    }
}
