// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTransport
import Testing

@testable import struct SignetEmulator.SplitMix64

/// Random requests of four installations, followed by a reference that is too small to be wrong: lists, searched from the
/// front.
struct InfobipPropertyTests {
    private struct Person {
        var names: Set<String> = []
        var isCustomer = false
        var attributes: [String: Int64] = [:]
        var events = 0
        var installations: [Int] = []
    }

    private struct World {
        var infobip: [Person] = []
        var isNamed = Set<Int>()
        var primary = Set<Int>()

        func owner(_ installation: Int) -> Int {
            self.infobip.firstIndex { $0.installations.contains(installation) } ?? -1
        }
    }

    // Who can be called what; the external ids e and f exclude each other.
    private static let names: [(name: String, json: String)] = [
        ("e", #""externalUserId":"e""#), ("f", #""externalUserId":"f""#), ("11111", #""phones":[{"number":"11111"}]"#),
        ("22222", #""phones":[{"number":"22222"}]"#), ("a@x", #""emails":[{"address":"a@x"}]"#),
        ("b@x", #""emails":[{"address":"b@x"}]"#),
    ]

    @Test func theHandlerAgreesWithAReference() async throws {
        let base = Seed.base()
        print("PeoplePropertyTests: SIGNET_SEED=\(base)")
        var reached: [String: Int] = [:]
        for offset in 0..<UInt64(TestScale.count(quick: 25, full: 200)) {
            let seed = base &+ offset
            var generator = SplitMix64(seed: seed)
            let platform = InfobipPlatform()
            var world = World()
            var ids: [String] = []
            for number in 0..<4 {
                ids.append(try await platform.register("a\(number)"))
                world.infobip.append(Person(installations: [number]))
            }
            for number in 0..<40 {
                let state = await Self.step(Int64(number), on: platform, ids, &world, &generator)
                reached[state, default: 0] += 1
                let difference = Self.difference(platform, ids, world)
                #expect(difference == nil, "SIGNET_SEED=\(seed), step \(number), \(state)")
                guard difference == nil else { return }
            }
        }
        for state in [
            "saved", "interrupted", "named", "merged", "again", "ambiguous", "impossible", "depersonalized", "primary",
            "logged", "no registration",
        ] {
            #expect(
                reached[state, default: 0] >= TestScale.count(quick: 3, full: 50),
                "\(state) \(reached[state, default: 0]) times from \(base)"
            )
        }
    }

    private static func step(
        _ number: Int64,
        on platform: InfobipPlatform,
        _ ids: [String],
        _ world: inout World,
        _ generator: inout SplitMix64
    ) async -> String {
        let one = Int(generator.next() % 4)
        let other = Int(generator.next() % 4)
        let name = Self.names[Int(generator.next() % 6)]
        let owner = world.owner(one)
        switch generator.next() % 8 {
        case 0, 1:
            let key = ["p", "q"][Int(generator.next() % 2)]
            let body = #"{\#(name.json),"customAttributes":{"\#(key)":\#(number)}}"#
            let answer = await platform.save(ids[one], body)
            let holder = world.infobip.firstIndex { $0.names.contains(name.name) }
            guard holder ?? owner == owner else {
                return answer.messageID == "USER_MERGE_INTERRUPTED" ? "interrupted" : "wrongly saved"
            }
            // A list is saved whole: what was of its kind is gone.
            let kind = Self.kind(name.name)
            world.infobip[owner].names = world.infobip[owner].names.filter { Self.kind($0) != kind }.union([name.name])
            world.infobip[owner].attributes[key] = number
            return answer.status == 204 ? "saved" : "wrongly not saved"
        case 2, 3, 4:
            let second = Self.names[Int(generator.next() % 6)]
            let isPair = Self.kind(second.name) != Self.kind(name.name) && generator.next().isMultiple(of: 2)
            let force = generator.next().isMultiple(of: 4)
            let asLead = generator.next().isMultiple(of: 3)
            let given = isPair ? [name, second] : [name]
            let identity = "{" + given.map(\.json).joined(separator: ",") + "}"
            let answer = await platform.personalize(ids[one], identity, force: force, keepAsLead: asLead)
            return Self.personalize(one, Set(given.map(\.name)), force, asLead, answer, &world)
        case 5:
            let answer = await platform.depersonalize(ids[other], as: ids[one])
            guard world.owner(other) == owner else {
                return answer.messageID == "NO_REGISTRATION" ? "no registration" : "wrongly depersonalized"
            }
            Self.depersonalize(other, &world)
            return answer.status == 204 ? "depersonalized" : "wrongly not depersonalized"
        case 6:
            let answer = await platform.change(ids[other], #"{"isPrimary":true}"#, as: ids[one])
            guard world.owner(other) == owner else {
                return answer.messageID == "NO_REGISTRATION" ? "no registration" : "wrongly primary"
            }
            world.primary.subtract(world.infobip[owner].installations)
            world.primary.insert(other)
            return "primary"
        default:
            let body = #"{"events":[{"definitionId":"e\#(number)","date":"2024-01-01T00:00:00Z"}]}"#
            let answer = await platform.send(
                .post,
                "appinstance/\(ids[one])/user/events/custom?validate=0",
                body,
                as: ids[one]
            )
            world.infobip[owner].events += 1
            return answer.status == 204 ? "logged" : "wrongly not logged"
        }
    }

    private static func kind(_ name: String) -> Int {
        name.count == 1 ? 0 : name.contains("@") ? 1 : 2
    }

    private static func depersonalize(_ one: Int, _ world: inout World) {
        let owner = world.owner(one)
        world.infobip[owner].installations.removeAll { $0 == one }
        let person = world.infobip[owner]
        if person.installations.isEmpty, person.names.isEmpty, !person.isCustomer {
            world.infobip.remove(at: owner)
        }
        world.infobip.append(Person(installations: [one]))
        world.isNamed.remove(one)
        world.primary.remove(one)
    }

    private static func personalize(
        _ one: Int,
        _ names: Set<String>,
        _ force: Bool,
        _ asLead: Bool,
        _ answer: InfobipAnswer,
        _ world: inout World
    ) -> String {
        let before = world
        if force {
            Self.depersonalize(one, &world)
        }
        let owner = world.owner(one)
        let isOpen =
            !world.isNamed.contains(one) && !world.infobip[owner].isCustomer
            && world.infobip[owner].installations == [one]
        var found = world.infobip.indices.filter { !world.infobip[$0].names.isDisjoint(with: names) }
        if isOpen, found.count > 1 {
            found.removeAll { $0 == owner }
        }
        func refused(_ code: String, _ state: String) -> String {
            world = before
            return answer.messageID == code ? state : "not \(state)"
        }
        guard found.count < 2 else { return refused("AMBIGUOUS_PERSONALIZE_CANDIDATES", "ambiguous") }
        guard isOpen || found == [owner] else { return refused("PERSONALIZATION_IMPOSSIBLE", "impossible") }
        let target = found.first ?? owner
        var person = world.infobip[target]
        person.names.formUnion(names)
        if target != owner {
            person.names.formUnion(world.infobip[owner].names)
        }
        guard !person.names.isSuperset(of: ["e", "f"]) else { return refused("USER_MERGE_INTERRUPTED", "two ids") }
        if target != owner {
            person.attributes.merge(world.infobip[owner].attributes) { own, _ in own }
            person.events += world.infobip[owner].events
            person.installations.append(one)
            world.primary.remove(one)
        }
        person.isCustomer = person.isCustomer || !asLead
        world.infobip[target] = person
        if target != owner {
            world.infobip.remove(at: owner)
        }
        let isAgain = world.isNamed.contains(one)
        world.isNamed.insert(one)
        guard answer.status == 200 else { return "wrongly not personalized" }
        return target != owner ? "merged" : isAgain ? "again" : "named"
    }

    private static func difference(_ platform: InfobipPlatform, _ ids: [String], _ world: World) -> String? {
        let people = platform.infobip
        guard people.people().count == world.infobip.count else { return "the number of people" }
        for (number, id) in ids.enumerated() {
            let expected = world.infobip[world.owner(number)]
            guard let person = people.person(of: id), let installation = people.installation(id) else {
                return "nobody"
            }
            let names = Set(person.phones + person.emails + [person.externalUserID].compactMap(\.self))
            guard names == expected.names else { return "other names" }
            guard person.isCustomer == expected.isCustomer else { return "lead or customer" }
            let attributes = expected.attributes.mapValues(AttributeValue.integer)
            guard person.attributes == attributes else { return "attributes" }
            let installations = Set(expected.installations.map { ids[$0] })
            guard Set(person.installations) == installations else { return "installations" }
            guard people.events(of: person.number).count == expected.events else { return "events" }
            guard installation.isPrimary == world.primary.contains(number) else { return "primary" }
        }
        let names = people.people().flatMap { $0.phones + $0.emails + [$0.externalUserID].compactMap(\.self) }
        return Set(names).count == names.count ? nil : "two have one name"
    }
}
