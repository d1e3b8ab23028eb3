//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport

package import struct FoundationEssentials.Date

/// Sessions of an installation that began or are over (`POST …/user/events/session`).
package struct UserSessionsBody: Sendable, Hashable {
    /// A session that is over.
    package struct Bounds: Sendable, Hashable {
        /// When it began.
        package var start: Date
        /// When it ended.
        package var end: Date

        package init(start: Date, end: Date) {
            self.start = start
            self.end = end
        }
    }

    /// When sessions began that were not reported yet.
    package var starts: [Date]
    /// The sessions that are over.
    package var bounds: [Bounds]
    /// What the installation runs on.
    package var system: InfobipSystemData

    package init(starts: [Date], bounds: [Bounds], system: InfobipSystemData) {
        self.starts = starts
        self.bounds = bounds
        self.system = system
    }

    /// Whether there is nothing to report, and so no request.
    package var isEmpty: Bool {
        self.starts.isEmpty && self.bounds.isEmpty
    }

    /// The JSON text.
    ///
    /// Of sessions that began in one second, which is all that the text tells, the later end counts.
    package func encoded() -> [UInt8] {
        var ends: [String: String] = [:]
        for bounds in self.bounds {
            // Texts of this form are in the order of their moments.
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
