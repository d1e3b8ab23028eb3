// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

// The facts in records.

extension EventExplanation.StoredFacts {
    init(_ entry: UserDirectory.Entry) {
        self.init(
            isKnown: entry.isLoggedIn,
            firstSeen: entry.firstSeen,
            lastSeen: entry.lastSeen,
            identities: entry.identities
                .map { EventExplanation.IdentityFacts(type: $0.key.wireName, since: $0.value.firstSet) }
                .sorted { $0.type < $1.type }
        )
    }
}

extension EventExplanation.OptOut {
    init(of identity: IdentityState) {
        if identity.isOptedOut {
            self = .current(upTo: identity.optedOutAfter)
        } else {
            self = identity.optedOutAfter.map { .past(upTo: $0) } ?? .none
        }
    }
}

extension EventExplanation.SessionState {
    init(of uuid: UUID, _ record: SessionRecord) {
        if let open = record.open, open.session.uuid == uuid {
            self = .open(events: open.events, last: open.lastMilliseconds)
        } else if let previous = record.previous, previous.uuid == uuid {
            self = .ended(previous.end)
        } else {
            self = .past
        }
    }
}

extension EventExplanation.ConsentFacts {
    private static let sale = "ccpa data_sale_opt_out"

    init(_ source: Source, _ consent: ConsentState) {
        self.source = source
        self.answers = consent.gdpr.sorted { $0.key < $1.key }.map { purpose, answer in
            Answer(purpose: purpose, isGiven: answer.isGiven)
        }
        if let sale = consent.ccpaDataSaleOptOut {
            self.answers.append(Answer(purpose: Self.sale, isGiven: sale.isGiven))
        }
    }

    /// Reads the consent that a batch carries (Events API v2, `consent_state`).
    init(batch: JSONValue) {
        guard let state = batch["consent_state"] else { return }
        self.source = .batch
        for (purpose, answer) in state["gdpr"]?.object ?? JSONObject() {
            self.answers.append(Answer(purpose: purpose, isGiven: answer["consented"]?.bool ?? false))
        }
        if let sale = state["ccpa"]?["data_sale_opt_out"] {
            self.answers.append(Answer(purpose: Self.sale, isGiven: sale["consented"]?.bool ?? false))
        }
    }
}

extension EventExplanation.ContextFacts {
    init(_ context: BatchContext) {
        self.plan = context.plan?.id
        self.planVersion = context.plan?.version
        self.environment = context.environment?.rawValue
        self.application = context.application?.name
        self.applicationVersion = context.application?.version
        self.device = context.device?.model
        self.hasAddress = context.ip != nil
    }

    /// Reads the context that a batch carries (Events API v2).
    init(batch: JSONValue) {
        let plan = batch["context"]?["data_plan"]
        self.plan = plan?["plan_id"]?.string
        self.planVersion = plan?["plan_version"]?.number?.int64.map { Int($0) }
        self.environment = batch["environment"]?.string
        self.application = batch["application_info"]?["application_name"]?.string
        self.applicationVersion = batch["application_info"]?["application_version"]?.string
        self.device = batch["device_info"]?["device_model"]?.string
        self.hasAddress = batch["ip"]?.string != nil
    }
}
