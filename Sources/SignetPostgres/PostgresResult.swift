// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import CSignetPostgres

import struct FoundationEssentials.UUID

/// The rows of an answer, in binary.
// Proof of the `Sendable` conformance: the only stored value is a `PGresult` that this object alone owns and frees; libpq never
// changes one after `PQgetResult`, and says so: "PGresult objects are read-only after creation and can be passed around freely
// between threads" (libpq, section 34.20).
final class PostgresResult: @unchecked Sendable {
    /// What the client knows of the connection over which an answer came.
    struct Ends: Sendable, Hashable {
        /// True if the connection is encrypted, to the server or to a pooler.
        var isEncrypted = false
        /// The process that serves the connection, as its other end has told.
        var process: Int32 = 0
    }

    let ends: Ends
    private let result: OpaquePointer

    /// Takes over an answer.
    init(_ result: OpaquePointer, _ ends: Ends) {
        (self.result, self.ends) = (result, ends)
    }

    deinit {
        PQclear(self.result)
    }

    /// The number of rows.
    var count: Int {
        Int(PQntuples(self.result))
    }

    /// The rows, in their order.
    var rows: [Row] {
        (0..<self.count).map { Row(result: self, index: Int32($0)) }
    }

    /// One row; columns are read in any order.
    struct Row {
        fileprivate let result: PostgresResult
        fileprivate let index: Int32

        func isNull(_ column: Int) -> Bool {
            PQgetisnull(self.result.result, self.index, Int32(column)) != 0
        }

        /// The text of a column that was asked for as text.
        func text(_ column: Int) -> String {
            self.with(column) { String(decoding: $0, as: UTF8.self) }
        }

        /// A `boolean`; false for null.
        func bool(_ column: Int) -> Bool {
            self.with(column) { $0.first == 1 }
        }

        /// A `bigint`, `integer` or `date`; 0 for null.
        func integer(_ column: Int) -> Int64 {
            self.with(column) { bytes in
                let first: Int64 = if let byte = bytes.first, byte & 0x80 != 0 { -1 } else { 0 }
                return bytes.reduce(first) { $0 << 8 | Int64($1) }
            }
        }

        func optionalInteger(_ column: Int) -> Int64? {
            self.isNull(column) ? nil : self.integer(column)
        }

        /// A `bytea`; empty for null.
        func bytes(_ column: Int) -> [UInt8] {
            self.with(column) { Array($0) }
        }

        func uuid(_ column: Int) -> UUID? {
            self.with(column) { $0.count == 16 ? UUID(bytes: $0) : nil }
        }

        /// A `uuid[]` of one dimension without nulls.
        func uuids(_ column: Int) -> [UUID] {
            self.with(column) { bytes in
                stride(from: 20, to: bytes.count, by: 20).compactMap { start in
                    guard start + 20 <= bytes.count else { return nil }
                    return UUID(bytes: UnsafeRawBufferPointer(rebasing: bytes[(start + 4)..<(start + 20)]))
                }
            }
        }

        /// A `bytea[]` of one dimension without nulls; empty for null.
        func bytesArray(_ column: Int) -> [[UInt8]] {
            self.with(column) { bytes in
                var values: [[UInt8]] = []
                // After dimensions, nulls, type, length and first index: the length of each element, then its bytes.
                var start = 20
                while start + 4 <= bytes.count {
                    let count = bytes[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
                    guard count <= bytes.count - start - 4 else { break }
                    values.append(Array(bytes[(start + 4)..<(start + 4 + count)]))
                    start += 4 + count
                }
                return values
            }
        }

        private func with<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
            defer { extendLifetime(self.result) }
            let count = Int(PQgetlength(self.result.result, self.index, Int32(column)))
            return body(
                UnsafeRawBufferPointer(start: PQgetvalue(self.result.result, self.index, Int32(column)), count: count)
            )
        }
    }
}
#endif
