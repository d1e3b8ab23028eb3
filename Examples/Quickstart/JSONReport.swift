//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation
import SignetModel
import SignetTransport

/// The figures of a replay for a machine.
struct JSONReport {
    private let report: ReplayReport

    init(_ report: ReplayReport) {
        self.report = report
    }

    /// Writes the file whole or not at all.
    func write(to path: String) throws {
        try Data(self.encoded()).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// The JSON.
    func encoded() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 64 * 1024)
        writer.beginObject()
        writer.key("users")
        writer.beginArray()
        for user in self.report.users { Self.write(user, to: &writer) }
        writer.endArray()
        self.writeTotals(to: &writer)
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private static func write(_ user: ReplayReport.PlatformUser, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("mpid", user.mpid.description)
        writer.member("isKnown", user.isKnown)
        writer.key("identities")
        writer.beginObject()
        for (name, value) in user.identities.sorted(by: { $0.key < $1.key }) { writer.member(name, value) }
        writer.endObject()
        Self.write(user.events, "events", to: &writer)
        writer.member("sessions", Int64(user.sessions))
        writer.member("revenue", user.revenue)
        writer.endObject()
    }

    private func writeTotals(to writer: inout JSONWriter) {
        let totals = self.report.totals
        writer.key("totals")
        writer.beginObject()
        writer.key("events")
        writer.beginObject()
        Self.write(totals.logged, "logged", to: &writer)
        Self.write(totals.received, "received", to: &writer)
        writer.endObject()
        writer.member("sessionsBegun", Int64(totals.sessionsBegun))
        writer.member("sessionsEnded", Int64(totals.sessionsEnded))
        writer.member("sessionsOpen", Int64(totals.sessionsOpen))
        writer.member("userChanges", Int64(totals.userChanges))
        writer.member("idsyncRequests", Int64(totals.idsyncRequests))
        writer.member("lost", Int64(totals.lost))
        writer.endObject()
    }

    private static func write(_ counts: [String: Int], _ key: String, to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginObject()
        for (type, count) in counts.sorted(by: { $0.key < $1.key }) { writer.member(type, Int64(count)) }
        writer.endObject()
    }
}
