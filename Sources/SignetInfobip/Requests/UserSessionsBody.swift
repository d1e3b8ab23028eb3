// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.Date

/// The started and finished sessions of an installation (`POST …/user/events/session`).
struct UserSessionsBody: Sendable, Hashable {
    /// A finished session.
    struct Bounds: Sendable, Hashable {
        /// The start of the session.
        var start: Date
        /// The end of the session.
        var end: Date

        init(start: Date, end: Date) {
            self.start = start
            self.end = end
        }
    }

    /// The starts of sessions that were not reported yet.
    var starts: [Date]
    /// The finished sessions.
    var bounds: [Bounds]
    /// The system of the installation.
    var system: InfobipSystemData

    init(starts: [Date], bounds: [Bounds], system: InfobipSystemData) {
        self.starts = starts
        self.bounds = bounds
        self.system = system
    }

    /// True if there is nothing to report, and so no request.
    var isEmpty: Bool {
        self.starts.isEmpty && self.bounds.isEmpty
    }

    /// Encodes the JSON text.
    ///
    /// The text has a precision of one second. Of sessions that started in the same second, the later end counts.
    func encoded() -> [UInt8] {
        var ends: [String: String] = [:]
        for bounds in self.bounds {
            // Texts of this form sort by time.
            ends.merge([InfobipMoment.text(bounds.start): InfobipMoment.text(bounds.end)]) { max($0, $1) }
        }
        let starts = Set(self.starts.map(InfobipMoment.text)).sorted()
        var body = JSONObject()
        if !ends.isEmpty {
            body["sessionBounds"] = .object(InfobipJSON.object(ends, JSONValue.string))
        }
        if !starts.isEmpty {
            body["sessionStarts"] = .array(starts.map(JSONValue.string))
        }
        body["systemData"] = .object(self.system.members)
        return JSONValue.object(body).encoded()
    }
}
