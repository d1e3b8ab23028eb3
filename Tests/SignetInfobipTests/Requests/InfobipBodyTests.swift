// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@testable import SignetInfobip

/// The bodies byte for byte, written by hand from the documentation.
@Suite struct InfobipBodyTests {
    private static func moment(_ seconds: Double) -> Date {
        Date(timeIntervalSince1970: seconds)
    }

    static func system() -> InfobipInstallationSystem {
        var system = InfobipInstallationSystem()
        system.sdkVersion = "0.1.0"
        system.appVersion = "2.0"
        system.os = "Linux"
        system.osVersion = "6.1"
        system.deviceManufacturer = "M"
        system.deviceModel = "X"
        system.deviceName = "n"
        system.deviceSecure = true
        system.language = "hr"
        system.timeZoneOffset = InfobipInstallationSystem.timeZoneOffset(seconds: 12_600)
        return system
    }

    // MARK: People

    @Test func aChangeNamesWhatIsTouchedAndNothingElse() {
        #expect(UserPatchBody(InfobipUserChanges()).isEmpty)
        var changes = InfobipUserChanges()
        changes.firstName = .set("B")
        changes.lastName = .clear
        changes.customAttributes = ["n": .set(10), "gone": .clear, "still": .untouched]
        #expect(
            Samples.text(UserPatchBody(changes).encoded())
                == #"{"customAttributes":{"gone":null,"n":10},"firstName":"B","lastName":null}"#
        )
    }

    @Test func everyAttributeHasItsForm() throws {
        var changes = InfobipUserChanges()
        changes.externalUserID = .set("a/b")
        changes.middleName = .set("M")
        changes.gender = .set(.female)
        changes.birthday = .set(try #require(CalendarDay(year: 1990, month: 2, day: 28)))
        changes.phones = .set(["+385910000000", "12345"])
        changes.emails = .set(["a@example.com"])
        changes.tags = .set(["t2", "t1"])
        #expect(
            Samples.text(UserPatchBody(changes).encoded())
                == #"{"birthday":"1990-02-28","emails":[{"address":"a@example.com"}],"externalUserId":"a/b","#
                + #""gender":"Female","middleName":"M","phones":[{"number":"385910000000"},{"number":"12345"}],"#
                + #""tags":["t1","t2"]}"#
        )
        changes = InfobipUserChanges()
        changes.externalUserID = .clear
        changes.gender = .clear
        changes.birthday = .clear
        changes.phones = .set([])
        changes.emails = .clear
        changes.tags = .set([])
        #expect(
            Samples.text(UserPatchBody(changes).encoded())
                == #"{"birthday":null,"emails":null,"externalUserId":null,"gender":null,"phones":[],"tags":[]}"#
        )
    }

    @Test func customAttributesAreOfEveryType() throws {
        let moment = Self.moment(1_483_210_500)
        var changes = InfobipUserChanges()
        changes.customAttributes = [
            "s": .set("x"), "n": .set(9.5), "i": .set(.integer(.max)), "b": .set(true), "z": .set(10.0),
            "d": .set(.date(CalendarDay(moment))), "dt": .set(.dateTime(moment)),
            "list": .set([["item": "p", "price": 1000.5, "date": .date(CalendarDay(moment)), "used": true, "no": nil]]),
            "none": .set([]),
        ]
        #expect(
            Samples.text(UserPatchBody(changes).encoded())
                == #"{"customAttributes":{"b":true,"d":"2016-12-31","dt":"2016-12-31T18:55:00Z","i":9223372036854775807,"#
                + #""list":[{"date":"2016-12-31","item":"p","no":null,"price":1000.5,"used":true}],"n":9.5,"none":[],"#
                + #""s":"x","z":10.0}}"#
        )
    }

    @Test func whatTheServiceHasAlreadyIsLeftOut() throws {
        let reply = #"""
            {"type":"LEAD","firstName":"A","lastName":"C","phones":[{"number":"385910000000"}],"tags":["b","a"],
            "customAttributes":{"n":10,"d":"2016-12-31","k":"v"},"instances":[{"pushRegId":"r"}]}
            """#
        let current = try InfobipReply.user(Array(reply.utf8))
        var changes = InfobipUserChanges()
        changes.firstName = .set("A")
        changes.middleName = .clear
        changes.phones = .set(["+385910000000"])
        changes.tags = .set(["a", "b"])
        changes.customAttributes = [
            "n": .set(10.0), "d": .set(.date(try #require(CalendarDay("2016-12-31")))), "gone": .clear,
        ]
        #expect(UserPatchBody(changes, current: current).isEmpty)
        changes.lastName = .clear
        changes.customAttributes["k"] = .clear
        #expect(
            Samples.text(UserPatchBody(changes, current: current).encoded())
                == #"{"customAttributes":{"k":null},"lastName":null}"#
        )
    }

    @Test func personalizingTellsWhoAndWhatIsGiven() {
        let identity = InfobipIdentity(phones: ["1"], emails: ["e"], externalUserID: "x")
        let who = #""userIdentity":{"emails":[{"address":"e"}],"externalUserId":"x","phones":[{"number":"1"}]}}"#
        #expect(Samples.text(PersonalizeBody(identity: identity).encoded()) == "{" + who)
        var attributes = InfobipAttributes()
        #expect(Samples.text(PersonalizeBody(identity: identity, attributes: attributes).encoded()) == "{" + who)
        attributes.firstName = "F"
        attributes.middleName = "M"
        attributes.lastName = "L"
        attributes.gender = .male
        attributes.birthday = CalendarDay(Self.moment(0))
        attributes.tags = ["t"]
        attributes.customAttributes = ["a": .set(1), "gone": .clear]
        #expect(
            Samples.text(PersonalizeBody(identity: identity, attributes: attributes).encoded())
                == #"{"userAttributes":{"birthday":"1970-01-01","customAttributes":{"a":1,"gone":null},"firstName":"F","#
                + #""gender":"Male","lastName":"L","middleName":"M","tags":["t"]},"# + who
        )
        let one = PersonalizeBody(identity: InfobipIdentity(externalUserID: "x"))
        #expect(Samples.text(one.encoded()) == #"{"userIdentity":{"externalUserId":"x"}}"#)
    }

    // MARK: Installations

    @Test func aRegistrationTellsAllAndThatNotificationsAreEnabled() {
        var installation = InfobipInstallation()
        installation.pushServiceType = "APNS"
        installation.pushServiceToken = "aa0f"
        var changes = InfobipInstallationChanges()
        changes.applicationUserID = .set("u")
        changes.customAttributes = ["a": .set(1)]
        changes.isPrimary = true
        let system = InfobipSystemData(Self.system(), pushServiceType: "APNS", notificationsEnabled: false)
        #expect(
            Samples.text(InstallationBody(installation.applying(changes), system: system).encoded())
                == #"{"appVersion":"2.0","applicationUserId":"u","customAttributes":{"a":1},"deviceManufacturer":"M","#
                + #""deviceModel":"X","deviceName":"n","deviceSecure":true,"deviceTimezoneOffset":"GMT+03:30","#
                + #""isPrimary":true,"language":"hr","notificationsEnabled":true,"os":"Linux","osVersion":"6.1","#
                + #""pushServiceToken":"aa0f","pushServiceType":"APNS","regEnabled":true,"sdkVersion":"0.1.0"}"#
        )
        installation.pushServiceToken = nil
        let bare = InstallationBody(
            installation,
            system: InfobipSystemData(InfobipInstallationSystem(), pushServiceType: nil, notificationsEnabled: nil)
        )
        #expect(
            Samples.text(bare.encoded())
                == #"{"customAttributes":{},"isPrimary":false,"notificationsEnabled":true,"pushServiceType":"APNS","#
                + #""regEnabled":true}"#
        )
    }

    @Test func privacyKeepsSixMembersBack() {
        let all = InfobipSystemData(Self.system(), pushServiceType: "APNS", notificationsEnabled: true)
        let few = InfobipSystemData(Self.system(), pushServiceType: "APNS", notificationsEnabled: true, isPrivate: true)
        #expect(
            Set(all.members.keys).subtracting(few.members.keys) == [
                "deviceModel", "appVersion", "deviceSecure", "language", "deviceName", "deviceTimezoneOffset",
            ]
        )
        #expect(few.members.count == 6)
        #expect(all.hash != few.hash)
        #expect(all.hash == InfobipSystemData(Self.system(), pushServiceType: "APNS", notificationsEnabled: true).hash)
        #expect(all.hash.count == 16)
    }

    @Test func aChangeOfAnInstallationIsADeltaWithTheWholeSystemWhenThatDiffers() throws {
        let current = try InfobipReply.installation(Array(#"{"pushRegId":"r","applicationUserId":"u"}"#.utf8))
        var changes = InfobipInstallationChanges()
        changes.isPrimary = false
        changes.isPushRegistrationEnabled = true
        changes.applicationUserID = .set("u")
        #expect(InstallationPatchBody(changes, current: current).isEmpty)
        changes.applicationUserID = .clear
        changes.isPushRegistrationEnabled = false
        changes.customAttributes = ["a": .set("x"), "b": .clear]
        #expect(
            Samples.text(InstallationPatchBody(changes, current: current).encoded())
                == #"{"applicationUserId":null,"customAttributes":{"a":"x"},"regEnabled":false}"#
        )
        let system = InfobipSystemData(
            Self.system(),
            pushServiceType: "APNS",
            notificationsEnabled: true,
            isPrivate: true
        )
        let whole = InstallationPatchBody(
            InfobipInstallationChanges(),
            current: current,
            pushServiceToken: "ab",
            system: system
        )
        #expect(
            Samples.text(whole.encoded())
                == #"{"deviceManufacturer":"M","notificationsEnabled":true,"os":"Linux","osVersion":"6.1","#
                + #""pushServiceToken":"ab","pushServiceType":"APNS","sdkVersion":"0.1.0"}"#
        )
    }

    @Test(arguments: [true, false])
    func ofAnotherInstallationNothingIsSaidButWhetherItIsPrimary(isPrimary: Bool) {
        let body = InstallationPatchBody(otherIsPrimary: isPrimary)
        #expect(Samples.text(body.encoded()) == #"{"isPrimary":\#(isPrimary)}"#)
    }

    @Test func offsetsHaveTheirSignAndFourDigits() {
        let table = [
            (0, "GMT+00:00"), (12_600, "GMT+03:30"), (-34_200, "GMT-09:30"), (-59, "GMT+00:00"), (59, "GMT+00:00"),
            (50_400, "GMT+14:00"), (.max, "GMT+99:59"), (.min, "GMT-99:59"),
        ]
        for (seconds, text) in table {
            #expect(InfobipInstallationSystem.timeZoneOffset(seconds: seconds) == text)
        }
    }

    // MARK: Events and sessions

    @Test func eventsCarryMomentsOnly() throws {
        let moment = Self.moment(1_714_554_000.9)
        let first = InfobipEvent(
            "event1",
            properties: [
                "s": "x", "b": true, "n": 9.5, "d": .dateTime(moment), "k": nil,
                "day": .date(CalendarDay(moment)),
            ]
        )
        let elements = [
            InfobipEventBody.element(first, at: Self.moment(0)),
            InfobipEventBody.element(InfobipEvent("event2"), at: moment),
        ]
        #expect(
            Samples.text(InfobipEventBody.encoded(elements))
                == #"{"events":[{"date":"1970-01-01T00:00:00Z","definitionId":"event1","properties":{"b":true,"#
                + #""d":"2024-05-01T09:00:00Z","day":"2024-05-01T00:00:00Z","k":null,"n":9.5,"s":"x"}},"#
                + #"{"date":"2024-05-01T09:00:00Z","definitionId":"event2"}]}"#
        )
    }

    @Test func sessionsOfOneSecondAreOneAndTheLaterEndWins() {
        let system = InfobipSystemData(InfobipInstallationSystem(), pushServiceType: "APNS", notificationsEnabled: true)
        let start = Self.moment(1_714_550_400)
        let body = UserSessionsBody(
            starts: [Self.moment(1_714_554_000.2), Self.moment(1_714_554_000.8)],
            bounds: [
                UserSessionsBody.Bounds(start: start, end: Self.moment(1_714_550_605)),
                UserSessionsBody.Bounds(start: start + 0.5, end: Self.moment(1_714_550_600)),
            ],
            system: system
        )
        let block = #""systemData":{"notificationsEnabled":true,"pushServiceType":"APNS"}}"#
        #expect(
            Samples.text(body.encoded())
                == #"{"sessionBounds":{"2024-05-01T08:00:00Z":"2024-05-01T08:03:25Z"},"#
                + #""sessionStarts":["2024-05-01T09:00:00Z"],"# + block
        )
        let none = UserSessionsBody(starts: [], bounds: [], system: system)
        #expect(Samples.text(none.encoded()) == "{" + block)
    }
}
