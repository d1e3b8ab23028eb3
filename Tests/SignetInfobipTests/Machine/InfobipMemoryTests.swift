// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetModel
import SignetTestSupport
import Testing

@testable import Signet
@testable import SignetInfobip

/// What is on disk of a profile (facts 9, rows 36 and 57): everything is read as it was written.
@Suite struct InfobipMemoryTests {
    /// A value of each kind.
    private static let values: [String: InfobipValue] = [
        "string": "a\"\\\u{0}\u{301}b", "integer": .integer(.max), "negative": .integer(.min), "double": .double(10.0),
        "small": .double(1e-300), "true": true, "false": false, "date": .date(CalendarDay(.distantPast)),
        "dateTime": .dateTime(Date(timeIntervalSince1970: 1_700_000_000.5)), "none": .list([]),
        "list": [
            ["item": "boots", "price": 89.5, "many": 3, "gift": nil, "new": true],
            [
                "day": .date(CalendarDay(Date(timeIntervalSince1970: 0))),
                "at": .dateTime(Date(timeIntervalSince1970: -1)),
            ],
            [:],
        ],
    ]

    private static let custom: [String: Patch<InfobipValue>] = Self.values.mapValues(Patch.set)
        .merging(["cleared": .clear]) { $1 }

    private static let changes: InfobipUserChanges = {
        var changes = InfobipUserChanges()
        changes.externalUserID = .set("ann")
        changes.firstName = .set("First")
        changes.middleName = .set("Middle")
        changes.lastName = .set("Last")
        changes.gender = .set(.female)
        changes.birthday = .set(CalendarDay(Date(timeIntervalSince1970: 0)))
        changes.phones = .set(["+385910000000", "385910000001"])
        changes.emails = .set(["a@example.com", "b@example.com"])
        changes.tags = .set(["t1", "t2"])
        changes.customAttributes = Self.custom
        return changes
    }()

    private static let cleared: InfobipUserChanges = {
        var changes = InfobipUserChanges()
        changes.externalUserID = .clear
        changes.firstName = .clear
        changes.middleName = .clear
        changes.lastName = .clear
        changes.gender = .clear
        changes.birthday = .clear
        changes.phones = .clear
        changes.emails = .clear
        changes.tags = .clear
        return changes
    }()

    private static let installation: InfobipInstallation = {
        var installation = InfobipInstallation()
        installation.pushRegistrationID = "1"
        installation.isPushRegistrationEnabled = false
        installation.isPrimary = true
        installation.notificationsEnabled = false
        installation.applicationUserID = "u"
        installation.customAttributes = Self.values
        installation.pushServiceType = "GCM"
        installation.pushServiceToken = "aa"
        installation.system.sdkVersion = "1"
        installation.system.appVersion = "2"
        installation.system.os = "Linux"
        installation.system.osVersion = "3"
        installation.system.deviceManufacturer = "4"
        installation.system.deviceModel = "5"
        installation.system.deviceName = "6"
        installation.system.deviceSecure = true
        installation.system.language = "en"
        installation.system.timeZoneOffset = "GMT+03:30"
        return installation
    }()

