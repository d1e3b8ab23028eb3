//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// The JSON body of a request, read within bounds.
enum RequestBody {
    /// Reads a body as one JSON value, of so many bytes and so deep at most.
    static func read(_ request: TransportRequest, limit: Int, depth: Int) throws(Refusal) -> JSONValue {
        try Self.checkContentType(request.headers)
        guard request.body.count <= limit else {
            throw .badRequest("The body is longer than \(limit) bytes.")
        }
        var limits = JSONLimits()
        limits.bytes = limit
        limits.depth = depth
        do {
            return try JSONReader.read(request.body, limits: limits)
        } catch {
            throw .badRequest("The body is not acceptable JSON (\(error.code), byte \(error.offset)).")
        }
    }

    // A body without a type is read as JSON; what says that it is something else is refused.
    private static func checkContentType(_ headers: HTTPHeaders) throws(Refusal) {
        if let encoding = headers["Content-Encoding"], encoding.lowercased() != "identity" {
            throw .badRequest("Content-Encoding is not supported by the emulator; send the body as it is.")
        }
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
