// SPDX-License-Identifier: Apache-2.0

public import SignetModel

public import struct FoundationEssentials.UUID

/// A database that the replicas of a server share.
///
/// It keeps one row for each installation and one consent for each user. It decides nothing but who was first: a commit
/// names the tag that it has read, and the store takes it only if the row still has that tag. What the row's bytes
/// mean, only the runtime knows.
///
/// Rules for an implementation, all of them checked by `SharedStoreConformance`:
/// - Each call is one transaction: all of it happens or nothing does. When it returns, it is durable; only ``flush(_:of:token:age:)``
///   may be lost by a crash of the database.
/// - Each answer has the database's time, read no earlier than the call began. Only that clock decides between replicas.
/// - A call that gets no answer within the store's limit throws ``SharedStoreError/Code/unreachable`` if nothing was sent, and
///   ``SharedStoreError/Code/outcomeUnknown`` if it may have happened. Each call may be repeated after either.
/// - A call returns promptly when its task is cancelled, with ``SharedStoreError/Code/cancelled``.
/// - Reads come from the primary: a row that was committed is seen by the next read of any replica. A call that reaches a standby
///   throws ``SharedStoreError/Code/unreachable``.
/// - Arguments have the limits of ``SharedStoreLimits``.
///
/// Many tasks call it at once.
public protocol SharedStore: Sendable {
    /// Checks that the database can be used, before the first other call and once a minute.
    ///
    /// A database whose format is above ``SharedFormat/newest`` is refused with `newerFormat`.
    ///
    /// - Parameter workspace: A hash of the workspace's key; the first call of all binds the database to it.
    /// - Returns: The format in which replicas write.
    /// - Throws: `schemaMissing`, `newerFormat`, `workspaceMismatch`, `notPermitted`, or that the database is not reached.
    func prepare(workspace: [UInt8]) async throws(SharedStoreError) -> SharedAnswer<SharedFormat>

