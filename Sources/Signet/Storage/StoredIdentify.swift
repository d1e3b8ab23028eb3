// SPDX-License-Identifier: Apache-2.0

/// An identify that the runtime owes to events without a user, as records keep it.
enum StoredIdentify: Sendable, Hashable {
    /// With what is known of the device.
    case asKnown
    /// With these identities, by the wire names of their types; wanted at this moment, in milliseconds since 1970.
    ///
    /// The moment is zero where the record itself has the users.
    indirect case identities([String: String], since: Int64)
}

extension StoredIdentify: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        // Without identities, an empty record.
        guard case .identities(let values, let since) = self else { return }
        encoder.write("as", values)
        encoder.write("since", since == 0 ? nil : since)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let values: [String: String]? = try decoder.optional("as")
        let since: Int64 = try decoder.optional("since") ?? 0
        self = values.map { .identities($0, since: since) } ?? .asKnown
    }
}
