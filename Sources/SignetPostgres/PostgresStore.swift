// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
public import Signet
import SignetLock
public import SignetModel

public import struct FoundationEssentials.UUID

/// Installations in the tables of a PostgreSQL database, which `signet store setup` makes.
///
/// Each call is one statement, or two where the first one has changed nothing. One thread of its own drives all connections; no call
/// blocks the caller's thread. It works behind PgBouncer in transaction mode.
///
/// A connection is encrypted and the server's certificate checked (`sslmode=verify-full`), unless the server is this machine or a
/// Unix socket.
public final class PostgresStore: SharedStore {
    /// The newest format that this version reads.
    public static let newestFormat = SharedFormat.newest

    private let calls: PostgresCalls
    /// The workspace of the last ``prepare(workspace:)``; nil before it.
    private let workspace = Locked<[UInt8]?>(nil)

    /// Makes a store; it connects at the first call.
    ///
    /// - Parameters:
    ///   - url: Such as `postgres://user:password@db/shop`; several hosts are tried one after the other. The variables of libpq,
    ///     such as `PGHOST` and `PGPASSWORD`, fill in what it leaves out; `service` and `PGSERVICE` are refused.
    ///   - connections: The number of connections, 1 to 64, and of processes at the server. Commits leave one to readings: have two at
    ///     least, so that readings go on while commits wait for a synchronous standby.
    ///   - limit: The time for one call. Leave it at 1 s or below: the end of a session waits for the flushes of all replicas, and
    ///     assumes that each arrives within 2 s.
    /// - Throws: `invalidArgument`; `unreachable` if the system gives no thread.
    public convenience init(
        _ url: Secret,
        connections: Int = 4,
        limit: Duration = .seconds(1)
    ) throws(SharedStoreError) {
        try self.init(url, connections: connections, limit: limit, lookUp: HostLookUp.system)
    }

    /// Makes a store with another way to find the addresses of hosts, or another time for one attempt to connect.
    init(
        _ url: Secret,
        connections: Int,
        limit: Duration,
        connect: Duration = ConnectionPoolMachine.Limits.connect,
        lookUp: @escaping HostLookUp.Function
    ) throws(SharedStoreError) {
        self.calls = try PostgresCalls(url, connections: connections, limit: limit, connect: connect, lookUp: lookUp)
    }

    deinit {
        self.calls.close()
    }

    /// Closes connections; every later call throws `unreachable`.
    public func close() async {
        await self.calls.closed()
    }

    /// Checks that the database can be used, and binds it to the workspace.
    public func prepare(workspace: [UInt8]) async throws(SharedStoreError) -> SharedAnswer<SharedFormat> {
        let deadline = self.deadline
        while true {
            var statement = PostgresStatement(
                """
                with t as materialized (
                    select \(Self.milliseconds) as ms, set_config('synchronous_commit', 'local', true) as locally
                ),
                bound as (
                    update signet.meta set key_hash = $1
                    where key_hash is null and format <= $2 and (select locally from t) is not null returning key_hash
                )
                select t.ms, m.format, coalesce(b.key_hash, m.key_hash)
                from t left join signet.meta m on true left join bound b on true
                """,
                .bytes(workspace),
                .integer(Int64(Self.newestFormat))
            )
            // As joining: it waits for no standby, so that readings go on without one.
            statement.waitsForStandbys = false
            let result = try await self.answer(statement, until: deadline)
            let time = try Self.time(of: result.rows)
            guard let row = result.rows.first, !row.isNull(1) else {
                throw SharedStoreError(.schemaMissing, "run `signet store setup`: the table signet.meta is empty")
            }
            let format = Int(row.integer(1))
            guard format <= Self.newestFormat else {
                throw SharedStoreError(
                    .newerFormat,
                    "the tables have format \(format), this version reads up to \(Self.newestFormat): use a newer version"
                )
            }
            // Another workspace was faster: the next try sees which.
            if row.isNull(2) { continue }
            guard row.bytes(2) == workspace else {
                throw Self.otherWorkspace
            }
            self.workspace.withLock { $0 = workspace }
            return SharedAnswer(SharedFormat(written: format), at: time)
        }
    }

