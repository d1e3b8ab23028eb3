// SPDX-License-Identifier: Apache-2.0

import CSignetDeflate

/// Expands gzip (RFC 1952) piece by piece, and stops at a limit.
package enum Gunzip {
    /// An error of expanding bytes.
    package enum Failure: Error {
        /// The bytes are not gzip, are truncated, or do not match their checksum.
        case damaged
        /// The expanded bytes exceed the limit.
        case tooLong
        /// This build has no zlib.
        case unavailable
    }

    private static let pieceBytes = 16 << 10

    private typealias Outcome = Result<[UInt8], Failure>

    /// Expands gzip data.
    ///
    /// - Parameters:
    ///   - bytes: One gzip member, or several in sequence.
    ///   - limit: The maximum number of expanded bytes.
    /// - Returns: The expanded bytes.
    /// - Throws: ``Failure``.
    package static func expand(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        // Empty input is not a gzip stream, and an empty array has no address.
        guard !bytes.isEmpty else { throw .damaged }
        return try bytes.withUnsafeBufferPointer { Self.expand($0, limit: limit) }.get()
    }

    private static func expand(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> Outcome {
        guard let stream = csignet_gunzip_begin(bytes.baseAddress, bytes.count) else { return .failure(.unavailable) }
        defer { csignet_gunzip_end(stream) }
        var expanded: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        while true {
            let count = csignet_gunzip_read(stream, &piece, piece.count)
            guard count >= 0 else { return .failure(.damaged) }
            guard count <= limit - expanded.count else { return .failure(.tooLong) }
            expanded += piece[..<count]
            if count < piece.count { return .success(expanded) }
        }
    }
}
