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

    /// Writes begins and ends, and what the disk must remember afterwards.
    func write(_ actions: [SessionStateMachine.Action], isStored stored: StoredSession?) throws(SignetError) {
        for action in actions {
            switch action {
            case .end(let ended):
                let stamp = self.stamp(ended.milliseconds, ended.session)
                let body = EventBody.sessionEnd(duration: ended.length.milliseconds, stamp: stamp)
                try self.append(body, urgency: .prompt)
            case .begin(let session):
                let stamp = self.stamp(session.startTime.milliseconds, session)
                try self.append(EventBody.sessionStart(stamp: stamp), urgency: .regular)
            }
        }
        guard !actions.isEmpty else { return }
        let key = StateKey.session(self.id)
        if let stored {
            try self.services.store.put(stored.encoded(), for: key)
        } else {
            try self.services.store.remove(key)
        }
    }

    /// Writes an event of the app.
    func write(
        _ event: Event,
        at milliseconds: Int64,
        session: Session?,
        urgency: EventTag.Urgency
    ) throws(SignetError) {
        let body = EventBody.encode(event, stamp: self.stamp(milliseconds, session))
        guard body.count <= Self.maximumEventSize else {
            throw SignetError(
                .invalidArgument,
                "The event has \(body.count) bytes of JSON; \(Self.maximumEventSize) are allowed (a batch is 128 KB)."
            )
        }
        try self.append(body, urgency: urgency)
    }

    /// Buffers the news for those who listen.
    func news(_ actions: [SessionStateMachine.Action]) -> [Resumption] {
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

    private func append(_ body: [UInt8], urgency: EventTag.Urgency) throws(SignetError) {
        let tag = EventTag(
            installation: self.id,
            mpid: self.identity.directory.current,
            deviceApplicationStamp: self.identity.deviceApplicationStamp,
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