    /// Reads rows.
    ///
    /// - Parameter keys: At most ``SharedStoreLimits/batch``, each once.
    /// - Returns: The rows that there are, in any order.
    /// - Throws: ``SharedStoreError``.
    func read(_ keys: [UUID]) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]>

    /// Changes rows, each by itself: one refused commit does not stop the others.
    ///
    /// - Parameter commits: At most ``SharedStoreLimits/batch``, of different keys.
    /// - Returns: The outcome of each, in their order.
    /// - Throws: ``SharedStoreError``.
    func commit(_ commits: [SharedCommit]) async throws(SharedStoreError) -> SharedAnswer<[SharedCommit.Outcome]>

    // MARK: - Consents

    /// Reads the consents of users; a row has those of the users whom it mentions, too.
    ///
    /// - Parameter mpids: At most ``SharedStoreLimits/batch``.
    /// - Returns: The consents that there are, in any order.
    /// - Throws: ``SharedStoreError``.
    func consents(of mpids: [MPID]) async throws(SharedStoreError) -> SharedAnswer<[SharedConsent]>

    /// Writes the consent of a user, if the store still has the one that the runtime has read.
    ///
    /// A repetition is `written` while the store has the consent's tag. The first consent of a user is written only if
    /// a row mentions the user: an erasure leaves none behind.
    ///
    /// - Parameters:
    ///   - consent: The consent, with a new tag.
    ///   - tag: The tag of the consent that was read; nil if there was none.
    /// - Returns: The outcome.
    /// - Throws: ``SharedStoreError``.
    func write(
        _ consent: SharedConsent,
        replacing tag: UUID?
    ) async throws(SharedStoreError) -> SharedAnswer<SharedConsent.Outcome>

    /// Removes the consent of a user; a repetition changes nothing.
    func removeConsent(of mpid: MPID) async throws(SharedStoreError)

    /// Removes consents that were not written for a time, of users whom no row mentions.
    ///
    /// - Parameters:
    ///   - idle: Full days, from zero to ``SharedStoreLimits/days``.
    ///   - limit: The number of consents, at most ``SharedStoreLimits/batch``.
    /// - Returns: The number of removed consents; less than `limit` if no more are left, or if others use them.
    /// - Throws: ``SharedStoreError``.
    func removeConsents(days idle: Int, limit: Int) async throws(SharedStoreError) -> SharedAnswer<Int>

    // MARK: - Slots

    /// Takes the slot of an installation.
    ///
    /// It is free if no token has it, if its time is over, and if its time is further ahead than twice `span`: then the database was
    /// replaced by one whose clock was behind. A repetition with the same token has it.
    ///
    /// - Parameters:
    ///   - slot: The slot's key, token and owner.
    ///   - span: The time for which it is taken, from now.
    /// - Returns: The outcome of the wish.
    /// - Throws: ``SharedStoreError``.
    func takeSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome>

    /// Renews a slot that this token still has, even if its time is over and no other token has taken it.
    ///
    /// A slot that is free, because it was released or a commit has freed it, is `held` as well: this token has lost it.
    func renewSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome>

    /// Frees a slot if this token has it.
    func releaseSlot(_ slot: SharedSlotRequest) async throws(SharedStoreError)

    // MARK: - Sessions

    /// Adds what installations did since the last flush of a replica, and notes up to when the replica has told everything: its beat.
    ///
    /// The beat is the database's time minus `age`, but never earlier than the beat that the replica has. A beat ahead of the
    /// database's clock does not count: the database was replaced by one whose clock was behind. A replica that is new, or that has
    /// left, lives with this beat.
    ///
    /// A repetition with the token of the replica's last flush adds nothing, leaves the beat, and answers the same, by the rows as they
    /// are now; also one that comes while the first is under way. If it moved the beat, a session could be ended while the replica
    /// holds later events of it.
    ///
    /// A row that another transaction keeps locked stops no other row: it is skipped (``SharedActivity/Outcome/isLocked``), and named by
    /// ``SharedReplica/skipped`` until the replica's next flush. A repetition names the rows that the first try has skipped.
    ///
    /// The answer names the replica's last joining (``SharedAnswer/joining``), and may say how many erasures wait for the replica
    /// (``SharedAnswer/pendingErasures``).
    ///
    /// - Parameters:
    ///   - activities: At most ``SharedStoreLimits/activities``, of different keys; none only says that the replica lives.
    ///   - replica: The replica.
    ///   - token: A random value for this flush.
    ///   - age: The time since the activities were cut, read before this try was sent; not below zero.
    /// - Returns: The outcome of each, in their order.
    /// - Throws: ``SharedStoreError``.
    func flush(
        _ activities: [SharedActivity],
        of replica: UUID,
        token: UUID,
        age: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedActivity.Outcome]>

    /// Claims rows whose ``SharedInstallation/look`` has come, for one replica.
    ///
    /// Their `look` moves ahead by `span`, so that another replica looks if this one dies. Rows that another call holds are skipped.
    ///
    /// - Parameters:
    ///   - limit: The number of rows, at most ``SharedStoreLimits/batch``.
    ///   - span: The time until they are due again.
    /// - Returns: The rows, with the new `look`; those that were due first come first.
    /// - Throws: ``SharedStoreError``.
    func claimDue(
        _ limit: Int,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]>

    // MARK: - Replicas and erasures

    /// Notes a replica, and says what it must know before it sends anything.
    ///
    /// Joining is a beat. A repetition with the token of the replica's last joining answers ``SharedReplica/Joining/isKnown`` as the
    /// first try did, whose answer may have been lost, and leaves the beat.
    ///
    /// - Parameters:
    ///   - replica: The replica.
    ///   - token: A random value for this start of the replica.
    /// - Returns: The facts that the replica needs.
    /// - Throws: ``SharedStoreError``.
    func join(_ replica: UUID, token: UUID) async throws(SharedStoreError) -> SharedAnswer<SharedReplica.Joining>

    /// Notes that a replica has ended in order: nobody waits for its flush.
    func leave(_ replica: UUID) async throws(SharedStoreError)

    /// All replicas that have not been forgotten.
    func replicas() async throws(SharedStoreError) -> SharedAnswer<[SharedReplica]>

    /// Notes an erasure; a repetition changes nothing.
    ///
    /// Its rows are not done, whatever ``SharedErasure/areRowsDone`` says.
    func erase(_ erasure: SharedErasure) async throws(SharedStoreError) -> SharedAnswer<Void>

    /// Notes that no row knows the user of an erasure; a repetition, and one of an erasure that is forgotten, changes nothing.
    func finishRows(of erasure: UUID) async throws(SharedStoreError)

    /// The users whom rows mention, each once, in ascending order of their numbers.
    ///
    /// An erasure names its user by a hash. A replica that finishes the erasure of another one looks for the user here.
    ///
    /// - Parameters:
    ///   - mpid: Only users after this one; nil for the first page.
    ///   - limit: The number of users, at most ``SharedStoreLimits/users``.
    /// - Returns: The users; fewer than `limit` if there are no more.
    /// - Throws: ``SharedStoreError``.
    func mentionedUsers(after mpid: MPID?, limit: Int) async throws(SharedStoreError) -> SharedAnswer<[MPID]>

    /// The keys of the rows that mention a user, in ascending order of their bytes.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - key: Only keys after this one; nil for the first page.
    ///   - limit: The number of keys, at most ``SharedStoreLimits/batch``.
    /// - Returns: The keys.
    /// - Throws: ``SharedStoreError``.
    func mentions(
        of mpid: MPID,
        after key: UUID?,
        limit: Int
    ) async throws(SharedStoreError) -> SharedAnswer<[UUID]>

    /// The erasures that a replica has not acknowledged, oldest first, at most ``SharedStoreLimits/batch``.
    ///
    /// Those from before it joined are among them: its directory may be older.
    func pendingErasures(of replica: UUID) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]>

    /// Notes that a replica has erased on its own disk; a repetition changes nothing.
    func acknowledge(_ erasure: UUID, by replica: UUID) async throws(SharedStoreError)

    /// The replicas that have acknowledged an erasure.
    func acknowledgements(of erasure: UUID) async throws(SharedStoreError) -> SharedAnswer<[UUID]>

    /// The erasures of users, found by hash.
    ///
    /// - Parameter hashes: At most ``SharedStoreLimits/batch`` values of ``SharedErasure/hash``.
    /// - Returns: The erasures, in any order; a user may have been erased more than once.
    /// - Throws: ``SharedStoreError``.
    func erasures(of hashes: [[UInt8]]) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]>

    /// All erasures that have not been forgotten, in ascending order of the bytes of their ids.
    ///
    /// - Parameters:
    ///   - id: Only erasures after this one; nil for the first page.
    ///   - limit: The number of erasures, at most ``SharedStoreLimits/batch``.
    /// - Returns: The erasures; fewer than `limit` if there are no more.
    /// - Throws: ``SharedStoreError``.
    func erasures(after id: UUID?, limit: Int) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]>

    // MARK: - Removal

    /// Removes an installation, and what it mentions, if its row has this tag, no session, and no slot in use.
    ///
    /// - Returns: True if there is no row now, also if there was none. False if there is one that differs.
    func remove(_ key: UUID, tag: UUID) async throws(SharedStoreError) -> SharedAnswer<Bool>

    /// Removes installations without session, slot in use and outbox that nobody has committed to for a time.
    ///
    /// - Parameters:
    ///   - idle: Full days, from zero to ``SharedStoreLimits/days``.
    ///   - limit: The number of rows, at most ``SharedStoreLimits/batch``.
    /// - Returns: The number of rows that were removed; less than `limit` if no more are left, or if others use them.
    /// - Throws: ``SharedStoreError``.
    func removeIdle(days idle: Int, limit: Int) async throws(SharedStoreError) -> SharedAnswer<Int>

    /// Forgets erasures, and replicas that have ended or died, that are older than a time.
    ///
    /// The age of a replica counts from its last flush, from joining or from leaving. The acknowledgements of an erasure go with it. An
    /// erasure whose rows are not done stays.
    ///
    /// - Parameter days: Full days, from zero to ``SharedStoreLimits/days``.
    /// - Throws: ``SharedStoreError``.
    func forgetEnded(days: Int) async throws(SharedStoreError)

    /// Closes connections; every later call throws `unreachable`, but a second `close()` does nothing.
    func close() async
}

