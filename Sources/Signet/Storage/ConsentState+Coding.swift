// SPDX-License-Identifier: Apache-2.0

package import SignetModel

import struct FoundationEssentials.Date

extension ConsentState: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("gdpr", self.gdpr.isEmpty ? nil : self.gdpr)
        encoder.write("sale", self.ccpaDataSaleOptOut)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(gdpr: decoder.optional("gdpr") ?? [:], ccpaDataSaleOptOut: decoder.optional("sale"))
    }
}

extension Consent: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("given", self.isGiven)
        encoder.write("at", self.timestamp?.milliseconds)
        encoder.write("document", self.document)
        encoder.write("location", self.location)
        encoder.write("hardware", self.hardwareID)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            decoder.read("given"),
            document: decoder.optional("document"),
            timestamp: decoder.optional("at").map { Date(milliseconds: $0) },
            location: decoder.optional("location"),
            hardwareID: decoder.optional("hardware")
        )
    }
}
