// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// An in-flight batch as stored on disk: the same id and the same bytes for every try, across restarts.
struct BatchRecord: Sendable, Hashable {
    /// The location of the bytes.
    enum Content: Sendable, Hashable {
        /// The JSON up to the first event; the events follow from the journal, comma between, then ``tail``.
        case head([UInt8])
        /// All bytes: the app changed the batch, or it was a dead letter before.
        case whole([UInt8])
        /// None: the batch had no events, and the platform has answered it. Its facts are to be compared.
        case answered
    }

    /// The id by which the platform recognises a repeated batch.
    let id: UUID
    /// The number of the installation that logged the events; 0 if it is no longer known.
    let installation: UInt32
    /// The MPID of the user of the events; nil if it is no longer known.
    let mpid: MPID?
    /// The journal's numbers of the events; empty for a former dead letter.
    let sequences: SequenceList
    /// The number of events.
    let events: Int
    /// The bytes of the body.
    let size: Int
    /// The bytes, or those that are not in the journal.
    let content: Content
    /// The facts of the user that the batch carries and the platform had not accepted when it was made.
    let facts: NumberedFacts
    /// The facts of the user that the batch carries, as a hash; nil if it carries none, or if no other replica can
    /// change them.
    let hash: UInt64?
    /// The journal's number of the first event, also of a former dead letter; nil if it is not known.
    let first: UInt64?
    /// The hours for which it was refused without a reason of the platform; nil if it was not.
    private(set) var refusals: UnexplainedRefusals?
    /// True if it was sent alone, and the answer was a failure that may be due to it.
    private(set) var hasFailed = false

    /// The bytes that close the list of events and the batch.
    static let tail: [UInt8] = Array("]}".utf8)

    init(
        id: UUID,
        installation: UInt32,
        mpid: MPID?,
        sequences: SequenceList,
        events: Int,
        size: Int,
        content: Content,
        facts: NumberedFacts = NumberedFacts(),
        hash: UInt64? = nil,
        first: UInt64? = nil
    ) {
        self.id = id
        self.installation = installation
        self.mpid = mpid
        self.sequences = sequences
        self.events = events
        self.size = size
        self.content = content
        self.facts = facts
        self.hash = hash
        self.first = sequences.first ?? first
    }

    /// Returns the same batch with other events or bytes.
    func replacing(events: Int, size: Int, content: Content) -> BatchRecord {
        var other = BatchRecord(
            id: self.id,
            installation: self.installation,
            mpid: self.mpid,
            sequences: self.sequences,
            events: events,
            size: size,
            content: content,
            facts: self.facts,
            hash: self.hash,
            first: self.first
        )
        (other.refusals, other.hasFailed) = (self.refusals, self.hasFailed)
        return other
    }

    /// Returns the same batch after a failure of it alone.
    func failed() -> BatchRecord {
        var other = self
        other.hasFailed = true
        return other
    }

    /// Returns the same batch with another count of its refusals.
    func refused(_ refusals: UnexplainedRefusals) -> BatchRecord {
        var other = self
        (other.refusals, other.hasFailed) = (refusals, true)
        return other
    }
}

extension BatchRecord: StoredRecord {
    static var subject: String { "a batch" }

    var expectedSize: Int {
        switch self.content {
        case .head(let bytes), .whole(let bytes): 96 + 2 * self.sequences.count + bytes.count
        case .answered: 96
        }
    }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("id", self.id)
        encoder.write("in", self.installation)
        encoder.write("u", self.mpid)
        encoder.write("no", self.sequences.count == 0 ? nil : self.sequences)
        encoder.write("l", self.sequences.count == 0 ? self.first : nil)
        encoder.write("n", self.events)
        encoder.write("sz", self.size)
        self.facts.encode(into: &encoder)
        encoder.write("f", self.hash.map { Int64(bitPattern: $0) })
        encoder.write("no400", self.refusals)
        encoder.write("bad", flag: self.hasFailed)
        switch self.content {
        case .head(let head): encoder.write("head", bytes: head)
        case .whole(let body): encoder.write("all", bytes: body)
        case .answered: encoder.write("done", flag: true)
        }
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            id: decoder.read("id"),
            installation: decoder.read("in"),
            mpid: decoder.optional("u"),
            sequences: decoder.optional("no") ?? SequenceList(),
            events: decoder.read("n"),
            size: decoder.read("sz"),
            content: Content(from: &decoder),
            facts: NumberedFacts(from: &decoder),
            hash: decoder.optional("f").map { (hash: Int64) in UInt64(bitPattern: hash) },
            first: decoder.optional("l")
        )
        self.refusals = try decoder.optional("no400")
        self.hasFailed = try decoder.flag("bad")
    }
}

extension BatchRecord.Content {
    fileprivate init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        if let head = try decoder.bytes("head") {
            self = .head(head)
        } else if let whole = try decoder.bytes("all") {
            self = .whole(whole)
        } else if try decoder.flag("done") {
            self = .answered
        } else {
            throw RecordDamage(field: "head")
        }
    }
}

extension BatchRecord {
    /// Returns two batches with the same head and half of the events each; their sizes are not measured yet.
    ///
    /// Each has an id of its own: an id stands for the same bytes for ever.
    ///
    /// - Parameters:
    ///   - firstID: The id of the older half.
    ///   - secondID: The id of the newer half.
    /// - Returns: The halves; nil for a single event, for a former dead letter, and if the app has removed or added
    ///   events.
    func halves(_ firstID: UUID, _ secondID: UUID) -> (first: BatchRecord, second: BatchRecord)? {
        let sequences = self.sequences.prefix(self.sequences.count)
        let older = sequences.prefix(sequences.count / 2)
        let newer = sequences.dropFirst(older.count)
        guard !older.isEmpty else { return nil }
        let contents: (Content, Content)
        switch self.content {
        case .head(let head):
            guard let first = BatchBody.rename(head, to: firstID), let second = BatchBody.rename(head, to: secondID)
            else { return nil }
            contents = (.head(first), .head(second))
        case .whole(let body):
            guard let bodies = BatchBody.halves(of: body, (older.count, newer.count), (firstID, secondID)) else {
                return nil
            }
            contents = (.whole(bodies.first), .whole(bodies.second))
        case .answered:
            return nil
        }
        return (
            self.half(firstID, older, contents.0),
            self.half(secondID, newer, contents.1)
        )
    }

    private func half(_ id: UUID, _ sequences: ArraySlice<UInt64>, _ content: Content) -> BatchRecord {
        BatchRecord(
            id: id,
            installation: self.installation,
            mpid: self.mpid,
            sequences: SequenceList(Array(sequences)),
            events: sequences.count,
            size: self.size,
            content: content,
            facts: self.facts,
            hash: self.hash,
            first: self.first
        )
    }
}