/// An answer of a store, with its moment.
public struct SharedAnswer<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// The database's time, in milliseconds since 1970.
    public var milliseconds: Int64
    /// The number of erasures that the replica has not acknowledged, in the answer of a flush; not above ``SharedStoreLimits/batch``.
    ///
    /// Zero is exact: at some moment of the call there was none. Nil if the store does not count them: the replica asks each second then.
    public var pendingErasures: Int?
    /// The token of the replica's last joining, in the answer of a flush; nil if the replica has not joined.
    ///
    /// A replica finds by it that another process has joined with its id, on a copy of its directory.
    public var joining: UUID?

    /// Makes an answer.
    public init(_ value: Value, at milliseconds: Int64) {
        (self.value, self.milliseconds) = (value, milliseconds)
    }
}

/// The format of a database's rows.
///
/// A version of Signet reads rows up to its ``newest`` format. It writes the one that the database names, so that replicas of two
/// versions can share rows while the newer one is rolled out; fields that only the newer one knows survive the older one.
public struct SharedFormat: Sendable, Hashable {
    /// The newest format that this version of Signet reads; it also writes the one before.
    public static let newest = 1
    /// The oldest format that this version of Signet writes: that of the version before.
    package static let oldest = max(1, Self.newest - 1)

    /// The format in which replicas write rows, and which all of them read.
    public var written: Int

