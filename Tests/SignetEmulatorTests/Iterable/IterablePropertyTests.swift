// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTestSupport
import SignetTransport
import Testing

@testable import struct SignetEmulator.SplitMix64

/// Random requests, followed by a reference that is too small to be wrong: lists, searched from the front.
struct IterablePropertyTests {
    private struct Person {
        var email: String?
        var userID: String?
        var isUnknown = false
        var fields: [String: JSONValue] = [:]
        var events: [String] = []

        func isCalled(_ id: EmulatedIterableUserID) -> Bool {
            switch id {
            case .email(let email): self.email == email
            case .userID(let userID): self.userID == userID
            }
        }
    }

    private static let ids: [EmulatedIterableUserID] = [
        .email("a@x"), .email("b@x"), .email("c@x"), .userID("1"), .userID("2"), .userID("3"),
    ]
    private static let keys = ["p", "q"]

    @Test func theHandlerAgreesWithAReference() async {
        let base = Seed.base()
        print("VisitorPropertyTests: SIGNET_SEED=\(base)")
        var reached: [String: Int] = [:]
        for offset in 0..<UInt64(TestScale.count(quick: 40, full: 300)) {
            let seed = base &+ offset
            var generator = SplitMix64(seed: seed)
            var people: [Person] = []
            let platform = IterablePlatform()
            for number in 0..<40 {
                let state = await Self.step(number, on: platform, &people, &generator)
                reached[state, default: 0] += 1
                let difference = Self.difference(platform, people)
                #expect(difference == nil, "SIGNET_SEED=\(seed), step \(number), \(state)")
                guard difference == nil else { return }
            }
        }
        for state in ["activated", "tracked", "not tracked", "updated", "merged", "renamed", "not merged", "addressed"]
        {
            #expect(
                reached[state, default: 0] >= TestScale.count(quick: 5, full: 100),
                "\(state) \(reached[state, default: 0]) times from \(base)"
            )
        }
    }

    private static func step(
        _ number: Int,
        on platform: IterablePlatform,
        _ people: inout [Person],
        _ generator: inout SplitMix64
    ) async -> String {
        let id = Self.ids[Int(generator.next() % 6)]
        let other = Self.ids[Int(generator.next() % 6)]
        let key = Self.keys[Int(generator.next() % 2)]
        let index = people.firstIndex { $0.isCalled(id) }
        switch generator.next() % 6 {
        case 0:
            return await Self.activate(id, key, number, on: platform, &people)
        case 1, 2:
            let prefers = generator.next().isMultiple(of: 2)
            var body = Self.member(id)
            body["preferUserId"] = .bool(prefers)
            let status = await platform.track("e\(number)", body).status
            if index == nil, case .userID = id, !prefers {
                return status == 404 ? "not tracked" : "wrongly tracked"
            }
            Self.person(id, in: &people) { $0.events.append("e\(number)") }
            return status == 200 ? "tracked" : "wrongly not tracked"
        case 3:
            var body = Self.member(id)
            body["preferUserId"] = true
            let value = JSONValue.number(JSONNumber(Int64(number)))
            Self.person(id, in: &people) { $0.fields[key] = value }
            return await platform.update(body, [key: value]).status == 200 ? "updated" : "wrongly not updated"
        case 4:
            return await Self.merge(id, into: other, on: platform, &people)
        default:
            guard let index, case .email(let email) = other, !people.contains(where: { $0.isCalled(other) }) else {
                return "nothing"
            }
            people[index].email = email
            var body = Self.member(id, email: "currentEmail", userID: "currentUserId")
            body["newEmail"] = .string(email)
            let answer = await platform.post("users/updateEmail", .object(body))
            return answer.status == 200 ? "addressed" : "wrongly not addressed"
        }
    }

    private static func activate(
        _ id: EmulatedIterableUserID,
        _ key: String,
        _ number: Int,
        on platform: IterablePlatform,
        _ people: inout [Person]
    ) async -> String {
        guard case .userID(let userID) = id else { return "nothing" }
        let isNew = !people.contains { $0.isCalled(id) }
        let value = JSONValue.number(JSONNumber(Int64(number)))
        Self.person(id, in: &people) { person in
            person.isUnknown = person.isUnknown || isNew
            person.fields[key] = value
        }
        return await platform.activate(userID, fields: [key: value]).status == 200 ? "activated" : "not activated"
    }

    private static func merge(
        _ source: EmulatedIterableUserID,
        into destination: EmulatedIterableUserID,
        on platform: IterablePlatform,
        _ people: inout [Person]
    ) async -> String {
        var body = Self.member(source, email: "sourceEmail", userID: "sourceUserId")
        for (key, value) in Self.member(destination, email: "destinationEmail", userID: "destinationUserId") {
            body[key] = value
        }
        let status = await platform.post("users/merge", .object(body)).status
        let from = people.firstIndex { $0.isCalled(source) }
        guard source != destination, let from, !people[from].isCalled(destination) else {
            return status >= 400 ? "not merged" : "wrongly merged"
        }
        guard status == 200 else { return "wrongly not merged" }
        let gone = people.remove(at: from)
        let isRenamed = !people.contains { $0.isCalled(destination) }
        Self.person(destination, in: &people) { person in
            person.fields.merge(gone.fields) { own, _ in own }
            // All names of events hold the number of their step.
            person.events = (person.events + gone.events).sorted {
                (Int($0.dropFirst()) ?? 0) < (Int($1.dropFirst()) ?? 0)
            }
        }
        return isRenamed ? "renamed" : "merged"
    }

    private static func person(
        _ id: EmulatedIterableUserID,
        in people: inout [Person],
        _ change: (inout Person) -> Void
    ) {
        let index = people.firstIndex { $0.isCalled(id) } ?? people.count
        if index == people.count {
            switch id {
            case .email(let email): people.append(Person(email: email))
            case .userID(let userID): people.append(Person(userID: userID))
            }
        }
        change(&people[index])
    }

    private static func member(
        _ id: EmulatedIterableUserID,
        email: String = "email",
        userID: String = "userId"
    ) -> JSONObject {
        switch id {
        case .email(let value): [email: .string(value)]
        case .userID(let value): [userID: .string(value)]
        }
    }

    private static func difference(_ platform: IterablePlatform, _ people: [Person]) -> String? {
        let visitors = platform.iterable
        guard visitors.users().count == people.count else { return "the number of users" }
        for person in people {
            let ids = [
                person.email.map(EmulatedIterableUserID.email), person.userID.map(EmulatedIterableUserID.userID),
            ]
            for id in ids.compactMap(\.self) {
                guard let user = visitors.user(id) else { return "nobody is called so" }
                guard user.email == person.email, user.userID == person.userID else { return "other names" }
                guard user.isUnknown == person.isUnknown else { return "known or not" }
                let fields = Dictionary(uniqueKeysWithValues: user.json.map { ($0.key, $0.value) })
                guard fields == person.fields else { return "other fields" }
                guard visitors.events(of: id).map(\.name) == person.events else { return "other events" }
            }
        }
        return visitors.events().count == people.reduce(0) { $0 + $1.events.count } ? nil : "other numbers of events"
    }
}
