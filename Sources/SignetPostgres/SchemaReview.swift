// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet

/// Compares what the catalogs say of the schema `signet` with what the calls need.
struct SchemaReview: Sendable {
    /// A column as it is.
    struct Column: Sendable, Hashable {
        var type: String
        var hasDefault: Bool
    }

    /// An index as it is.
    struct Index: Sendable, Hashable {
        var name: String
        var columns: [String]
        var isUnique: Bool
        /// False if it was left behind by a build that failed.
        var isValid: Bool
        /// True if it has only some rows.
        var isPartial: Bool
    }

    /// A table as it is.
    struct Table: Sendable, Hashable {
        var columns: [String: Column] = [:]
        var indexes: [Index] = []
        /// The rights that the user lacks.
        var lackedRights: [String] = []
    }

    /// The user, quoted for SQL.
    var user: String
    /// The database.
    var database: String
    /// The encoding of the database.
    var encoding: String
    /// True if the user may use the schema; nil if there is no schema.
    var usage: Bool?
    /// The tables of the schema that there are.
    var tables: [String: Table] = [:]

    /// True if the format can be read.
    var hasReadableFormat: Bool {
        guard self.usage == true, let meta = self.tables["meta"] else { return false }
        return !meta.lackedRights.contains("select") && meta.columns["format"]?.type == "integer"
            && meta.columns["key_hash"] != nil
    }

    /// The faults of the database and its tables, each with the statement that mends it.
    var problems: [PostgresStore.Problem] {
        var problems = Self.problem(ofEncoding: self.encoding, database: self.database).map { [$0] } ?? []
        guard let usage = self.usage else {
            return problems + [
                .init("the schema signet", "is missing", "run `signet store setup` as a user who may create a schema")
            ]
        }
        if !usage {
            problems.append(
                .init(
                    "the schema signet",
                    "is closed to the user \(self.user)",
                    "`grant usage on schema signet to \(self.user)`"
                )
            )
        }
        for table in PostgresSchema.tables {
            guard let found = self.tables[table.name] else {
                problems.append(.init("the table signet.\(table.name)", "is missing", "run `signet store setup`"))
                continue
            }
            problems += Self.problems(of: table, found) + self.problem(ofRightsOn: table.name, found)
        }
        return problems
    }

    /// The fault of an encoding; nil for none.
    static func problem(ofEncoding encoding: String, database: String) -> PostgresStore.Problem? {
        guard encoding != "UTF8" else { return nil }
        // The name is quoted if it must be.
        let other = database.hasSuffix("\"") ? database.dropLast() + "_utf8\"" : database + "_utf8"
        return PostgresStore.Problem(
            "the database \(database)",
            "has the encoding \(encoding), which no statement changes",
            "make another one with `create database \(other) encoding 'UTF8' template template0`, and name it in the URL"
        )
    }

    private static func problems(of table: PostgresSchema.Table, _ found: Table) -> [PostgresStore.Problem] {
        table.columns.compactMap { Self.problem(of: $0, in: table.name, found.columns[$0.name]) }
            + Self.problem(ofKeyOf: table, found)
            + PostgresSchema.indexes.filter { $0.table == table.name }.flatMap { Self.problem(of: $0, found) }
    }

    private static func problem(
        of column: PostgresSchema.Column,
        in table: String,
        _ found: Column?
    ) -> PostgresStore.Problem? {
        let subject = "the column \(column.name) of signet.\(table)"
        let change = "alter table signet.\(table)"
        guard let found else {
            let addition = "`\(change) add column \(column.name) \(column.definition)`"
            let isKnown = !column.constraints.contains("not null") || column.hasDefault
            return .init(
                subject,
                "is missing",
                isKnown
                    ? "run `signet store setup`, or \(addition)"
                    : "restore the table from a backup; if it is empty, run `signet store setup`, or \(addition)"
            )
        }
        guard found.type == column.type else {
            return .init(
                subject,
                "has the type \(found.type), not \(column.type)",
                "`\(change) alter column \(column.name) type \(column.type) using \(column.name)::text::\(column.type)`"
            )
        }
        guard let value = column.defaultValue, !found.hasDefault else { return nil }
        return .init(subject, "has no default", "`\(change) alter column \(column.name) set default \(value)`")
    }

    private static func problem(
        ofKeyOf table: PostgresSchema.Table,
        _ found: Table
    ) -> [PostgresStore.Problem] {
        // Without its columns it cannot be there, and comes with them.
        guard table.key.allSatisfy({ found.columns[$0] != nil }) else { return [] }
        let isThere = found.indexes.contains { index in
            index.isUnique && index.isValid && !index.isPartial && index.columns.sorted() == table.key.sorted()
        }
        let columns = table.key.joined(separator: ", ")
        return isThere
            ? []
            : [
                .init(
                    "the primary key (\(columns)) of signet.\(table.name)",
                    "is missing",
                    "run `signet store setup`, or `alter table signet.\(table.name) add primary key (\(columns))`"
                )
            ]
    }

    private static func problem(of index: PostgresSchema.Index, _ found: Table) -> [PostgresStore.Problem] {
        guard index.columns.allSatisfy({ found.columns[$0] != nil }) else { return [] }
        let fitting = found.indexes.filter { Array($0.columns.prefix(index.columns.count)) == index.columns }
        if fitting.contains(where: { $0.isValid && (!$0.isPartial || !index.condition.isEmpty) }) { return [] }
        if let broken = fitting.first(where: { !$0.isValid }) {
            return [
                .init(
                    "the index signet.\(broken.name)",
                    "is not valid: a build of it has failed",
                    "`reindex index signet.\(broken.name)`"
                )
            ]
        }
        return [
            .init(
                "the index on (\(index.columns.joined(separator: ", "))) of signet.\(index.table)",
                "is missing",
                "run `signet store setup`, or `\(index.statement)`"
            )
        ]
    }

    private func problem(ofRightsOn table: String, _ found: Table) -> [PostgresStore.Problem] {
        guard !found.lackedRights.isEmpty else { return [] }
        let rights = found.lackedRights.joined(separator: ", ")
        return [
            .init(
                "the table signet.\(table)",
                "refuses \(rights) to the user \(self.user)",
                "`grant \(rights) on signet.\(table) to \(self.user)`"
            )
        ]
    }
}

extension PostgresStore.Problem {
    /// The fault of the format in which replicas write; nil for none.
    ///
    /// - Parameter format: The format; nil if `signet.meta` has no row.
    init?(ofFormat format: Int?) {
        guard let format else {
            self.init("the table signet.meta", "is empty", "run `signet store setup`")
            return
        }
        let (oldest, newest) = (SharedFormat.oldest, SharedFormat.newest)
        if format > newest {
            self.init(
                "the format of rows",
                "is \(format), this version reads up to \(newest)",
                "use a newer version of Signet"
            )
        } else if format < oldest {
            self.init(
                "the format of rows",
                "is \(format), this version writes no older one than \(oldest)",
                "stop replicas of older versions, then run `signet store upgrade --finish`"
            )
        } else {
            return nil
        }
    }
}
#endif
