// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetTransport

/// The consent and the context of the batch of an event, and the attempts that reached the platform.
struct BatchReasons: Sendable {
    let steps: [Explanation.Step]

    init(_ evidence: Explanation.Evidence) {
        guard let batch = evidence.batch else {
            self.steps = []
            return
        }
        let attempts = Self.attempts(batch, evidence)
        self.steps =
            [
                Explanation.Step(
                    kind: .consent,
                    time: nil,
                    title: "Consent that the batch carries",
                    detail: Self.consent(batch.json["consent_state"])
                ),
                Explanation.Step(kind: .context, time: nil, title: "Context", detail: Self.context(batch)),
                Explanation.Step(
                    kind: .batch,
                    time: batch.receivedAt.milliseconds,
                    title: "A batch of \(batch.eventCount) brought it",
                    detail: (batch.requestID.map { "batch \($0), " } ?? "a batch without an id, ")
                        + "\(batch.environment), \(batch.deliveries == 1 ? "one delivery" : "\(batch.deliveries) deliveries")"
                        + (batch.contentChanged ? "; a repetition had other content, the first counts" : "")
                ),
            ] + attempts
    }

    private static func consent(_ value: JSONValue?) -> String {
        let purposes = (value?["gdpr"]?.object ?? JSONObject()).sorted { $0.key < $1.key }.map { purpose, consent in
            purpose + (consent["consented"]?.bool == true ? " granted" : " denied")
        }
        let sale = value?["ccpa"]?["data_sale_opt_out"]?["consented"]?.bool.map {
            "sale of data " + ($0 ? "denied" : "allowed")
        }
        let parts = purposes + (sale.map { [$0] } ?? [])
        return parts.isEmpty ? "the batch carries none" : parts.joined(separator: ", ")
    }

    private static func context(_ batch: EmulatedBatch) -> String {
        let parts = [
            EmulatedBatch.summary(of: batch.deviceInfo), EmulatedBatch.summary(of: batch.applicationInfo),
            batch.ip.map { "address \($0)" } ?? "",
        ]
        let text = parts.filter { !$0.isEmpty }.joined(separator: "; ")
        return text.isEmpty ? "the batch names no device, application or address" : text
    }

    private static func attempts(_ batch: EmulatedBatch, _ evidence: Explanation.Evidence) -> [Explanation.Step] {
        guard let id = batch.requestID else { return [] }
        let attempts = evidence.facts.compactMap { fact -> (time: Int64, outcome: PlatformFact.Delivery.Outcome)? in
            guard case .delivery(let delivery) = fact.content, delivery.batchID == id else { return nil }
            return (fact.time, delivery.outcome)
        }
        let first = max(0, attempts.count - Explanation.limit)
        return attempts.enumerated().dropFirst(first).map { index, attempt in
            let answer =
                switch attempt.outcome {
                case .accepted: "202: accepted"
                case .repeated: "202: known already, its events do not count again"
                case .refused(let status, let reason): "\(status): \(reason)"
                }
            return Explanation.Step(
                kind: .attempt,
                time: attempt.time,
                title: evidence.isPartial
                    ? "An attempt reached the platform" : "Attempt \(index + 1) reached the platform",
                detail: answer
            )
        }
    }
}
#endif
