// SPDX-License-Identifier: Apache-2.0

#if Tool
import SignetEmulator
import SignetModel

/// The identity calls that made a user current before an event, and the one that ended it.
struct IdentityReasons: Sendable {
    /// The calls up to the event: that of the visitor before, the first one that resolved to the user, and the last ones.
    let before: [Explanation.Step]
    /// The first later call by which another user became current.
    let after: [Explanation.Step]

    init(_ evidence: Explanation.Evidence, of mpid: MPID) {
        let time = evidence.event.event.timestamp
        let all = evidence.facts.compactMap { fact -> (time: Int64, call: PlatformFact.IdentityCall)? in
            guard case .identity(let call) = fact.content else { return nil }
            return (fact.time, call)
        }
        let calls = all.filter { $0.call.user == mpid || $0.call.previous == mpid }
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
        self.before = earlier.map { Self.step($0.call, at: $0.time, kind: .identity) }
        let end = calls.first { $0.time > time && $0.call.previous == mpid && $0.call.user.map { $0 != mpid } ?? false }
        self.after = end.map { [Self.step($0.call, at: $0.time, kind: .left)] } ?? []
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
#endif
