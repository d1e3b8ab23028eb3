// SPDX-License-Identifier: Apache-2.0

#if Fleet
import CPostgres

/// One connection to PostgreSQL that waits for each answer: the floor, and the look at the tables.
final class Database {
    private let connection: OpaquePointer

    init(_ url: String) throws {
        guard let connection = PQconnectdb(url) else { throw LoadError("libpq has no memory") }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else {
            throw LoadError("PostgreSQL: \(String(cString: PQerrorMessage(connection)))")
        }
        try self.run("set client_min_messages = warning")
    }

    deinit {
        PQfinish(self.connection)
    }

    /// Carries out statements.
    func run(_ statements: String) throws {
        try self.take(PQexec(self.connection, statements)) { _ in }
    }

    /// The first column of each row.
    func texts(_ statement: String) throws -> [String] {
        try self.take(PQexec(self.connection, statement)) { result in
            (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
        }
    }

    /// The first column of the first row.
    func text(_ statement: String) throws -> String {
        guard let text = try self.texts(statement).first else { throw LoadError("No row: \(statement)") }
        return text
    }

    /// A number in the first column of the first row.
    func number(_ statement: String) throws -> Int {
        guard let number = Int(try self.text(statement)) else { throw LoadError("No number: \(statement)") }
        return number
    }

    /// Prepares the statement that ``select(_:)`` carries out.
    func prepare(_ statement: String) throws {
        try self.take(PQprepare(self.connection, "one", statement, 1, nil)) { _ in }
    }

    /// Carries out the prepared statement, with its answer in binary.
    ///
    /// - Returns: The number of its rows.
    func select(_ argument: String) throws -> Int {
        try argument.withCString { text in
            var arguments: [UnsafePointer<CChar>?] = [text]
            return try self.take(PQexecPrepared(self.connection, "one", 1, &arguments, nil, nil, 1)) {
                Int(PQntuples($0))
            }
        }
    }

    @discardableResult
    private func take<Value>(_ result: OpaquePointer?, _ read: (OpaquePointer) -> Value) throws -> Value {
        guard let result else { throw LoadError("PostgreSQL: \(String(cString: PQerrorMessage(self.connection)))") }
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
            throw LoadError("PostgreSQL: \(String(cString: PQresultErrorMessage(result)))")
        }
        return read(result)
    }
}
#endif
