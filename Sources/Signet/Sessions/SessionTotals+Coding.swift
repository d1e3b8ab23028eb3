// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.Date

extension SessionTotals: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("id", self.session.uuid)
        encoder.write("at", self.session.startTime.milliseconds)
        encoder.write("c", self.context)
        encoder.write("to", self.lastMilliseconds)
        encoder.write("for", self.length.milliseconds)
        encoder.write("bg", self.background.milliseconds)
        encoder.write("in", self.backgroundFrom?.milliseconds)
        encoder.write("x", self.interruptions)
        encoder.write("n", self.events)
        encoder.write("u", self.mpids)
        encoder.write("a", self.attributes.isEmpty ? nil : self.attributes)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            session: Session(uuid: decoder.read("id"), startTime: Date(milliseconds: decoder.read("at"))),
            context: decoder.read("c"),
            lastMilliseconds: decoder.read("to"),
            length: .milliseconds(decoder.read("for") as Int64),
            background: .milliseconds(decoder.read("bg") as Int64),
            backgroundFrom: decoder.optional("in").map { (left: Int64) in .milliseconds(left) },
            interruptions: decoder.read("x"),
            events: decoder.read("n"),
            mpids: decoder.read("u"),
            attributes: decoder.optional("a") ?? [:]
        )
        guard self.length >= .zero, self.background >= .zero, self.events >= 0 else {
            throw RecordDamage(field: "for")
        }
    }
}

extension PreviousSession: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("id", self.uuid)
        encoder.write("at", self.start)
        encoder.write("for", self.length)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(uuid: decoder.read("id"), start: decoder.read("at"), length: decoder.read("for"))
    }
}
