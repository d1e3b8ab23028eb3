// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct FoundationEssentials.UUID

/// The waiting events of one installation that explain one of them: its launch, its session, changes of identities.
package struct EventTrail: Sendable, Hashable {
    /// A waiting event.
    package struct Moment: Sendable, Hashable {
        /// The number in the journal.
        package let sequence: UInt64
        /// The time of the call, in milliseconds since 1970.
        package let milliseconds: Int64
    }

    /// The most changes of identities that are kept.
    static let changeLimit = 5

    /// The number of the event to explain; the highest number for one that is not in the journal.
    private let target: UInt64
    /// The session of the event to explain.
    private let session: UUID?
    /// The begin of the session.
    private(set) var begin: Moment?
    /// The end of the session.
    private(set) var end: Moment?
    /// The last changes of identities before the event, in order.
    private(set) var identityChanges: [Moment] = []

    init(of target: UInt64, session: UUID?) {
        (self.target, self.session) = (target, session)
    }

    /// Takes an event of the installation; events must come in the order of the journal.
    ///
    /// Bytes that are no event are ignored.
    mutating func take(_ sequence: UInt64, _ json: [UInt8]) {
        // Few kinds matter: the others are not parsed.
        guard let kind = Self.kind(json), ["session_start", "session_end", "user_identity_change"].contains(kind),
            let data = EventSearch.read(json)?["data"], let milliseconds = data["timestamp_unixtime_ms"]?.number?.int64
        else { return }
        let moment = Moment(sequence: sequence, milliseconds: milliseconds)
        let isOfSession = self.session != nil && EventSearch.uuid(data["session_uuid"]) == self.session
        switch kind {
        case "session_start": if isOfSession { self.begin = moment }
        case "session_end": if isOfSession { self.end = moment }
        default:
            guard sequence < self.target else { return }
            self.identityChanges.append(moment)
            if self.identityChanges.count > Self.changeLimit { self.identityChanges.removeFirst() }
        }
    }

    private static func kind(_ json: [UInt8]) -> String? {
        let start = Array("{\"event_type\":\"".utf8)
        guard json.starts(with: start) else { return nil }
        return String(decoding: json.dropFirst(start.count).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}

/// Finds an event by its id.
struct EventSearch: Sendable {
    let id: UUID
    private let spellings: [[UInt8]]
    /// The id stands in the head of an event.
    private static let head = 320

    init(_ id: UUID) {
        self.id = id
        self.spellings = [Array(id.uuidString.lowercased().utf8), Array(id.uuidString.utf8)]
    }

    /// Reads an event of the journal; nil if it has another id.
    func event(_ json: [UInt8]) -> JSONValue? {
        let head = json.prefix(Self.head)
        guard self.spellings.contains(where: { head.firstRange(of: $0) != nil }), let event = Self.read(json) else {
            return nil
        }
        return self.isMeant(event) ? event : nil
    }

    /// Finds the event in a batch; nil if it is not there.
    func event(in batch: JSONValue) -> JSONValue? {
        batch["events"]?.array?.first(where: self.isMeant)
    }

    private func isMeant(_ event: JSONValue) -> Bool {
        Self.uuid(event["data"]?["source_message_id"]) == self.id
    }

    /// Reads JSON; nil for other bytes.
    static func read(_ bytes: [UInt8]) -> JSONValue? {
        do throws(JSONError) { return try JSONReader.read(bytes) } catch { return nil }
    }

    /// Reads a UUID; nil for any other value.
    static func uuid(_ value: JSONValue?) -> UUID? {
        value?.string.flatMap(UUID.init(uuidString:))
    }
}