    /// Makes a format.
    public init(written: Int) {
        self.written = written
    }
}

/// The failure of a call on a shared store.
public struct SharedStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Sendable, Hashable {
        /// The database was not reached, or has undone the call because it ends: nothing has happened.
        case unreachable
        /// The answer was lost; the call may have happened.
        case outcomeUnknown
        /// More calls wait than the store allows; nothing was sent.
        case busy
        /// Another transaction has had the row all the time; nothing has happened.
        case locked
        /// The database has no tables of Signet, lacks a part of them, or they were made anew: run `signet store setup`.
        case schemaMissing
        /// A newer version of Signet has written the tables.
        case newerFormat
        /// The tables are of a version of Signet that is older than the one before this one.
        case olderFormat
        /// The tables belong to a workspace with another key.
        case workspaceMismatch
        /// Another process uses a copy of this one's directory. No store throws it: the runtime finds it by ``SharedAnswer/joining``.
        case directoryInUse
        /// The database refuses the user, or the user has no right to the tables.
        case notPermitted
        /// No trusted TLS connection.
        case secureConnectionFailed
        /// An argument is outside its limits; nothing was sent.
        case invalidArgument
        /// The task was cancelled; the call may have happened.
        case cancelled
        /// The database refused the call in another way; nothing has happened.
        case failed
    }

    /// The kind of failure.
    public let code: Code
    /// The description, without passwords and values of rows.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        (self.code, self.message) = (code, message)
    }

    /// The code and the message.
    public var description: String {
        "\(self.code.rawValue): \(self.message)"
    }
}

extension SharedStoreError {
    /// True if nothing has happened, and the same call may go through a moment later.
    var isPassing: Bool {
        switch self.code {
        case .unreachable, .busy, .locked: true
        default: false
        }
    }
}
