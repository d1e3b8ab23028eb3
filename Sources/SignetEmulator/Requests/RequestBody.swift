// SPDX-License-Identifier: Apache-2.0

import SignetTransport

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
    /// - Throws: The refusal to send to the client.
    init(_ request: TransportRequest, limit: Int, depth: Int, mayBeGzip: Bool) throws(Refusal) {
        try Self.checkContentType(request.headers)
        let isGzip = try Self.isGzip(request.headers, mayBeGzip: mayBeGzip)
        guard request.body.count <= limit else { throw Self.tooLong(limit) }
        let body = isGzip ? try Self.expand(request.body, limit: limit) : request.body
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

    /// Reads an uncompressed body of at most `limit` bytes.
    static func read(_ request: TransportRequest, limit: Int, limits: EmulatorLimits) throws(Refusal) -> JSONValue {
        let value = try RequestBody(request, limit: limit, depth: limits.jsonDepth, mayBeGzip: false).value
        try limits.checkMarks(value)
        return value
    }

    // The documentation names only gzip. Other encodings get the status that HTTP defines (RFC 9110, 15.5.16).
    private static func isGzip(_ headers: HTTPHeaders, mayBeGzip: Bool) throws(Refusal) -> Bool {
        switch headers.values(of: "Content-Encoding").map({ $0.lowercased() }) {
        case [], ["identity"]: return false
        // RFC 9110, 8.4.1.3: both are the same encoding.
        case ["gzip"] where mayBeGzip, ["x-gzip"] where mayBeGzip: return true
        default:
            let taken = mayBeGzip ? "gzip or an uncompressed body" : "an uncompressed body"
            throw Refusal(
                status: 415,
                code: "UNSUPPORTED_MEDIA_TYPE",
                message: "This Content-Encoding is not supported. Send \(taken)."
            )
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
                    status: 415,
                    code: "UNSUPPORTED_MEDIA_TYPE",
                    message: "This build of the emulator has no gzip. Send the body uncompressed."
                )
            }
        }
    }

    private static func tooLong(_ limit: Int) -> Refusal {
        .badRequest("The body is longer than \(limit) bytes.")
    }

    // A body without a type is read as JSON; other types are refused.
    private static func checkContentType(_ headers: HTTPHeaders) throws(Refusal) {
        guard let type = headers["Content-Type"] else { return }
        let parts = type.lowercased().split(separator: ";").map { part in
            part.drop { $0 == " " || $0 == "\t" }
        }
        let isJSON = parts.first.map { $0.prefix { $0 != " " && $0 != "\t" } } == "application/json"
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }?.dropFirst("charset=".count)
        guard isJSON, charset.map({ $0 == "utf-8" || $0 == "\"utf-8\"" }) ?? true else {
            throw .badRequest("Content-Type must be application/json in UTF-8.")
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