    /// A memory that has something in every place.
    static let full: InfobipMemory = {
        var memory = InfobipMemory(application: "hash")
        memory.token = InfobipPushToken(token: "aa", service: "HMS")
        memory.registration = .active(
            .init(
                id: "1",
                token: .init(token: "bb", service: "GCM"),
                systemHash: "h",
                at: 5,
                refused: .init(hash: "r", at: 6)
            )
        )
        memory.former = ["2", "3"]
        memory.installation.known = .doubtful(Self.installation)
        var changes = InfobipInstallationChanges()
        changes.applicationUserID = .set("v")
        changes.isPrimary = false
        changes.isPushRegistrationEnabled = true
        changes.customAttributes = Self.custom
        memory.installation.edits = InfobipEdits(changes, number: 1)
        memory.installation.edits.set(changes.only([.isPrimary]), number: 8)
        let identity = InfobipIdentity(phones: ["12345"], emails: ["c@d"], externalUserID: "bob")
        var left = PersonScope(id: 3, claim: .named(identity))
        left.edits = InfobipEdits(Self.changes, number: 7)
        left.edits.set(Self.cleared.only([.firstName]), number: 9)
        left.own = Self.changes.fields
        left.events = InfobipEventQueue([5..<9, 12..<13])
        left.sessions.all = [.init(start: 1, end: 2), .init(start: 3, end: 4, isStartReported: true)]
        left.snapshot = .doubtful(InfobipUser().applying(Self.changes))
        left.snapshot?.value.type = .customer
        left.snapshot?.value.installations = [Self.installation, InfobipInstallation()]
        var attributes = InfobipAttributes()
        attributes.firstName = "First"
        attributes.customAttributes = Self.custom
        let options: InfobipRoute.PersonalizeOptions = [.forceDepersonalize, .keepAsLead, .setDeviceAsPrimary]
        let attach = PersonScope.Attach(
            number: 4,
            personalization: .init(identity: identity, attributes: attributes, options: options),
            origin: .login(UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16)))
        )
        var last = PersonScope(id: 5, claim: .named(InfobipIdentity()))
        last.barriers = [.detach(6, .restore), .attach(attach), .look(8), .detach(10, .app)]
        memory.people = PersonScopes(
            [left, last],
            attachment: .moving(to: 5, from: nil),
            parked: [InfobipIdentity(externalUserID: "bob"): PersonScope(id: 2, edits: left.edits)],
            lastNumber: 11
        )
        memory.nextEvent = 14
        let hours = UnexplainedRefusals(hours: 3, since: 1_700_000_000_000)
        memory.tooLarge = .init(subject: "events", count: hours, before: 7)
        memory.followed = UUID(uuid: (2, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16))
        memory.synced = .overruled(SyncedUser(MPID(rawValue: 5), names: ["id u"]), by: nil)
        return memory
    }()

    @Test func everythingIsReadAsItWasWritten() throws {
        #expect(try InfobipMemory(decoding: Self.full.encoded()) == Self.full)
        // Part by part, for a failure to say which.
        let memory = try InfobipMemory(decoding: Self.full.encoded())
        for (written, read) in zip(Mirror(reflecting: Self.full).children, Mirror(reflecting: memory).children) {
            #expect(Self.value(written) == Self.value(read), "\(written.label ?? "")")
        }
        for (name, value) in Self.values {
            #expect(memory.people.all[0].snapshot?.value.customAttributes[name] == value, "\(name)")
        }
    }

    @Test func nothingIsLeftOutOfWhatIsTried() {
        let fresh = Mirror(reflecting: InfobipMemory(application: "")).children
        for (full, fresh) in zip(Mirror(reflecting: Self.full).children, fresh) {
            #expect(Self.value(full) != Self.value(fresh), "\(full.label ?? "") is as it is at first: give it a value")
        }
    }

    private static func value(_ child: Mirror.Child) -> AnyHashable? {
        child.value as? AnyHashable
    }

    /// A moment counts from 2001: said from 1970, the last bit of its fraction would be lost.
    @Test func aMomentIsReadToTheLastBitOfItsFraction() throws {
        for seconds in [915_148_801.1, 700_000_000.3, -0.1, 1e-300, -978_307_200.7] {
            let value = InfobipValue.dateTime(Date(timeIntervalSinceReferenceDate: seconds))
            var memory = InfobipMemory(application: "hash")
            memory.installation.known.value.customAttributes["at"] = value
            #expect(try InfobipMemory(decoding: memory.encoded()) == memory, "\(seconds)")
        }
    }

    @Test func nothingIsReadAsNothing() throws {
        let fresh = InfobipMemory(application: "hash")
        #expect(try InfobipMemory(decoding: fresh.encoded()) == fresh)
        var off = InfobipMemory(application: "hash", isPushRegistrationEnabled: false)
        #expect(try InfobipMemory(decoding: off.encoded()) == off)
        off.registration = .active(.init(id: "1", token: nil, systemHash: nil, at: 0))
        #expect(try InfobipMemory(decoding: off.encoded()) == off)
        off.registration = .lost
        #expect(try InfobipMemory(decoding: off.encoded()) == off)
    }

    @Test func whateverChangesIsReadAsItWasWritten() throws {
        var generator = SeededGenerator()
        for _ in 0..<500 {
            var memory = InfobipMemory(application: "hash")
            memory.last.edits.set(Self.changes(&generator), number: generator.next() >> 1)
            memory.last.edits.set(Self.changes(&generator), number: generator.next() >> 1)
            memory.last.snapshot = .exact(InfobipUser().applying(Self.changes(&generator)))
            memory.last.snapshot?.value.type = [nil, .lead, .customer].randomElement(using: &generator) ?? nil
            var changes = InfobipInstallationChanges()
            changes.applicationUserID = Self.change("u", &generator)
            changes.isPrimary = [nil, true, false].randomElement(using: &generator) ?? nil
            changes.isPushRegistrationEnabled = [nil, true, false].randomElement(using: &generator) ?? nil
            changes.customAttributes = Self.custom(&generator)
            memory.installation.edits = InfobipEdits(changes, number: generator.next() >> 1)
            #expect(try InfobipMemory(decoding: memory.encoded()) == memory)
        }
    }

    private static func change<Value>(_ value: Value, _ generator: inout SeededGenerator) -> Patch<Value> {
        [.untouched, .set(value), .clear].randomElement(using: &generator) ?? .untouched
    }

    private static func custom(_ generator: inout SeededGenerator) -> [String: Patch<InfobipValue>] {
        var changes: [String: Patch<InfobipValue>] = [:]
        for (name, value) in Self.values.sorted(by: { $0.key < $1.key }) {
            let change = Self.change(value, &generator)
            if change.isTouched { changes[name] = change }
        }
        return changes
    }

    private static func changes(_ generator: inout SeededGenerator) -> InfobipUserChanges {
        var changes = InfobipUserChanges()
        changes.externalUserID = Self.change("", &generator)
        changes.firstName = Self.change("\u{1F600}", &generator)
        changes.middleName = Self.change("\u{0}\n", &generator)
        changes.lastName = Self.change("null", &generator)
        changes.gender = Self.change(InfobipGender.allCases.randomElement(using: &generator) ?? .male, &generator)
        let seconds = Double(Int64.random(in: -60_000_000_000...200_000_000_000, using: &generator))
        changes.birthday = Self.change(CalendarDay(Date(timeIntervalSince1970: seconds)), &generator)
        changes.phones = Self.change(["12345", "+12345"].shuffled(using: &generator), &generator)
        changes.emails = Self.change(["a@b", "c@d"].shuffled(using: &generator), &generator)
        changes.tags = Self.change(["t", ""], &generator)
        changes.customAttributes = Self.custom(&generator)
        return changes
    }
}
