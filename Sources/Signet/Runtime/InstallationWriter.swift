// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// Writes an installation's events to the journal, its open session to the state log, and its updates to the streams.
///
/// Used under the lock of its installation.
struct InstallationWriter {
    let id: InstallationID
    let services: RuntimeServices
    /// The short name of the installation in tags.
    let number: UInt32
    /// The user of the events: the current user, unless set otherwise.
    var mpid: MPID?
    /// Writes no session changes while this is true.
    let isOptedOut: Bool

    init(id: InstallationID, services: RuntimeServices, identity: borrowing IdentityState) {
        self.id = id
        self.services = services
        self.number = identity.number
        self.mpid = identity.directory.current
        self.isOptedOut = identity.isOptedOut
    }

    /// Writes the begin or the end of a session.
    ///
    /// While opted out, nothing is written: the session ends without an event.
    ///
    /// - Returns: The event's number in the journal; zero if none was written.
    func appendChange(
        _ details: EventDetails,
        _ moment: EventTimestamp,
        urgency: EventMetadata.Urgency,
        context: UInt16,
        own: UInt32,
        begins: Bool = false
    ) throws(SignetError) -> UInt64 {
        guard !self.isOptedOut else { return 0 }
        return try self.append(details, moment, urgency: urgency, context: context, own: own, begins: begins)
    }

    /// Attributes `session_end` to the session's last user, not to a user who arrived after the timeout.
    ///
    /// Without a current user, after an erasure, the event belongs to the next user, like all events logged then.
    func ending(_ totals: SessionTotals) -> InstallationWriter {
        guard let mpid = self.mpid, let last = totals.mpids.last, !totals.mpids.contains(mpid) else { return self }
        var writer = self
        writer.mpid = last
        return writer
    }

    /// Saves the session record for the next start.
    func save(_ record: SessionRecord) throws(SignetError) {
        try self.services.store.put(record.encoded(), for: StateKey.session(self.id))
    }

    /// Buffers the updates for subscribers.
    func updates(_ actions: some Sequence<SessionStateMachine.Action>) -> [Resumption] {
        actions.flatMap { action -> [Resumption] in
            let kinds: [SessionChange.Kind]
            let session: Session
            var endReason: SessionChange.EndReason?
            var mpid = self.mpid
            switch action {
            case .end(let totals, let reason):
                let summary = totals.summary
                (kinds, session, endReason) = ([.willEnd(summary), .ended(summary)], totals.session, reason)
                mpid = self.ending(totals).mpid
            case .begin(let begun, _): (kinds, session) = ([.began], begun)
            case .tell: return []
            }
            return kinds.flatMap { kind in
                let change = SessionChange(
                    installation: self.id,
                    kind: kind,
                    session: session,
                    mpid: mpid,
                    endReason: endReason
                )
                return self.services.sessionChanges.stage(change, of: self.id)
            }
        }
    }

    /// Writes an event: when this returns, it survives the death of the process.
    ///
    /// - Parameters:
    ///   - details: The event's kind and JSON.
    ///   - moment: The event's time, message id and session.
    ///   - urgency: The delivery urgency.
    ///   - context: The number of the configuration's context at the begin of the session.
    ///   - own: The number of the installation's own context.
    ///   - begins: True if the event begins its session.
    /// - Returns: The event's number in the journal.
    /// - Throws: `diskFull` or `diskFailed`: then it is not written.
    func append(
        _ details: EventDetails,
        _ moment: EventTimestamp,
        urgency: EventMetadata.Urgency,
        context: UInt16,
        own: UInt32,
        begins: Bool = false
    ) throws(SignetError) -> UInt64 {
        let tag = EventMetadata(
            installation: self.number,
            mpid: self.mpid,
            place: moment.session == nil ? .outside : begins ? .begin : .inside,
            context: context,
            own: own,
            seconds: moment.milliseconds / 1000,
            urgency: urgency
        )
        let room = EventMetadata.size + EventHead.maximumCount
        let result = withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { room in
            let stamp = UnsafeMutableRawBufferPointer(rebasing: room[..<EventMetadata.size])
            let head = UnsafeMutableRawBufferPointer(rebasing: room[EventMetadata.size...])
            tag.write(to: stamp)
            let count = EventHead.write(
                details.kind,
                milliseconds: moment.milliseconds,
                messageID: moment.messageID,
                session: moment.session,
                to: head
            )
            return details.json.withUnsafeBytes { details -> Result<UInt64, StorageError> in
                do throws(StorageError) {
                    let head = UnsafeRawBufferPointer(rebasing: head[..<count])
                    return .success(try self.services.memory.append(stamp: .init(stamp), head, details))
                } catch {
                    return .failure(error)
                }
            }
        }
        do throws(StorageError) {
            return try result.get()
        } catch {
            throw SignetError(error)
        }
    }
}
