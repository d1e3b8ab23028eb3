// SPDX-License-Identifier: Apache-2.0

public import SignetModel

public import struct FoundationEssentials.UUID

/// The row of an installation in a ``SharedStore``.
public struct SharedInstallation: Sendable, Hashable {
    /// The session that is open.
    public struct OpenSession: Sendable, Hashable {
        /// Its id.
        public var id: UUID
        /// The moment at which it began, in milliseconds since 1970.
        public var started: Int64
        /// The moment of its last event, as far as replicas have flushed.
        public var last: Int64
        /// The number of its events, as far as replicas have flushed; at most ``SharedStoreLimits/sessionEvents``.
        public var events: Int

        /// Makes a session.
        public init(id: UUID, started: Int64, last: Int64, events: Int) {
            (self.id, self.started, self.last, self.events) = (id, started, last, events)
        }
    }

    /// The right of one replica to send an identity request.
    public struct Slot: Sendable, Hashable {
        /// The random value that only the slot's holder knows.
        public var token: UUID
        /// The replica that has it.
        public var owner: UUID
        /// The moment at which it ends by itself, in milliseconds since 1970 of the database's clock.
        public var until: Int64

        /// Makes a slot.
        public init(token: UUID, owner: UUID, until: Int64) {
            (self.token, self.owner, self.until) = (token, owner, until)
        }
    }

    /// The first 16 bytes of SHA-256 of the installation's id.
    public var key: UUID
    /// The installation's id.
    public var id: InstallationID
    /// The runtime's bytes; the store does not look at it.
    public var state: [UInt8]
    /// The tag of the last commit.
    public var tag: UUID
    /// The tags of the last commits, newest first, ``tag`` among them; at most ``SharedStoreLimits/tags``.
    public var tags: [UUID]
    /// The session that is open; nil if there is none.
    public var session: OpenSession?
    /// The moment at which a replica must look at the row, in milliseconds since 1970 of the database's clock; nil for never.
    public var look: Int64?
    /// The slot; nil if it is free.
    ///
    /// It may be over.
    public var slot: Slot?
    /// The work that must still follow a commit; the store does not look at it.
    ///
    /// Empty for nothing.
    public var outbox: [UInt8]
    /// The latest consents of the users whom the row mentions, as of the reading, in any order.
    public var consents: [SharedConsent]

    /// Makes a row.
    public init(
        key: UUID,
        id: InstallationID,
        state: [UInt8],
        tag: UUID,
        tags: [UUID],
        session: OpenSession? = nil,
        look: Int64? = nil,
        slot: Slot? = nil,
        outbox: [UInt8] = [],
        consents: [SharedConsent] = []
    ) {
        self.key = key
        self.id = id
        self.state = state
        self.tag = tag
        self.tags = tags
        self.session = session
        self.look = look
        self.slot = slot
        self.outbox = outbox
        self.consents = consents
    }
}

/// A change of one row, taken only if the row is as the runtime has read it.
public struct SharedCommit: Sendable, Hashable {
    /// The row that a commit expects.
    public enum Condition: Sendable, Hashable {
        /// There is no row; the commit makes it. It needs ``SharedCommit/state``.
        case isMissing
        /// The row has this tag.
        case tag(UUID)
        /// The row has this tag and a session with this last moment and this number of events: no replica has flushed since.
        ///
        /// The moment alone does not say so: two events may be of the same millisecond.
        case unchanged(tag: UUID, last: Int64, events: Int)
    }

    /// A change of the session.
    public enum SessionChange: Sendable, Hashable {
        /// It stays, with what replicas have flushed meanwhile.
        case keep
        /// This one is open from now on.
        case begin(SharedInstallation.OpenSession)
        /// None is open from now on.
        case end
    }

    /// A change of a value.
    public enum Change<Value: Sendable & Hashable>: Sendable, Hashable {
        /// The row keeps its value.
        case keep
        /// The row gets this value.
        case set(Value)
    }

    /// The result of a commit.
    public enum Outcome: Sendable, Hashable {
        /// The row has the commit's tag now.
        case committed
        /// The row is another one; nothing was changed. Nil: there is none.
        ///
        /// If its ``SharedInstallation/tags`` have the commit's tag, an earlier try of it was taken.
        case differs(SharedInstallation?)
    }

