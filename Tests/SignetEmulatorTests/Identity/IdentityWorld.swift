// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

@testable import SignetEmulator

/// One random workspace and a random day in it; small pools of values, so that identities collide.
struct IdentityWorld {
    /// What a request did, as seen from outside.
    struct Observation {
        let call: String
        let identities: [IdentityType: String]
        let answer: Answer
        let before: [MPID: EmulatedUser]
        let after: [MPID: EmulatedUser]
        /// Whom earlier requests resolved to.
        let returned: Set<MPID>

        var user: MPID? {
            self.answer.mpid.flatMap(MPID.init(rawValue:))
        }
    }

    static let types: [(name: String, type: IdentityType)] = [
        ("customerid", .customerID), ("email", .email), ("other", .other), ("ios_idfv", .iosVendorID),
        ("roku_aid", .rokuAdvertisingID),
    ]

    let platform: Platform
    private var generator: SplitMix64
    private var returned: Set<MPID> = []

    init(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let strategy = IdentityStrategy.allCases[Int(seed % UInt64(IdentityStrategy.allCases.count))]
        let configures = strategy == .conversion
        let unique = Self.subset(&generator, [.customerID, .email, .other])
        let login = Self.subset(&generator, [.customerID, .email])
        let immutable: Set<IdentityType> = Bool.random(using: &generator) ? [.customerID] : []
        self.platform = Platform(
            EmulatorConfiguration(
                strategy: strategy,
                priority: Self.types.map(\.type).shuffled(using: &generator),
                uniqueIdentities: configures ? unique : nil,
                loginIdentities: configures ? login : nil,
                immutableIdentities: configures ? immutable : [],
                mpids: .random(seed: seed)
            )
        )
        self.generator = generator
    }

    var configuration: EmulatorConfiguration {
        self.platform.emulator.configuration
    }

    /// Sends one random request.
    mutating func step() async -> Observation {
        self.platform.time.advance(by: .milliseconds(Int64.random(in: 0...2, using: &self.generator)))
        let before = self.users()
        let call =
            ["identify", "identify", "login", "login", "logout", "search", "modify"]
            .randomElement(using: &self.generator) ?? "identify"
        let (identities, answer) = call == "modify" ? await self.modify(before) : await self.resolve(call, before)
        let observation = Observation(
            call: call,
            identities: identities,
            answer: answer,
            before: before,
            after: self.users(),
            returned: self.returned
        )
        observation.user.map { _ = self.returned.insert($0) }
        return observation
    }

    private mutating func resolve(
        _ call: String,
        _ before: [MPID: EmulatedUser]
    ) async -> ([IdentityType: String], Answer) {
        var names: [String: String] = [:]
        var identities: [IdentityType: String] = [:]
        for (name, type) in Self.types where Int.random(in: 0..<5, using: &self.generator) < 2 {
            let value = self.value()
            names[name] = value
            identities[type] = value
        }
        if names.isEmpty {
            names["ios_idfv"] = self.value()
            identities[.iosVendorID] = names["ios_idfv"]
        }
        let previous = Bool.random(using: &self.generator) ? self.anybody(before)?.rawValue : nil
        let body = Platform.identityBody(names, previous: previous)
        return (identities, await self.platform.post("/v1/\(call)", body))
    }

    private mutating func modify(_ before: [MPID: EmulatedUser]) async -> ([IdentityType: String], Answer) {
        let (name, type) = Self.types.randomElement(using: &self.generator) ?? Self.types[0]
        let user = self.anybody(before)
        let old = user.flatMap { before[$0]?.identities[type]?.min() }
        let new = old == nil || Int.random(in: 0..<4, using: &self.generator) > 0 ? self.value() : nil
        let isUnknown = user == nil || Int.random(in: 0..<20, using: &self.generator) == 0
        let mpid = isUnknown ? 1 : user?.rawValue ?? 1
        return (new.map { [type: $0] } ?? [:], await self.platform.modify(mpid, name, from: old, to: new))
    }

    private mutating func value() -> String {
        String(Int.random(in: 1...4, using: &self.generator))
    }

    private mutating func anybody(_ users: [MPID: EmulatedUser]) -> MPID? {
        users.keys.sorted().randomElement(using: &self.generator)
    }

    private func users() -> [MPID: EmulatedUser] {
        Dictionary(uniqueKeysWithValues: self.platform.emulator.users().map { ($0.mpid, $0) })
    }

    private static func subset(_ generator: inout SplitMix64, _ types: [IdentityType]) -> Set<IdentityType> {
        Set(types.filter { _ in Bool.random(using: &generator) })
    }
}
