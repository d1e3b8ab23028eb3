// SPDX-License-Identifier: Apache-2.0

import SignetTransport

public import struct FoundationEssentials.Date
public import struct SignetModel.MPID

/// Accepts alias requests and carries them out after a delay, by default a day (guides, IDSync, aliasing).
struct AliasRequestHandler: Sendable {
    /// 90 days, in milliseconds.
    static let longestWindow: Int64 = 90 * 24 * 60 * 60 * 1000

    private let rules: IdentityRules
    private let delay: Int64
    private(set) var entries: [EmulatedAlias] = []

    init(_ configuration: EmulatorConfiguration) {
        self.rules = IdentityRules(configuration)
        self.delay = configuration.aliasDelay.wholeMilliseconds
    }

    /// Throws when the strategy has no aliases; called before the body is read.
    func checkProvisioned() throws(Refusal) {
        guard self.rules.strategy.allowsAliases else {
            throw .forbidden("Aliasing is not provisioned under the identity strategy of this workspace.")
        }
    }

    /// Accepts a request, which is carried out after the delay.
    ///
    /// An identical repetition under the id of an accepted request is accepted and changes nothing: its first answer was lost.
    /// (No source documents what the platform does then.)
    mutating func accept(_ request: AliasRequest, users: UserStore, at now: Int64) throws(Refusal) {
        if request.requestID != nil, self.entries.contains(where: { $0.request == request }) {
            return
        }
        let window = try Self.window(of: request, at: now)
        try self.checkUsers(of: request, users: users)
        try self.checkHistory(of: request, window: window)
        let due = now.addingReportingOverflow(self.delay)
        self.entries.append(
            EmulatedAlias(request: request, window: window, arrival: now, due: due.overflow ? .max : due.partialValue)
        )
    }

    /// Returns the due aliases in the order of acceptance and marks them as processed.
    mutating func takeDue(at now: Int64) -> [EmulatedAlias] {
        let due = self.entries.indices.filter { !self.entries[$0].isProcessed && self.entries[$0].due <= now }
        for index in due { self.entries[index].isProcessed = true }
        return due.map { self.entries[$0] }
    }

    private static func window(of request: AliasRequest, at now: Int64) throws(Refusal) -> ClosedRange<Int64> {
        let earliest = now.subtractingReportingOverflow(Self.longestWindow).partialValue
        let start = request.start ?? earliest
        let end = request.end ?? now
        guard start < end else { throw .badRequest("'data.start_unixtime_ms' must be before 'data.end_unixtime_ms'.") }
        guard start >= earliest else { throw .badRequest("'data.start_unixtime_ms' must be within the last 90 days.") }
        guard end <= now else { throw .badRequest("'data.end_unixtime_ms' must not be in the future.") }
        return start...end
    }

    private func checkUsers(of request: AliasRequest, users: UserStore) throws(Refusal) {
        guard request.source != request.destination else {
            throw .badRequest("'data.source_mpid' and 'data.destination_mpid' must not be the same.")
        }
        guard let source = users[request.source], users[request.destination] != nil else {
            throw .badRequest("'data' names a user that does not exist.")
        }
        guard !self.rules.isKnown(source) else {
            throw .badRequest("The source of an alias must be an anonymous user.")
        }
    }

    private func checkHistory(of request: AliasRequest, window: ClosedRange<Int64>) throws(Refusal) {
        for entry in self.entries {
            if entry.request.source == request.source, entry.window.overlaps(window) {
                throw .badRequest("The source was already the source of an alias with an overlapping window.")
            }
            if entry.request.destination == request.source {
                throw .badRequest("The source was already the destination of an alias.")
            }
            if entry.request.source == request.destination {
                throw .badRequest("The destination was already the source of an alias.")
            }
        }
    }
}

extension Duration {
    /// Rounded down, within 64 bits.
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000_000_000
    }
}

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
    ///
    /// The SDK for browsers sends MPIDs as text, and `scope`. No source says what the platform makes of the scope. Here
    /// the alias concerns all devices, as without one.
    init(_ body: JSONValue, apiKey: String, isWeb: Bool) throws(Refusal) {
        let members = try ObjectReader(body, allowed: Self.members)
        try members.checkEnvironment()
        guard try members.text("request_type", oneOf: ["alias"]) != nil else { throw members.missing("request_type") }
        guard try members.text("api_key") == apiKey else { throw members.wrong("api_key", "the key of the workspace") }
        guard let value = members.value("data") else { throw members.missing("data") }
        let data = try ObjectReader(
            value,
            path: "data",
            allowed: isWeb ? Self.dataMembers.union(["scope"]) : Self.dataMembers
        )
        _ = try data.text("scope", oneOf: ["device", "mpid"])
        _ = try data.text("device_application_stamp")
        self.requestID = try members.text("request_id")
        self.source = try Self.mpid("source_mpid", in: data, mayBeText: isWeb)
        self.destination = try Self.mpid("destination_mpid", in: data, mayBeText: isWeb)
        self.start = try data.integer("start_unixtime_ms")
        self.end = try data.integer("end_unixtime_ms")
    }

    private static func mpid(_ key: String, in data: ObjectReader, mayBeText: Bool) throws(Refusal) -> MPID {
        if mayBeText, let mpid = data.value(key)?.mpid { return mpid }
        guard let number = try data.integer(key) else { throw data.missing(key) }
        guard let mpid = MPID(rawValue: number) else { throw data.wrong(key, "a number that is not zero") }
        return mpid
    }
}

/// An alias request that the platform accepted.
public struct EmulatedAlias: Sendable, Hashable {
    let request: AliasRequest
    // The first and last millisecond of the events to copy.
    let window: ClosedRange<Int64>
    let arrival: Int64
    package let due: Int64
    /// True once the events are copied.
    public internal(set) var isProcessed = false

    /// `request_id`.
    public var requestID: String? { self.request.requestID }
    /// The anonymous user whose events are copied.
    public var source: MPID { self.request.source }
    /// The user who receives the copies.
    public var destination: MPID { self.request.destination }
    /// The time of the first event that is copied.
    public var start: Date { WallClock.date(milliseconds: self.window.lowerBound) }
    /// The time of the last event that is copied.
    public var end: Date { WallClock.date(milliseconds: self.window.upperBound) }
    /// The time at which the request arrived.
    public var receivedAt: Date { WallClock.date(milliseconds: self.arrival) }
    /// The time at which the alias is carried out.
    public var dueAt: Date { WallClock.date(milliseconds: self.due) }
}
