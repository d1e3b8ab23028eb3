// SPDX-License-Identifier: Apache-2.0

import SignetJournal
package import SignetModel
package import SignetTransport

package import struct FoundationEssentials.UUID

/// A journal's file that a start has set aside, for tools: the events that are whole in it, and what is damaged.
package struct AsideFile: Sendable {
    /// An event that is whole.
    package struct Event: Sendable, Hashable {
        /// The sequence number, in the order of logging.
        package let sequence: UInt64
        /// The id (`source_message_id`); nil if the event has none.
        package let id: UUID?
        /// The kind (`event_type`); `unknown` if the event has none.
        package let kind: String
        /// The number of the installation that logged it; nil if unknown.
        package let installation: UInt32?
        /// The user's MPID; nil if there was no current user.
        package let mpid: MPID?
        /// The time of logging in milliseconds since 1970, to the minute for an event with a time of its own; nil if unknown.
        package let milliseconds: Int64?
        /// The event itself.
        package let json: JSONValue
    }

    /// A damaged place.
    package struct Damage: Sendable, Hashable {
        /// The place, as an offset in the journal's file.
        package let offset: UInt64
        /// The number of bytes.
        package let count: Int
        /// The sequence number of the event whose content is damaged; nil if its number is, too.
        package let sequence: UInt64?
        /// The number of the installation that logged it; nil if unknown.
        package let installation: UInt32?
        /// Its user's MPID; nil if unknown, or if there was no current user.
        package let mpid: MPID?
    }

    /// True for copies of damaged bytes: the file that they are from has the events that are whole.
    package let isCopies: Bool
    /// The events that are whole, in the order of logging.
    package let events: [Event]
    /// The damaged places, in the order of the file.
    package let damage: [Damage]

    /// The numbers of the installations that logged the events, ascending.
    package var installations: [UInt32] {
        Set(self.events.compactMap(\.installation)).union(self.damage.compactMap(\.installation)).sorted()
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: All bytes of the file.
    ///   - path: Its path. Its name says that it is a file of a journal.
    /// - Throws: `invalidArgument` for another file; `newerFormat`; `diskFailed` for a file of an older version.
    package init(_ bytes: [UInt8], path: String) throws(SignetError) {
        let name = path.split(separator: "/").last ?? ""
        guard name.contains(".journal") else {
            throw SignetError(
                .invalidArgument,
                "\(path) is no file of a journal. Give a file of the folder journal, such as N.journal.aside."
            )
        }
        let contents: AsideContents
        do throws(StorageError) {
            contents = try AsideContents(bytes, path: path, looksWhole: Self.looksWhole)
        } catch {
            throw SignetError(error)
        }
        self.isCopies = contents.kind == .copies
        self.events = contents.frames.map(Event.init)
        self.damage = contents.damage.map { Damage(offset: $0.range.lowerBound, count: $0.range.count, $0.frame) }
    }

    private static func looksWhole(_ stamp: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Bool {
        EventMetadata(stamp) != nil && payload.starts(with: "{\"event_type\":".utf8)
    }
}

extension AsideFile.Event {
    init(_ frame: Journal.Frame) {
        let json = EventSearch.read(frame.payload) ?? .null
        let metadata = EventMetadata(frame.stamp)
        self.init(
            sequence: frame.sequence,
            id: EventSearch.uuid(json["data"]?["source_message_id"]),
            kind: json["event_type"]?.string ?? "unknown",
            installation: metadata?.installation,
            mpid: metadata?.mpid,
            milliseconds: metadata.map { metadata in frame.payload.withUnsafeBytes { metadata.milliseconds(of: $0) } },
            json: json
        )
    }
}

extension AsideFile.Damage {
    init(offset: UInt64, count: Int, _ frame: Journal.Frame?) {
        let metadata = frame.flatMap { EventMetadata($0.stamp) }
        self.init(
            offset: offset,
            count: count,
            sequence: frame?.sequence,
            installation: metadata?.installation,
            mpid: metadata?.mpid
        )
    }
}