    /// The row's key.
    public var key: UUID
    /// The installation's id; a valid one.
    public var id: InstallationID
    /// The row that the commit expects.
    public var condition: Condition
    /// The token that must have the slot; the commit then frees it.
    ///
    /// Nil: the slot does not matter, and stays.
    ///
    /// A slot whose time is over still counts until another token takes it. With `isMissing` it is nil.
    public var slotToken: UUID?
    /// The new tag: a random value.
    public var tag: UUID
    /// The new state; nil keeps the state.
    ///
    /// At most ``SharedStoreLimits/valueBytes``.
    public var state: [UInt8]?
    /// The change of the session.
    public var session: SessionChange
    /// The change of the moment at which a replica must look.
    public var look: Change<Int64?>
    /// The change of what must still happen.
    ///
    /// At most ``SharedStoreLimits/valueBytes``.
    public var outbox: Change<[UInt8]>
    /// The users whom the row mentions from now on, in addition.
    public var mentions: [MPID]
    /// The users whom it no longer mentions; one who is in ``mentions`` too stays.
    public var forgets: [MPID]

    /// Makes a commit that changes the tag alone.
    public init(_ id: InstallationID, key: UUID, if condition: Condition, tag: UUID, state: [UInt8]? = nil) {
        self.key = key
        self.id = id
        self.condition = condition
        self.tag = tag
        self.state = state
        self.session = .keep
        self.look = .keep
        self.outbox = .keep
        self.mentions = []
        self.forgets = []
    }
}

/// A wish for an installation's slot.
public struct SharedSlotRequest: Sendable, Hashable {
    /// The result of a wish.
    public enum Outcome: Sendable, Hashable {
        /// The token has the slot; the row as it is now.
        case taken(SharedInstallation)
        /// Another token has it; the row as it is now. After a renewal: this token has lost it.
        case held(SharedInstallation)
        /// There is no row.
        case isMissing
    }

    /// The row's key.
    public var key: UUID
    /// A random value.
    public var token: UUID
    /// The replica.
    public var owner: UUID

    /// Makes a wish.
    public init(key: UUID, token: UUID, owner: UUID) {
        (self.key, self.token, self.owner) = (key, token, owner)
    }
}

/// The activity of an installation on one replica since its last flush.
public struct SharedActivity: Sendable, Hashable {
    /// The result of a flush for one row.
    public enum Outcome: Sendable, Hashable {
        /// The session of the row has it. With the row's tag, which shows whether a snapshot is old.
        case added(tag: UUID)
        /// Another session is open, or none: nothing was changed.
        case sessionEnded(tag: UUID)
        /// There is no row.
        case isMissing
        /// Another transaction has the row: nothing was changed, and the next flush tells it.
        ///
        /// The store notes it for ``SharedReplica/skipped``.
        case isLocked
    }

    /// The row's key.
    public var key: UUID
    /// The session.
    public var session: UUID
    /// The moment of the last event, in milliseconds since 1970.
    ///
    /// The row keeps the later one.
    public var last: Int64
    /// The number of events to add, not below zero; the row counts up to ``SharedStoreLimits/sessionEvents``.
    public var events: Int

    /// Makes an activity.
    public init(key: UUID, session: UUID, last: Int64, events: Int) {
        (self.key, self.session, self.last, self.events) = (key, session, last, events)
    }
}

/// A process of the fleet, by the id that its directory keeps.
public struct SharedReplica: Sendable, Hashable {
    /// The facts that a replica learns when it joins.
    public struct Joining: Sendable, Hashable {
        /// False if it has not joined before, as far as the store remembers: it is new, or was away so long that it was forgotten.
        public var isKnown: Bool
        /// The moment of the oldest erasure that the store remembers; nil if there is none.
        public var oldestErasure: Int64?

        /// Makes an answer.
        public init(isKnown: Bool, oldestErasure: Int64?) {
            (self.isKnown, self.oldestErasure) = (isKnown, oldestErasure)
        }
    }

    /// Its id.
    public var id: UUID
    /// The moment up to which it has flushed everything, or of joining; nil if it has left.
    public var beat: Int64?
    /// The rows whose activity its last flush could not add, as others had locked them; their sessions do not end meanwhile.
    public var skipped: Set<UUID>

    /// Makes a replica.
    public init(id: UUID, beat: Int64?, skipped: Set<UUID> = []) {
        (self.id, self.beat, self.skipped) = (id, beat, skipped)
    }
}

/// The erasure of a user, as all replicas must know it.
public struct SharedErasure: Sendable, Hashable {
    /// A random value.
    public var id: UUID
    /// A keyed hash of the user's MPID: what is erased is not written down.
    public var hash: [UInt8]
    /// The replica that has noted it, and takes the user out of the rows.
    public var replica: UUID
    /// True once no row knows the user; see ``SharedStore/finishRows(of:)``.
    public var areRowsDone: Bool
    /// The moment at which the store noted it; the store sets it.
    public var milliseconds: Int64

    /// Makes an erasure.
    public init(id: UUID, hash: [UInt8], by replica: UUID, milliseconds: Int64 = 0, areRowsDone: Bool = false) {
        (self.id, self.hash, self.replica) = (id, hash, replica)
        (self.milliseconds, self.areRowsDone) = (milliseconds, areRowsDone)
    }
}
