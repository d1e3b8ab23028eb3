// SPDX-License-Identifier: Apache-2.0

import CSignetDeflate
package import SignetTransport

/// The JSON body of a request, read within limits.
struct RequestBody: Sendable {
    /// The value of the body.
    let value: JSONValue
    /// The number of bytes, expanded.
    let count: Int

    /// Reads a body as one JSON value, with limits on size and depth.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The maximum size of the body in bytes, both as received and expanded.
    ///   - depth: The maximum nesting depth.
    ///   - mayBeGzip: True to accept `Content-Encoding: gzip`.
    ///   - mayBeText: True to accept `Content-Type: text/plain`.
    /// - Throws: The refusal to send to the client.
    init(
        _ request: TransportRequest,
        limit: Int,
        depth: Int,
        mayBeGzip: Bool,
        mayBeText: Bool = false
    ) throws(Refusal) {
        try Self.checkContentType(request.headers, mayBeText: mayBeText)
        let body = try Self.expanded(request, limit: limit, mayBeGzip: mayBeGzip)
        var limits = JSONLimits()
        limits.bytes = limit
        limits.depth = depth
        do {
            self.value = try JSONReader.read(body, limits: limits)
        } catch {
            throw .badRequest("The body is not valid JSON (\(error.code), byte \(error.offset)).")
        }
        self.count = body.count
    }

    /// Reads a body of at most `limit` bytes, uncompressed unless `mayBeGzip`, without long runs of combining marks.
    static func read(
        _ request: TransportRequest,
        limit: Int,
        limits: EmulatorLimits,
        mayBeGzip: Bool = false,
        mayBeText: Bool = false
    ) throws(Refusal) -> JSONValue {
        let body = try RequestBody(
            request,
            limit: limit,
            depth: limits.jsonDepth,
            mayBeGzip: mayBeGzip,
            mayBeText: mayBeText
        )
        try limits.checkMarks(body.value)
        return body.value
    }

    /// Returns the bytes of a body as they were before compression, of at most `limit` bytes.
    static func expanded(_ request: TransportRequest, limit: Int, mayBeGzip: Bool) throws(Refusal) -> [UInt8] {
        let isGzip = try Self.isGzip(request.headers, mayBeGzip: mayBeGzip)
        guard request.body.count <= limit else { throw Self.tooLong(limit) }
        return isGzip ? try Self.expand(request.body, limit: limit) : request.body
    }

    // The documentation names only gzip. Other encodings get the status that HTTP defines (RFC 9110, 15.5.16).
    private static func isGzip(_ headers: HTTPHeaders, mayBeGzip: Bool) throws(Refusal) -> Bool {
        switch headers.values(of: "Content-Encoding").map({ $0.lowercased() }) {
        case [], ["identity"]: return false
        // RFC 9110, 8.4.1.3: both are the same encoding.
        case ["gzip"] where mayBeGzip, ["x-gzip"] where mayBeGzip: return true
        default:
            let taken = mayBeGzip ? "gzip or an uncompressed body" : "an uncompressed body"
            throw Refusal(415, "UNSUPPORTED_MEDIA_TYPE", "This Content-Encoding is not supported. Send \(taken).")
        }
    }

    private static func expand(_ body: [UInt8], limit: Int) throws(Refusal) -> [UInt8] {
        do throws(Gunzip.Failure) {
            return try Gunzip.expand(body, limit: limit)
        } catch {
            switch error {
            case .damaged: throw .badRequest("The body is not gzip, as Content-Encoding says, or is incomplete.")
            case .tooLong: throw Self.tooLong(limit)
            case .unavailable:
                throw Refusal(
                    415,
                    "UNSUPPORTED_MEDIA_TYPE",
                    "This build of the emulator has no gzip. Send the body uncompressed."
                )
            }
        }
    }

    private static func tooLong(_ limit: Int) -> Refusal {
        .badRequest("The body is longer than \(limit) bytes.")
    }

    // A body without a type is read as JSON; other types are refused. The SDK for browsers sends JSON as text, because
    // a browser asks the service first (CORS) before it sends JSON as such.
    private static func checkContentType(_ headers: HTTPHeaders, mayBeText: Bool) throws(Refusal) {
        guard let type = headers["Content-Type"] else { return }
        let parts = type.lowercased().split(separator: ";").map { part in
            part.drop { $0 == " " || $0 == "\t" }
        }
        let name = parts.first.map { $0.prefix { $0 != " " && $0 != "\t" } }
        let isRight = name == "application/json" || mayBeText && name == "text/plain"
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }?.dropFirst("charset=".count)
        guard isRight, charset.map({ $0 == "utf-8" || $0 == "\"utf-8\"" }) ?? true else {
            throw .badRequest("Content-Type must be application/json\(mayBeText ? " or text/plain" : "") in UTF-8.")
        }
    }
}

extension EmulatorLimits {
    /// Refuses long runs of combining marks; called before the first comparison, which could take long.
    func checkMarks(_ value: JSONValue) throws(Refusal) {
        guard !CombiningMarks.exceed(self.combiningMarks, in: value) else {
            throw self.tooManyMarks("A text or a name")
        }
    }

    /// Checks header fields in the same way; their names cannot have marks.
    func checkMarks(_ headers: HTTPHeaders) throws(Refusal) {
        guard !headers.contains(where: { CombiningMarks.exceed(self.combiningMarks, in: $0.value) }) else {
            throw self.tooManyMarks("A header field")
        }
    }

    private func tooManyMarks(_ place: String) -> Refusal {
        .badRequest("\(place) has more than \(self.combiningMarks) combining marks in a row. Remove some.")
    }
}

/// Finds long runs of combining marks in untrusted input.
///
/// Swift compares and hashes texts by canonical equivalence, and sorts each run of marks for it, in quadratic time: 60,000
/// marks (120 kB) take half a second to some seconds per comparison or look-up. With short runs, both take linear time.
/// Languages need a few marks; Unicode's own bound for streams is 30 (UAX #15, 13).
package enum CombiningMarks {
    // Characters that are not marks but decompose into marks only (Unicode, non-starter decompositions).
    private static let disguised: Set<Unicode.Scalar> = ["\u{0F73}", "\u{0F75}", "\u{0F81}"]

    /// Returns true when a text has a run of marks above the limit.
    package static func exceed(_ limit: Int, in text: some StringProtocol) -> Bool {
        // The first mark is U+0300, whose first byte is 0xCC; most texts have no such byte.
        guard text.utf8.contains(where: { $0 >= 0xCC }) else { return false }
        var row = 0
        for scalar in text.unicodeScalars {
            let isMark =
                scalar.value >= 0x300
                && (scalar.properties.canonicalCombiningClass != .notReordered || Self.disguised.contains(scalar))
            row = isMark ? row + 1 : 0
            if row > limit { return true }
        }
        return false
    }

    /// Returns true when a name or a text in a JSON value has such a run.
    package static func exceed(_ limit: Int, in value: JSONValue) -> Bool {
        switch value {
        case .null, .bool, .number: false
        case .string(let text): Self.exceed(limit, in: text)
        case .array(let elements): elements.contains { Self.exceed(limit, in: $0) }
        case .object(let object):
            object.contains { Self.exceed(limit, in: $0.key) || Self.exceed(limit, in: $0.value) }
        }
    }
}

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
