// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// The attributes that an app gives to integrations of the platform, sent in every batch.
struct IntegrationAttributes: Sendable, Hashable {
    /// The attributes by the id of their integration; none of them is empty.
    private(set) var values: [Int: [String: String]] = [:]

    /// Replaces the attributes of an integration.
    ///
    /// - Throws: `invalidArgument` beyond a limit; nothing is changed then.
    mutating func set(_ attributes: [String: String], ofIntegration integration: Int) throws(SignetError) {
        var changed = self.values
        changed[integration] = attributes.isEmpty ? nil : attributes
        let violation =
            IntegrationLimits.violation(of: attributes, ofIntegration: integration)
            ?? IntegrationLimits.violation(of: changed)
        if let violation { throw SignetError(.invalidArgument, violation.message, cause: violation) }
        self.values = changed
    }
}

/// A list, because the key of a record's field is text.
extension IntegrationAttributes: RecordValue {
    private struct Stored: RecordFields {
        let integration: Int
        let attributes: [String: String]

        init(_ integration: Int, _ attributes: [String: String]) {
            self.integration = integration
            self.attributes = attributes
        }

        func encode(into encoder: inout RecordEncoder) {
            encoder.write("id", self.integration)
            encoder.write("attributes", self.attributes)
        }

        init(from decoder: inout RecordDecoder) throws(RecordDamage) {
            try self.init(decoder.read("id"), decoder.read("attributes"))
        }
    }

    func write(to encoder: inout RecordEncoder) -> RecordKind {
        self.values.sorted { $0.key < $1.key }.map { Stored($0.key, $0.value) }.write(to: &encoder)
    }

    init(record value: RecordDecoder.Value) throws(RecordDamage) {
        self.values = Dictionary(try [Stored](record: value).map { ($0.integration, $0.attributes) }) { $1 }
    }
}
