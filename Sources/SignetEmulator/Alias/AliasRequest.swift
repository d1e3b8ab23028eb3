// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.MPID

/// An alias request whose body has been checked.
struct AliasRequest: Sendable, Hashable {
    let requestID: String?
    let source: MPID
    let destination: MPID
    /// Milliseconds since 1970; nil means the earliest time that the platform allows.
    let start: Int64?
    /// Milliseconds since 1970; nil means the time of the request.
    let end: Int64?

    private static let members: Set<String> = ["request_type", "api_key", "request_id", "environment", "data"]
    private static let dataMembers: Set<String> = [
        "source_mpid", "destination_mpid", "start_unixtime_ms", "end_unixtime_ms", "device_application_stamp",
    ]

    /// Reads a body, which must name the workspace's key.
    init(_ body: JSONValue, apiKey: String) throws(Refusal) {
        let members = try ObjectReader(body, allowed: Self.members)
        try members.checkEnvironment()
        guard try members.text("request_type", oneOf: ["alias"]) != nil else { throw members.missing("request_type") }
        guard try members.text("api_key") == apiKey else { throw members.wrong("api_key", "the key of the workspace") }
        guard let value = members.value("data") else { throw members.missing("data") }
        let data = try ObjectReader(value, path: "data", allowed: Self.dataMembers)
        _ = try data.text("device_application_stamp")
        self.requestID = try members.text("request_id")
        self.source = try Self.mpid("source_mpid", in: data)
        self.destination = try Self.mpid("destination_mpid", in: data)
        self.start = try data.integer("start_unixtime_ms")
        self.end = try data.integer("end_unixtime_ms")
    }

    private static func mpid(_ key: String, in data: ObjectReader) throws(Refusal) -> MPID {
        guard let number = try data.integer(key) else { throw data.missing(key) }
        guard let mpid = MPID(rawValue: number) else { throw data.wrong(key, "a number that is not zero") }
        return mpid
    }
}
