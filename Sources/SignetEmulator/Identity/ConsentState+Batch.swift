// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.Consent
import struct SignetModel.ConsentState

extension ConsentState {
    /// Reads `consent_state` of a checked batch.
    init(_ batch: JSONObject) {
        var purposes: [String: Consent] = [:]
        for (purpose, value) in batch["gdpr"]?.object ?? JSONObject() { purposes[purpose] = Consent(value) }
        self.init(gdpr: purposes, ccpaDataSaleOptOut: batch["ccpa"]?["data_sale_opt_out"].map(Consent.init))
    }
}

extension Consent {
    fileprivate init(_ value: JSONValue) {
        self.init(
            value["consented"]?.bool ?? false,
            document: value["document"]?.string,
            timestamp: value["timestamp_unixtime_ms"]?.number?.int64.map { WallClock.date(milliseconds: $0) },
            location: value["location"]?.string,
            hardwareID: value["hardware_id"]?.string
        )
    }
}
