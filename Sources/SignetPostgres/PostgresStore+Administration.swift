// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
public import Signet

extension PostgresStore {
    /// The findings of `signet store check`.
    public struct Report: Sendable, Hashable {
        /// The server's version.
        public var version: String
        /// True if this connection is encrypted, to the server or to a pooler before it.
        public var isEncrypted: Bool
        /// True if the server itself has an encrypted connection: from here, or from the pooler.
        public var isServerEncrypted: Bool
        /// True if a pooler, such as PgBouncer, answers in place of the server.
        public var hasPooler: Bool
        /// The durability of commits.
        public var durability: Durability
        /// The settings that harm a fleet, for this user and database.
        public var hints: [Hint]
        /// The tables that are missing, and the rights that the user lacks, as `update on signet.live`.
        public var missing: [String]
        /// True if the user can use no table at all.
        public var hasNothing: Bool {
            self.missing.count == PostgresSchema.tables.count * PostgresSchema.rights.count
        }
        /// The format of the rows; nil without tables.
        public var format: Int?
        /// True if a workspace is bound to the database.
        public var isBound: Bool
    }

    /// The place where a commit is when it is answered.
    public enum Durability: Sendable, Hashable {
        /// On the disks of the server and of these standbys.
        case onStandbys(String)
        /// On the server's disk, and in the memory of these standbys: lost if all of them crash at once.
        case receivedByStandbys(String)
        /// On the server's disk alone: a failover may lose the last commits.
        case onServer
        /// In the server's memory: a crash loses the last commits.
        case nowhere
    }

    /// A setting that harms a fleet.
    public struct Hint: Sendable, Hashable {
        /// The name of the setting.
        public var setting: String
        /// Its value.
        public var value: String
        /// The change to make, and its reason.
        public var advice: String
    }

    /// Makes the tables that are missing; may run twice at once.
    public func setup() async throws(SharedStoreError) {
        let script = PostgresStatement(script: PostgresSchema.setup)
        _ = try await self.answer(script, until: self.deadline + .seconds(30))
    }

    /// Adds what newer tables need; with `finish`, replicas write the newest format, those that run within a minute.
    ///
    /// Rows keep the format of their last commit; each is written in the newest one with its next.
    ///
    /// - Returns: The format that replicas write.
    public func upgrade(finish: Bool) async throws(SharedStoreError) -> Int {
        try await self.setup()
        let statement = PostgresStatement(
            """
            with raised as (update signet.meta set format = $1 where format < $1 and $2::bigint = 1 returning format)
            select \(Self.milliseconds), coalesce((select format from raised), (select format from signet.meta))
            """,
            .integer(Int64(Self.newestFormat)),
            .integer(finish ? 1 : 0)
        )
        let format = try await self.one(statement) { Int($0.integer(1)) }.value
        guard format <= Self.newestFormat else {
            throw SharedStoreError(
                .newerFormat,
                "the tables have format \(format): upgrade with the newer version of Signet"
            )
        }
        return format
    }
}
#endif
