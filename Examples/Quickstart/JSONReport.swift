// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetTrace

import struct FoundationEssentials.Date

/// The outcome of a replay for programs; the same for the same trace.
///
/// - `users`: `mpid`, `isKnown`, `identities` (a string, or an array of strings where the best match strategy holds several),
///   `events` by type, `sessions`, `revenue`, in order of MPID.
/// - `totals`: `events` (`logged` and `received` by type), `sessionsBegun`, `sessionsEnded`, `sessionsOpen`, `userChanges`,
///   `idsyncRequests`, `lost`.
/// - `visitors`, for a day with unknown user activation: `visitors`, `activations`, `merges`, `unknownUsers`, `knownUsers`,
///   `unknownEvents`, `knownEvents`, `requestsWithToken`, `requestsRefused`.
struct JSONReport {
    private let outcome: ReplayOutcome

    init(_ outcome: ReplayOutcome) {
        self.outcome = outcome
    }

    /// The text, UTF-8, with a line break at its end.
    var bytes: [UInt8] {
        var report = JSONObject()
        report["users"] = .array(self.outcome.platform.users.map { .object(self.user($0)) })
        report["totals"] = .object(self.totals)
        if let activation = self.outcome.activation {
            report["visitors"] = .object(self.visitors(activation))
        }
        return JSONValue.object(report).encoded() + [UInt8(ascii: "\n")]
    }

    private func user(_ user: PlatformReport.User) -> JSONObject {
        var identities = JSONObject()
        for (name, values) in user.identities.sorted(by: { $0.key < $1.key }) {
            let values = values.map(JSONValue.string)
            identities[name] = values.count == 1 ? values[0] : .array(values)
        }
        return [
            "mpid": .string(user.mpid.description),
            "isKnown": .bool(user.isKnown),
            "identities": .object(identities),
            "events": self.counts(user.events),
            "sessions": self.count(user.sessions),
            "sessionList": .array(self.sessions(of: user.mpid)),
            "revenue": JSONNumber(user.revenue).map(JSONValue.number) ?? .null,
        ]
    }

    /// The sessions in which a user was current, in the order of their ends.
    private func sessions(of mpid: MPID) -> [JSONValue] {
        self.outcome.sessions.list.filter { $0.summary.mpids.contains(mpid) }.map { ended in
            .object([
                "begin": self.time(ended.session.startTime),
                "end": self.time(ended.summary.lastEventTime),
                "reason": .string(ended.reason),
                "events": self.count(ended.summary.eventCount),
            ])
        }
    }

    /// Milliseconds since 1970.
    private func time(_ date: Date) -> JSONValue {
        .number(JSONNumber(Int64((date.timeIntervalSince1970 * 1000).rounded())))
    }

    private func visitors(_ activation: ActivationReport) -> JSONObject {
        [
            "visitors": self.count(self.outcome.visitors.installations.count),
            "activations": self.count(activation.activations),
            "merges": self.count(activation.merges),
            "unknownUsers": self.count(activation.unknownUsers),
            "knownUsers": self.count(activation.knownUsers),
            "unknownEvents": self.count(activation.unknownEvents),
            "knownEvents": self.count(activation.knownEvents),
            "requestsWithToken": self.count(activation.vouched),
            "requestsRefused": self.count(activation.refused),
        ]
    }

    private var totals: JSONObject {
        [
            "events": [
                "logged": self.counts(self.outcome.logged),
                "received": self.counts(self.outcome.platform.received),
            ],
            "sessionsBegun": self.count(self.outcome.sessions.begun),
            "sessionsEnded": self.count(self.outcome.sessions.ended),
            "sessionsOpen": self.count(self.outcome.sessionsOpen),
            "userChanges": self.count(self.outcome.statistics.userChanges),
            "idsyncRequests": self.count(self.outcome.platform.idsyncRequests),
            "lost": self.count(self.outcome.lost),
        ]
    }

    private func counts(_ counts: [String: Int]) -> JSONValue {
        var object = JSONObject()
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            object[name] = self.count(count)
        }
        return .object(object)
    }

    private func count(_ count: Int) -> JSONValue {
        .number(JSONNumber(Int64(count)))
    }
}
