// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetLock
import SignetModel
import SignetWire

/// An event with its stamp, as it goes into the journal.
struct EventFrame: Sendable {
    let details: EventDetails
    var stamp: EventStamp
}

/// The time, the user and the place that an event gets when it is logged.
struct EventStamp: Sendable {
    let timestamp: EventTimestamp
    /// The installation's number in event metadata.
    var number: UInt32
    /// The user of the event; nil before the first user.
    var mpid: MPID?
    var urgency = EventMetadata.Urgency.regular
    /// The number of the configured context.
    let context: UInt16
    /// The number of the installation's own context.
    var own: UInt32
    var role = Role.regular

    /// The part of the event in its session.
    enum Role: Sendable {
        /// It counts for the session.
        case regular
        /// It begins the session, and does not count for it.
        case beginsSession
        /// It ends the session, and does not count for it.
        case endsSession
    }
}

/// Carries out the writes and the effects of an installation's transactions.
struct InstallationWriter: Sendable {
    let id: InstallationID
    let context: RuntimeContext
    let managers: RuntimeManagers

    /// Carries out a write.
    ///
    /// - Parameters:
    ///   - write: The write.
    ///   - frames: The installation's frames, which it updates.
    /// - Returns: The number of the event; nil for another write.
    /// - Throws: The error of the disk.
    func perform(
        _ write: InstallationTransaction.Write,
        _ frames: inout InstallationFrames
    ) throws(SignetError) -> UInt64? {
        switch write {
        case .put(let value, let key): try self.context.store.put(value, for: key)
        case .identity(let state):
            if self.context.fleet == nil {
                // A handle that is held for long, and only sets attributes, has no later open.
                let now = self.context.time.milliseconds
                try self.context.uses.note(state.number, since: state.lastUse, now: now)
                try self.context.store.put(state, of: self.id)
                if !state.unsentConsents.isEmpty { self.context.ingress.consentsUnsent(state.number) }
            }
        case .remove(let key): try self.context.store.remove(key)
        case .event(let frame):
            let sequence = try self.context.append(frame)
            frames.note(sequence)
            return sequence
        case .session(var record, let moment), .requiredSession(var record, let moment):
            guard self.context.fleet == nil else { break }
            record.folded = frames.last
            try self.context.store.put(record, of: self.id)
            frames.recorded(moment)
        case .chooseContext(let number):
            // A replica has no record of a choice: the store of the installation holds the context.
            if self.context.fleet == nil { try self.context.ownContexts.choose(number, for: self.id) }
        }
        return nil
    }

    /// Carries out the effects that keep their order under the lock of the installation; none of them blocks.
    ///
    /// - Parameters:
    ///   - effects: The effects.
    ///   - commit: Gets the subscribers to resume and the effects to run after the lock.
    func publish<Value>(_ effects: [InstallationTransaction.Effect], _ commit: inout InstallationCommit<Value>) {
        for effect in effects {
            switch effect {
            case .userChange(let previous, let current):
                let change = UserChange(installation: self.id, previous: previous, current: current)
                commit.resumptions += self.context.userChanges.stage(change, of: self.id)
            case .sessionChange(let change):
                commit.resumptions += self.context.sessionChanges.stage(change, of: self.id)
            case .alias(let record):
                self.managers.aliases.add(record)
                commit.effects.append(effect)
            case .aliasesOptedOut(let last):
                self.managers.aliases.optedOut(self.id, upTo: last)
                commit.effects.append(effect)
            case .reset(let reset):
                self.managers.resets.withLock { $0.begin(reset) }
                self.context.ingress.reset(reset.number)
            case .watch, .optedOut, .attributed, .superseded:
                commit.effects.append(effect)
            }
        }
    }
}

extension RuntimeContext {
    /// Writes an event to the journal.
    ///
    /// - Returns: Its number; zero if the disk refused it and it is in memory.
    /// - Throws: `SignetError` from the disk.
    func append(_ frame: EventFrame) throws(SignetError) -> UInt64 {
        let result = frame.details.json.withUnsafeBytes { json in
            Result { () throws(SignetError) in try self.append(frame.details.kind, json, frame.stamp) }
        }
        return try result.get()
    }

    /// Writes an event to the journal whose details are these bytes.
    func append(
        _ kind: EventKind,
        _ json: UnsafeRawBufferPointer,
        _ event: EventStamp
    ) throws(SignetError) -> UInt64 {
        let stamp = EventMetadata(
            installation: event.number,
            mpid: event.mpid,
            place: event.timestamp.session == nil ? .outside : event.role == .beginsSession ? .begin : .inside,
            context: event.context,
            own: event.own,
            seconds: event.timestamp.loggedAt / 1000,
            urgency: event.urgency
        )
        let room = EventMetadata.size + EventHead.maximumCount
        let result = withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) {
            room -> Result<UInt64, StorageError> in
            let bytes = UnsafeMutableRawBufferPointer(rebasing: room[..<EventMetadata.size])
            let head = UnsafeMutableRawBufferPointer(rebasing: room[EventMetadata.size...])
            stamp.write(to: bytes)
            let count = EventHead.write(
                kind,
                milliseconds: event.timestamp.milliseconds,
                messageID: event.timestamp.messageID,
                session: event.timestamp.session,
                to: head
            )
            do throws(StorageError) {
                let head = UnsafeRawBufferPointer(rebasing: head[..<count])
                return .success(try self.memory.append(stamp: .init(bytes), head, json))
            } catch {
                return .failure(error)
            }
        }
        do throws(StorageError) {
            return try result.get()
        } catch {
            throw SignetError(error)
        }
    }
}
