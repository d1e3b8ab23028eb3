// SPDX-License-Identifier: Apache-2.0

package import struct SignetModel.IdentityType
package import struct SignetModel.MPID

/// An identity request or a delivery of a batch that reached the platform, with its outcome; explanations are made of them.
package struct PlatformFact: Sendable, Hashable {
    /// An identity request whose body could be read.
    package struct IdentityCall: Sendable, Hashable {
        /// The outcome of an identity request.
        package enum Outcome: Sendable, Hashable {
            /// The request resolved to a user, or changed one.
            case user(MPID, isKnown: Bool, isNew: Bool)
            /// The request was refused; nothing changed.
            case refused(status: Int, reason: String)
        }

        /// `identify`, `login`, `logout` or `modify`.
        package let route: EmulatorRoute
        /// `previous_mpid`.
        package let previous: MPID?
        /// The identities of the request; for `modify`, the new values.
        package let identities: [IdentityType: String]
        /// `request_timestamp_ms`: the client's time, in milliseconds since 1970; nil if the request names none.
        package let sentAt: Int64?
        /// The platform's answer.
        package let outcome: Outcome

        /// The user that the request resolved to or changed; nil for a refused request.
        package var user: MPID? {
            if case .user(let mpid, _, _) = self.outcome { mpid } else { nil }
        }
    }

    /// A delivery of a batch.
    package struct Delivery: Sendable, Hashable {
        /// The outcome of a delivery.
        package enum Outcome: Sendable, Hashable {
            /// The first delivery under its id.
            case accepted
            /// The platform has the batch already; the events do not count again.
            case repeated
            /// The batch was refused.
            case refused(status: Int, reason: String)
        }

        /// `source_request_id`.
        package let batchID: String?
        /// The user of the batch; nil if it is refused and names none.
        package let user: MPID?
        /// The number of events.
        package let events: Int
        /// The platform's answer.
        package let outcome: Outcome
    }

    /// The two kinds of facts.
    package enum Content: Sendable, Hashable {
        /// An identity request.
        case identity(IdentityCall)
        /// A delivery of a batch.
        case delivery(Delivery)
    }

    /// The position among all facts, from 1.
    package let number: Int
    /// The platform's time of arrival, in milliseconds since 1970.
    package let time: Int64
    /// The request and its outcome.
    package let content: Content

    // Clients write small numbers where they have no time, and nanoseconds by mistake. These are the years 2000 to 9999.
    private static let plausibleTimes: Range<Int64> = 946_684_800_000..<253_402_300_800_000

    /// The time by the clock that stamps the events, in milliseconds since 1970.
    ///
    /// This is the client's time of an identity request that names a plausible one, in the years 2000 to 9999, and else
    /// the platform's time of arrival. A replay of an old trace has the trace's times here.
    package var clientTime: Int64 {
        guard case .identity(let call) = self.content, let sent = call.sentAt, Self.plausibleTimes.contains(sent) else {
            return self.time
        }
        return sent
    }

    /// Returns true when the fact concerns a user: as the result, as the user before it, or as the user of a batch.
    package func concerns(_ mpid: MPID) -> Bool {
        switch self.content {
        case .identity(let call): call.user == mpid || call.previous == mpid
        case .delivery(let delivery): delivery.user == mpid
        }
    }
}

/// The last facts, in the order of arrival.
struct FactLog: Sendable {
    /// A workspace that keeps all events still forgets facts: those of 10,000 requests explain what a person can look at.
    static let limit = 10_000

    private var facts: RingBuffer<PlatformFact>

    init(keeping eventLimit: Int?) {
        self.facts = RingBuffer(limit: min(eventLimit ?? Self.limit, Self.limit))
    }

    /// The facts, oldest first.
    var all: [PlatformFact] {
        self.facts.all
    }

    mutating func append(_ content: PlatformFact.Content, at now: Int64) {
        self.facts.append(PlatformFact(number: self.facts.total + 1, time: now, content: content))
    }
}
