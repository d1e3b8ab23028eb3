// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

/// A reason why the health of a runtime is degraded.
///
/// It holds no key, identity or attribute value.
public struct HealthReason: Sendable, Hashable {
    /// The kinds of reasons, with their facts.
    ///
    /// More may come; always have a default case.
    public enum Kind: Sendable, Hashable {
        /// `run()` was not called yet, or the runtime ends or has ended: no request is sent.
        case notRunning
        /// The disk refuses writes; the code is that of the last refusal.
        ///
        /// It ends with the next event that the disk accepts, at the latest a minute after the disk works again.
        case diskRefusesWrites(SignetError.Code)
        /// The events that wait need all of ``SignetConfiguration/Events/Storage/maximumBytes``, and more are refused.
        ///
        /// With ``SignetConfiguration/Events/OverflowPolicy/dropOldest`` none is: then it is
        /// ``storageNearlyFull(bytes:limit:)``, and ``eventsLost(_:)`` for those that were given up.
        case storageFull(bytes: UInt64, limit: UInt64)
        /// Calls of the shared store fail; the code is that of the last one of the gravest kind.
        ///
        /// One call that fails is none: two of a kind at least a second apart are, with no answer to that kind between them, or 5 s
        /// without any answer. While calls of other kinds are answered, it ends a minute after the last failure.
        /// With `whenUnreachable: .logOnly` opens and events go on meanwhile.
        case storeUnreachable(SignetError.Code, calls: Set<StoreCalls>)
        /// Accepted events were given up in the last 10 minutes: no room, too old, or never written.
        case eventsLost(Int)
        /// Uploads pause until then, because of the last answer or because there was none (`httpStatus` is nil).
        case uploadsPaused(until: Date, httpStatus: Int?, code: SignetError.Code)
        /// The identity endpoint refuses all requests: those of three installations in a row, with none accepted since.
        ///
        /// For the statuses 401 and 403 correct the key or the secret. It ends with the next request that is accepted.
        case identityRefused(SignetError.Code, httpStatus: Int?)
        /// Work that the runtime does by itself should have been done a minute ago.
        ///
        /// The kind is one of ``SignetStatistics/dueWork``, with the installations that have it; the code is that of the last failure.
        case workOverdue(kind: String, count: Int, code: SignetError.Code?)
        /// The events that wait need 80 % of ``SignetConfiguration/Events/Storage/maximumBytes``, or more.
        case storageNearlyFull(bytes: UInt64, limit: UInt64)
        /// The clock of this machine differs from that of the shared store; positive if it is ahead.
        case clockOff(by: Duration)
        /// The clock of this machine was set in the last 10 minutes, by more than 5 s; positive if it went ahead.
        case clockJumped(by: Duration)
    }

    /// The kinds of calls of the shared store, the graver first.
    public enum StoreCalls: String, Sendable, Hashable, CaseIterable {
        /// Reading rows and replicas: without it, the store is away.
        case readings
        /// Changing rows: identity calls, changes of users, new visitors, ends of sessions.
        ///
        /// It fails alone where a synchronous standby is away, or the user may not write.
        case commits
        /// Telling the store once a second what visitors did.
        case flushes
    }

    /// The kind, with its facts.
    public let kind: Kind
    /// The begin of the trouble, by the wall clock of this machine; for ``Kind/notRunning`` the moment of asking.
    public let since: Date
    /// True if calls of the runtime fail meanwhile.
    let stopsCalls: Bool

    /// Makes a reason; it stops calls as its kind does, unless the settings of the runtime say otherwise.
    init(kind: Kind, since: Date, stopsCalls: Bool? = nil) {
        (self.kind, self.since) = (kind, since)
        self.stopsCalls = stopsCalls ?? kind.stopsCalls
    }

    /// A stable name for dashboards and logs, such as `uploads_paused`.
    public var name: String {
        self.kind.name
    }
}

extension HealthReason.Kind {
    /// All names, in the order in which reasons are told.
    static let names = [
        "not_running", "disk_refuses_writes", "storage_full", "store_unreachable", "events_lost", "uploads_paused",
        "identity_refused", "work_overdue", "storage_nearly_full", "clock_off", "clock_jumped",
    ]

    /// The stable name.
    var name: String {
        switch self {
        case .notRunning: "not_running"
        case .diskRefusesWrites: "disk_refuses_writes"
        case .storageFull: "storage_full"
        case .storeUnreachable: "store_unreachable"
        case .eventsLost: "events_lost"
        case .uploadsPaused: "uploads_paused"
        case .identityRefused: "identity_refused"
        case .workOverdue: "work_overdue"
        case .storageNearlyFull: "storage_nearly_full"
        case .clockOff: "clock_off"
        case .clockJumped: "clock_jumped"
        }
    }

    /// True if calls of the runtime fail meanwhile.
    var stopsCalls: Bool {
        switch self {
        case .notRunning, .diskRefusesWrites, .storeUnreachable: true
        case .storageFull, .eventsLost, .uploadsPaused, .identityRefused, .workOverdue, .storageNearlyFull, .clockOff,
            .clockJumped:
            false
        }
    }
}

extension HealthReason: CustomStringConvertible {
    /// The name, and the facts in brackets, such as `uploads_paused (serverFailure, HTTP 503)`.
    public var description: String {
        "\(self.name)\(self.details.isEmpty ? "" : " (\(self.details))")"
    }

    /// The facts, for people.
    public var details: String {
        switch self.kind {
        case .notRunning: ""
        case .diskRefusesWrites(let code): "\(code)"
        case .storeUnreachable(let code, let calls):
            "\(code)" + (calls.contains(.readings) ? "" : calls.map { ", \($0.rawValue)" }.sorted().joined())
        case .storageFull(let bytes, let limit), .storageNearlyFull(let bytes, let limit):
            "\(bytes) of \(limit) bytes"
        case .eventsLost(let count): "\(count) events"
        case .uploadsPaused(_, let status, let code), .identityRefused(let code, let status):
            "\(code)\(status.map { ", HTTP \($0)" } ?? "")"
        case .workOverdue(let kind, let count, let code):
            "\(kind), \(count) installations\(code.map { ", \($0)" } ?? "")"
        case .clockOff(let offset), .clockJumped(let offset): "\(offset.milliseconds) ms"
        }
    }
}
