// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetModel
import SignetTransport

/// The identity calls that made a user current before an event, and the one that ended it.
struct IdentityReasons: Sendable {
    /// The calls up to the event: that of the visitor before, the first one that resolved to the user, and the last ones.
    let before: [Explanation.Step]
    /// The first later call by which another user became current.
    let after: [Explanation.Step]
    /// True when the user became current after the event, for the first time: the event waited for its client's first user.
    let isEarly: Bool

    init(_ evidence: Explanation.Evidence, of mpid: MPID) {
        let time = evidence.event.event.timestamp
        let all = evidence.facts.compactMap { fact -> (time: Int64, call: PlatformFact.IdentityCall)? in
            guard case .identity(let call) = fact.content else { return nil }
            // As the event's time, the client's.
            return (fact.clientTime, call)
        }
        let everywhere = all.filter { $0.call.user == mpid || $0.call.previous == mpid }
        // A user may be current on several devices: a log-out of one ends nothing on the other.
        let here = everywhere.filter { Self.isPossible($0.call, for: evidence.batch) }
        let calls = here.contains { $0.call.user == mpid } ? here : everywhere
        let first = calls.first { $0.call.user == mpid }
        self.isEarly = !evidence.isPartial && (first.map { $0.time > time && $0.call.previous == nil } ?? false)
        var earlier = calls.filter { $0.time <= time && ($0.call.user == mpid || $0.call.user == nil) }
        if earlier.count > Explanation.limit {
            earlier = Array(earlier.prefix(1) + earlier.suffix(Explanation.limit - 1))
        }
        // The call before the log-in names the visitor who became this user.
        if let first = earlier.first, let previous = first.call.previous, previous != mpid,
            let guest = all.last(where: { $0.time <= first.time && $0.call.user == previous })
        {
            earlier.insert(guest, at: 0)
        }
        if self.isEarly, let first { earlier.append(first) }
        let isWhole = !evidence.isPartial || earlier.contains { $0.call.isFirst(of: mpid) }
        self.before =
            (isWhole ? [] : [Self.forgotten(evidence)])
            + earlier.map { Self.step($0.call, at: $0.time, kind: .identity) }
        let end = calls.first { $0.time > time && $0.call.previous == mpid && $0.call.user.map { $0 != mpid } ?? false }
        self.after = end.map { [Self.step($0.call, at: $0.time, kind: .left)] } ?? []
    }

    /// Returns false for a call of another device than that of the batch.
    private static func isPossible(_ call: PlatformFact.IdentityCall, for batch: EmulatedBatch?) -> Bool {
        guard let device = batch?.json["mp_deviceid"]?.string, let stamp = call.identities[.deviceApplicationStamp]
        else { return true }
        return device.lowercased() == stamp.lowercased()
    }

    private static func forgotten(_ evidence: Explanation.Evidence) -> Explanation.Step {
        Explanation.Step(
            kind: .identity,
            time: evidence.facts.first?.time,
            title: "Earlier requests are forgotten",
            detail: "the emulator keeps identity calls and deliveries since this time; others may have come before"
        )
    }

    private static func step(
        _ call: PlatformFact.IdentityCall,
        at time: Int64,
        kind: Explanation.Kind
    ) -> Explanation.Step {
        let names = call.identities.sorted { $0.key < $1.key }.map { "\($0.key.wireName) \($0.value)" }
        let subject = names.isEmpty ? "" : " with " + names.joined(separator: ", ")
        let answer =
            switch call.outcome {
            case .user(let mpid, let isKnown, let isNew):
                "200: \(isNew ? "new " : "")\(isKnown ? "known" : "anonymous") user \(mpid)"
            case .refused(let status, let reason):
                "\(status): \(reason)"
            }
        return Explanation.Step(
            kind: kind,
            time: time,
            title: (kind == .left ? "Later: " : "") + call.route.rawValue + subject,
            detail: answer
        )
    }
}

extension PlatformFact.IdentityCall {
    /// Returns true for the call that created a user.
    fileprivate func isFirst(of mpid: MPID) -> Bool {
        if case .user(mpid, _, isNew: true) = self.outcome { true } else { false }
    }
}
#endif
