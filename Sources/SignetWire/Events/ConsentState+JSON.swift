// SPDX-License-Identifier: Apache-2.0

package import SignetModel
package import SignetTransport

extension ConsentState {
    /// Writes the value of `consent_state` (Events API v2).
    ///
    /// An empty state has both members, as the schema allows and the vendor's web SDK nearly writes it. That the
    /// platform removes what it has is not documented.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if !self.gdpr.isEmpty || self.isEmpty {
            writer.key("gdpr")
            writer.beginObject()
            for (purpose, consent) in self.gdpr.sorted(by: { $0.key < $1.key }) {
                writer.key(purpose)
                consent.write(to: &writer)
            }
            writer.endObject()
        }
        if self.ccpaDataSaleOptOut != nil || self.isEmpty {
            writer.key("ccpa")
            writer.beginObject()
            if let consent = self.ccpaDataSaleOptOut {
                writer.key("data_sale_opt_out")
                consent.write(to: &writer)
            }
            writer.endObject()
        }
        writer.endObject()
    }
}

extension Consent {
    /// Writes one purpose; the schema requires a timestamp, so a consent without one gets 0.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("consented", self.isGiven)
        if let document = self.document { writer.member("document", document) }
        writer.member("timestamp_unixtime_ms", self.timestamp?.wireMilliseconds ?? 0)
        if let location = self.location { writer.member("location", location) }
        if let hardwareID = self.hardwareID { writer.member("hardware_id", hardwareID) }
        writer.endObject()
    }
}
