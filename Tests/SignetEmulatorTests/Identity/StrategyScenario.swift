// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

/// One row of the documentation's tables: a request, who it is about, and what that user then holds.
struct ScenarioStep: Sendable {
    enum Request: Sendable {
        case resolve(String, [String: String])
        /// Data that arrives with identities only, not from a client.
        case feed([String: String])
        case modify(Int64, String, from: String, to: String)
    }

    let title: String
    let request: Request
    let mpid: Int64
    let record: [String: Set<String>]
    var isKnown = false
    var source: Int64?
    /// Everybody who is orphaned after the step.
    var orphans: Set<Int64> = []
    /// The users that there are after the step.
    let users: Int
}

/// Plays steps one after the other, the client's previous user in each request, and expects every row.
func play(_ steps: [ScenarioStep], on platform: Platform) async {
    var previous: Int64?
    for step in steps {
        let comment = Comment(rawValue: step.title)
        let mpid = await send(step.request, previous: previous, to: platform, comment)
        #expect(mpid == step.mpid, comment)
        #expect(platform.record(step.mpid) == step.record, comment)
        #expect(platform.user(step.mpid)?.isKnown == step.isKnown, comment)
        #expect(platform.user(step.mpid)?.source?.rawValue == step.source, comment)
        let users = platform.emulator.users()
        #expect(Set(users.filter(\.isOrphaned).map(\.mpid.rawValue)) == step.orphans, comment)
        #expect(users.count == step.users, comment)
        if case .resolve = step.request {
            previous = mpid
        }
    }
}

private func send(
    _ request: ScenarioStep.Request,
    previous: Int64?,
    to platform: Platform,
    _ comment: Comment
) async -> Int64? {
    switch request {
    case .resolve(let call, let identities):
        let answer = await platform.resolve(call, identities, previous: previous)
        #expect(answer.status == 200, comment)
        #expect(answer.isLoggedIn == answer.mpid.flatMap(platform.user)?.isKnown, comment)
        return answer.mpid
    case .feed(let identities):
        let known = JSONObject(identities)
        let answer = await platform.post(
            "/v2/events",
            ["environment": "production", "user_identities": .object(known)]
        )
        #expect(answer.status == 202, comment)
        return platform.emulator.batches().last?.mpid.rawValue
    case .modify(let mpid, let type, let old, let new):
        let answer = await platform.modify(mpid, type, from: old, to: new)
        #expect(answer.status == 200, comment)
        return mpid
    }
}

extension JSONObject {
    fileprivate init(_ identities: [String: String]) {
        self.init()
        for (name, value) in identities {
            self[name] = .string(value)
        }
    }
}
