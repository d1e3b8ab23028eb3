// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// The places of a directory at which an event was found.
struct EventFinding: Sendable {
    /// A batch without an answer for good.
    struct Batch: Sendable {
        let record: BatchRecord
        /// The batch as JSON, or its head without events.
        let body: JSONValue?
        /// The event, if the record has it; the journal has it otherwise.
        let event: JSONValue?
    }

    /// A dead letter.
    struct Letter: Sendable {
        let id: UUID
        let record: DeadLetterRecord
        let body: JSONValue
        let event: JSONValue

        var facts: EventExplanation.DeadLetterFacts {
            EventExplanation.DeadLetterFacts(
                id: self.id,
                events: self.record.events,
                status: self.record.status,
                milliseconds: self.record.milliseconds == 0 ? nil : self.record.milliseconds,
                reason: self.record.reason
            )
        }
    }

    /// The event in the journal; nil if it is not there.
    var event: JSONValue?
    var sequence: UInt64?
    var tag: EventMetadata?
    var batch: Batch?
    var letter: Letter?

    /// The number of the installation; zero if unknown.
    var installation: UInt32 {
        self.tag?.installation ?? self.letter?.record.installation ?? self.batch?.record.installation ?? 0
    }

    /// The batch that carries the event; nil before it is cut.
    var body: JSONValue? {
        self.letter?.body ?? self.batch?.body
    }
}

/// The user to whom an event belongs, and the reason.
struct EventOwner: Sendable, Hashable {
    let mpid: MPID?
    let reason: EventExplanation.UserReason

    /// Decides by the places of an event.
    ///
    /// - Parameters:
    ///   - finding: The places.
    ///   - directory: The users of the installation; nil if its record is missing.
    init(_ finding: EventFinding, _ directory: UserDirectory?) {
        let batched = finding.letter?.record.mpid ?? finding.batch?.record.mpid
        guard let tag = finding.tag, let sequence = finding.sequence else {
            (self.mpid, self.reason) = (batched, .batch)
            return
        }
        if let mpid = tag.mpid {
            (self.mpid, self.reason) = (mpid, .current)
        } else if let directory {
            // The owners are in order: the first whose range has the event counts.
            let owner = directory.anonymousAttributions.first { sequence <= $0.upTo }
            (self.mpid, self.reason) =
                switch owner {
                case nil: (batched, batched == nil ? .waiting : .first)
                case let owner?: (owner.mpid, owner.mpid == nil ? .erased : .first)
                }
        } else {
            (self.mpid, self.reason) = (batched, batched == nil ? .unknown : .first)
        }
    }
}
