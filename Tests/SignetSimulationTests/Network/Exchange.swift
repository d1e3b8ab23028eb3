// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// What a request says of itself, read with no part of the runtime.
struct Exchange: Sendable {
    /// A batch of events.
    struct Batch: Sendable {
        var id: String
        var stamp: String
        var bytes: [UInt8]?
        /// The numbers that the simulation gave to its events.
        var events: [Int64]
    }

    var endpoint: String
    /// The stamp of the installation, where the request names it.
    var installation: String?
    /// The user, where the path names one.
    var user: String?
    /// The user of before, where an identity request names one.
    var previous: String?
    /// What it delivers: one, or several in a bulk request.
    var batches: [Batch] = []

    init(_ request: TransportRequest) {
        let path = request.url.split(separator: "/").map(String.init)
        self.endpoint = path.last ?? ""
        let body = Self.read(request.body)
        switch self.endpoint {
        case "events":
            self.batches = [body].compactMap { $0 }.map { Self.batch($0, request.body) }
        case "bulkevents":
            self.batches = (body?.array ?? []).map { Self.batch($0, nil) }
        case "modify":
            self.user = path.dropLast().last
        default:
            self.installation = body?["known_identities"]?["device_application_stamp"]?.string?.lowercased()
            self.previous = body?["previous_mpid"]?.string
        }
    }

    // Of a batch among others the bytes are not told apart.
    private static func batch(_ body: JSONValue, _ bytes: [UInt8]?) -> Batch {
        Batch(
            id: body["source_request_id"]?.string ?? "",
            stamp: body["mp_deviceid"]?.string?.lowercased() ?? "",
            bytes: bytes,
            events: (body["events"]?.array ?? []).compactMap { Self.number(of: $0["data"]) }
        )
    }

    /// The number that the simulation gave to an event; nil for one that the runtime made by itself.
    static func number(of data: JSONValue?) -> Int64? {
        data?["custom_attributes"]?["number"]?.string.flatMap { Int64($0) }
    }

    /// The number of an event as the journal has it.
    static func number(inEvent bytes: [UInt8]) -> Int64? {
        self.number(of: self.read(bytes)?["data"])
    }

    /// Whom an answer names.
    static func mpid(in body: [UInt8]) -> String? {
        Self.read(body)?["mpid"]?.string
    }

    private static func read(_ bytes: [UInt8]) -> JSONValue? {
        do throws(JSONError) {
            return try JSONReader.read(bytes)
        } catch {
            return nil
        }
    }
}