    /// Reads rows; reads of the same moment become one statement.
    public func read(_ keys: [UUID]) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]> {
        try Self.check(keys.count, upTo: SharedStoreLimits.batch, "keys")
        try Self.checkDistinct(keys)
        return try await self.rows(keys, until: self.deadline)
    }

    // MARK: - Statements

    /// The database's clock, in milliseconds since 1970; null on a standby, whose rows may be old.
    ///
    /// libpq asks for a primary, but a pooler may lead to another server later.
    static let milliseconds =
        "(case when not pg_is_in_recovery() then floor(extract(epoch from clock_timestamp()) * 1000)::bigint end)"
    /// The database's day, the same wherever its users are.
    static let today = "(clock_timestamp() at time zone 'utc')::date"
    /// The columns of `SharedInstallation.init(row:)`, of `live` as `l` and `installation` as `n`; the first is the time.
    static let columns = """
        l.k, n.name, n.state, l.tag, l.tags, l.session, l.started, l.last, l.events, l.look, l.slot, l.slot_owner, l.slot_until, \
        l.outbox, (select array_agg(int8send(u.mpid) || uuid_send(u.tag) || u.state)
            from signet.mention m join signet.user_consent u on u.mpid = m.mpid where m.k = l.k)
        """
    /// The number of the column after those of ``columns``, of which the time is before the first.
    static let next = 16

    /// The database's time, in the first column of an answer.
    static func time(of rows: [PostgresResult.Row]) throws(SharedStoreError) -> Int64 {
        guard let row = rows.first else {
            throw SharedStoreError(.failed, "the database has answered without a row")
        }
        guard let time = row.optionalInteger(0) else {
            throw SharedStoreError(
                .unreachable,
                "the server is a standby: let the URL, or the pooler, lead to the primary"
            )
        }
        return time
    }

    /// The moment at which a call that begins now gives up.
    var deadline: Duration {
        self.calls.deadline
    }

    func rows(
        _ keys: [UUID],
        until deadline: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]> {
        guard !keys.isEmpty else {
            let result = try await self.answer(PostgresStatement("select \(Self.milliseconds)"), until: deadline)
            return SharedAnswer([], at: try Self.time(of: result.rows))
        }
        let rows = try await self.outcome(of: .read(keys), until: deadline).rows
        try self.checkWorkspace(rows)
        // The answer may have rows of others; a key that two have asked for stands there twice.
        var missing = Set(keys)
        let found = rows.compactMap { row -> SharedInstallation? in
            guard let key = row.uuid(1), missing.remove(key) != nil else { return nil }
            return SharedInstallation(row: row)
        }
        return SharedAnswer(found, at: try Self.time(of: rows))
    }

    /// Checks that tables without a row are still those of the workspace: in tables that were made anew no row is to be made before.
    private func checkWorkspace(_ rows: [PostgresResult.Row]) throws(SharedStoreError) {
        guard let own = self.workspace.withLock({ $0 }), let row = rows.first(where: { $0.isNull(1) }) else { return }
        guard !row.isNull(Self.next) else {
            throw SharedStoreError(.schemaMissing, "the tables were made anew and belong to no workspace yet")
        }
        guard row.bytes(Self.next) == own else { throw Self.otherWorkspace }
    }

    private static let otherWorkspace = SharedStoreError(
        .workspaceMismatch,
        "the tables belong to a workspace with another key: use another database"
    )

    /// Carries out a statement; again if another transaction stood in its way.
    func answer(
        _ statement: PostgresStatement,
        until deadline: Duration
    ) async throws(SharedStoreError) -> PostgresResult {
        try await self.outcome(of: .statement(statement), until: deadline)
    }

    /// Carries out a wish, with those of other calls that wait.
    func outcome(
        of wish: CallInbox.Wish,
        until deadline: Duration
    ) async throws(SharedStoreError) -> PostgresResult {
        try await self.calls.outcome(of: wish, until: deadline)
    }

    // MARK: - Arguments

    static func check(_ count: Int, upTo limit: Int, _ name: String) throws(SharedStoreError) {
        guard (0...limit).contains(count) else {
            throw SharedStoreError(.invalidArgument, "\(count) \(name), at most \(limit)")
        }
    }

    static func checkDistinct(_ keys: [UUID]) throws(SharedStoreError) {
        guard Set(keys).count == keys.count else {
            throw SharedStoreError(.invalidArgument, "a key stands there twice")
        }
    }

    /// Milliseconds of a duration.
    static func milliseconds(_ span: Duration) -> Int64 {
        let (seconds, attoseconds) = span.components
        let whole = seconds.multipliedReportingOverflow(by: 1_000)
        return whole.overflow ? .max / 4 : whole.partialValue + attoseconds / 1_000_000_000_000_000
    }
}

extension PostgresStatement {
    /// It has a row for each key, so that the time is there if no row is.
    ///
    /// The array stands in a select, here and elsewhere, so that the server does not plan for its length: only a plan that is as good
    /// for each array is kept.
    private static let reading = Often(
        """
        select \(PostgresStore.milliseconds), \(PostgresStore.columns),
            case when l.k is null then (select key_hash from signet.meta) end
        from unnest((select $1::uuid[])) as a(k)
            left join signet.live l on l.k = a.k left join signet.installation n on n.k = l.k
        """
    )

    init(reading keys: [UUID]) {
        self.init(Self.reading, .uuids(keys))
    }
}

extension SharedInstallation {
    /// Reads a row with the time and ``PostgresStore/columns``; nil if there is no such row.
    init?(row: PostgresResult.Row) {
        guard let key = row.uuid(1), !row.isNull(2), let tag = row.uuid(4) else { return nil }
        self.init(key: key, id: InstallationID(row.text(2)), state: row.bytes(3), tag: tag, tags: row.uuids(5))
        if let session = row.uuid(6) {
            self.session = OpenSession(
                id: session,
                started: row.integer(7),
                last: row.integer(8),
                events: Int(row.integer(9))
            )
        }
        self.look = row.optionalInteger(10)
        if let token = row.uuid(11), let owner = row.uuid(12) {
            self.slot = Slot(token: token, owner: owner, until: row.integer(13))
        }
        self.outbox = row.bytes(14)
        self.consents = row.bytesArray(15).compactMap(SharedConsent.init(packed:))
    }
}

extension SharedConsent {
    /// Reads 8 bytes of the user's number, 16 of the tag, and the state; nil if they are fewer.
    fileprivate init?(packed bytes: [UInt8]) {
        guard bytes.count >= 24,
            let mpid = MPID(rawValue: Int64(bitPattern: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }))
        else { return nil }
        let tag = bytes[8..<24].withUnsafeBytes { UUID(bytes: $0) }
        self.init(of: mpid, state: Array(bytes.dropFirst(24)), tag: tag)
    }
}
#endif
