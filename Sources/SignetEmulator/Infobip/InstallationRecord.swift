// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A registration of an application: one installation on one device.
struct InstallationRecord: Sendable {
    let id: String
    let firstSeen: Int64
    /// `installationid` of the request that registered it.
    let universalID: String?
    /// The key of its person.
    var person: Int
    /// True once a request assigned the person; an automatically created lead does not count.
    var isPersonalized = false
    var isPrimary = false
    /// The number of registration requests.
    var registrations = 1
    /// The members by their names on the wire.
    var members = JSONObject()
    var custom = JSONObject()
    /// The end of each session, if reported, by its start; both in milliseconds since 1970.
    var sessions: [Int64: Int64?] = [:]

    mutating func apply(_ fields: InstallationFields) {
        for (key, value) in fields.members {
            self.members[key] = value.isNull ? JSONValue?.none : value
        }
        if let address = PushAddress(self.members) { self.members["pushServiceToken"] = .string(address.token) }
        fields.custom.apply(to: &self.custom)
    }

    /// Adds reported sessions; of two ends of one session, the later one wins.
    mutating func take(_ report: SessionReport) {
        for start in report.starts where self.sessions[start] == nil {
            self.sessions[start] = .some(nil)
        }
        for (start, end) in report.bounds {
            self.sessions[start] = max(self.sessions[start].flatMap(\.self) ?? end, end)
        }
    }

    func write(to writer: inout JSONWriter, returnsToken: Bool) {
        writer.beginObject()
        writer.member("pushRegId", self.id)
        writer.member("isPrimary", self.isPrimary)
        for (key, value) in self.members where returnsToken || key != "pushServiceToken" {
            writer.member(key, value)
        }
        writer.member("customAttributes", .object(self.custom))
        writer.endObject()
    }
}
