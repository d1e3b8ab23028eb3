// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The limits of the attributes of integrations.
///
/// The platform documents none. Each text has the limits of an event's attribute, and all of them must leave room in a
/// batch of 128 KB.
package enum IntegrationLimits {
    /// The maximum size of the attributes of all integrations of one installation, in bytes of JSON.
    package static let bytes = 4 * 1024

    /// Finds the first limit that the attributes of an integration break.
    package static func violation(of attributes: [String: String], ofIntegration integration: Int) -> EventViolation? {
        guard integration > 0 else {
            return EventViolation(.notAnIntegration, "The id of an integration is \(integration); ids begin with 1.")
        }
        return attributes.sorted { $0.key < $1.key }.lazy.compactMap { key, value in
            EventLimits.violation(ofAttribute: key, value: .string(value))
        }.first
    }

    /// Finds the limit that the attributes of all integrations break together.
    package static func violation(of integrations: [Int: [String: String]]) -> EventViolation? {
        var writer = JSONWriter()
        BatchBody.write(integrations, to: &writer)
        guard writer.bytes.count <= Self.bytes else {
            return EventViolation(
                .integrationAttributesTooLong,
                "The integrations would have attributes of \(writer.bytes.count) bytes of JSON together; "
                    + "at most \(Self.bytes) are allowed. Shorten values or remove attributes."
            )
        }
        return nil
    }
}
