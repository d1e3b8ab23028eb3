// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.Date

// In the record of an installation, each consent is an array: given or not, timestamp, and three texts or null.
extension ConsentState {
    func writeRecord(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("gdpr")
        writer.beginObject()
        for (purpose, consent) in self.gdpr.sorted(by: { $0.key < $1.key }) {
            writer.key(purpose)
            consent.writeRecord(to: &writer)
        }
        writer.endObject()
        if let consent = self.ccpaDataSaleOptOut {
            writer.key("sale")
            consent.writeRecord(to: &writer)
        }
        writer.endObject()
    }

    /// Reads a state; nil if the value is not one.
    init?(record value: JSONValue) {
        guard let purposes = value["gdpr"]?.object else { return nil }
        self.init()
        for (purpose, consent) in purposes {
            guard let consent = Consent(record: consent) else { return nil }
            self.gdpr[purpose] = consent
        }
        if let sale = value["sale"] {
            guard let consent = Consent(record: sale) else { return nil }
            self.ccpaDataSaleOptOut = consent
        }
    }
}

extension Consent {
    fileprivate func writeRecord(to writer: inout JSONWriter) {
        writer.beginArray()
        writer.bool(self.isGiven)
        writer.integer(self.timestamp?.milliseconds ?? 0)
        for text in [self.document, self.location, self.hardwareID] {
            if let text { writer.string(text) } else { writer.null() }
        }
        writer.endArray()
    }

    fileprivate init?(record value: JSONValue) {
        guard let members = value.array, members.count == 5, let isGiven = members[0].bool,
            let milliseconds = members[1].number?.int64
        else { return nil }
        self.init(
            isGiven,
            document: members[2].string,
            timestamp: Date(milliseconds: milliseconds),
            location: members[3].string,
            hardwareID: members[4].string
        )
    }
}
