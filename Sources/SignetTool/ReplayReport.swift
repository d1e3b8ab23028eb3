// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Signet
import SignetTrace
import SignetTransport

/// The result of a replay.
struct ReplayReport: Sendable {
    let lines: Int
    let tally: VisitorTally
    let statistics: SignetStatistics

    /// True when every event was delivered.
    var isWhole: Bool {
        self.statistics.eventsWaiting == 0 && self.dropped == 0 && self.statistics.eventsDeadLettered == 0
    }

    private var dropped: Int {
        self.statistics.eventsDropped.values.reduce(0, +)
    }

    private var figures: [(name: String, value: Int)] {
        [
            ("lines", self.lines), ("installations", self.tally.installations.count), ("logins", self.tally.logins),
            ("refusals", self.tally.refusals.values.reduce(0, +)), ("accepted", self.statistics.eventsAccepted),
            ("delivered", self.statistics.eventsDelivered), ("waiting", self.statistics.eventsWaiting),
            ("dropped", self.dropped), ("deadLettered", self.statistics.eventsDeadLettered),
        ]
    }

    var json: JSONValue {
        var object = JSONObject()
        for (name, value) in self.figures { object[name] = .number(JSONNumber(Int64(value))) }
        return .object(object)
    }

    var text: String {
        self.figures.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}
#endif
