// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetTransport
import Testing

/// What each of the twelve endpoints does to what the application knows.
struct InfobipRequestHandlerTests {
    private static let phone = #"{"phones":[{"number":"385910000000"}]}"#

    @Test func aRegistrationIsALeadThatNothingIsKnownOf() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("AA01")
        let person = try #require(platform.infobip.person(of: id))
        #expect(!person.isCustomer)
        #expect(person.installations == [id])
        let installation = try #require(platform.infobip.installation(id))
        #expect(installation.pushToken == "aa01")
        #expect(installation.isEnabled)
        #expect(!installation.isPrimary)
        #expect(installation.universalID == "U")
        #expect(installation.system["os"] == "iOS")
        #expect(platform.infobip.requests().allSatisfy { $0.faults.isEmpty })
    }

    @Test func aTokenThatIsRegisteredGetsItsRegistrationAgain() async throws {
        let platform = InfobipPlatform()
        let first = try await platform.register("aa01")
        #expect(try await platform.register("AA01") == first)
        #expect(try await platform.register("aa02") != first)
        #expect(platform.infobip.installation(first)?.registrations == 2)
        #expect(platform.infobip.installations().count == 2)
    }

    @Test func aTokenReachesWhoHadItLast() async throws {
        let platform = InfobipPlatform()
        let ids = [try await platform.register("aa"), try await platform.register("bb")]
        await platform.change(ids[1], #"{"pushServiceToken":"aa"}"#)
        #expect(try await platform.register("aa") == ids[1])
        #expect(!ids.contains(try await platform.register("bb")))
        platform.infobip.expireInstallation(ids[1])
        #expect(!ids.contains(try await platform.register("aa")))
    }

    @Test func anInstallationIsHandedOutWithItsTokenWhereAskedFor() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        let with = await platform.send(.get, "appinstance/\(id)?rt=1", as: id)
        let without = await platform.send(.get, "appinstance/\(id)?rt=0", as: id)
        #expect(with.json["pushServiceToken"]?.string == "aa")
        #expect(without.json["pushServiceToken"] == nil)
        #expect(without.json["pushRegId"]?.string == id)
        #expect(without.json["regEnabled"]?.bool == true)
    }

    @Test func anInstallationIsChangedMemberByMember() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        let body = #"{"applicationUserId":"u","customAttributes":{"a":1,"b":"x"},"regEnabled":false,"isPrimary":true}"#
        let answer = await platform.change(id, body)
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        #expect(platform.infobip.installation(id)?.applicationUserID == "u")
        #expect(platform.infobip.installation(id)?.isEnabled == false)
        #expect(platform.infobip.installation(id)?.isPrimary == true)
        await platform.change(id, #"{"applicationUserId":null,"customAttributes":{"a":null}}"#)
        #expect(platform.infobip.installation(id)?.applicationUserID == nil)
        #expect(platform.infobip.installation(id)?.attributesJSON == #"{"b":"x"}"#)
        await platform.change(id, #"{"customAttributes":{}}"#)
        #expect(platform.infobip.installation(id)?.attributesJSON == #"{"b":"x"}"#)
        await platform.change(id, #"{"customAttributes":null}"#)
        #expect(platform.infobip.installation(id)?.attributesJSON == "{}")
    }

    @Test func anAndroidClientPatchesByPost() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        let headers = InfobipPlatform.headers(id) + [("X-HTTP-Method-Override", "PATCH")]
        let request = InfobipPlatform.request(.post, "appinstance/\(id)", #"{"language":"hr"}"#, headers: headers)
        #expect(await platform.emulator.handle(request).status == 204)
        #expect(platform.infobip.installation(id)?.system["language"] == "hr")
    }

    @Test func anOrphanIsEndedByItsSuccessorOnceAndForAll() async throws {
        let platform = InfobipPlatform()
        let old = try await platform.register("aa")
        let new = try await platform.register("bb")
        for _ in 0..<2 {
            #expect(await platform.send(.delete, "appinstance/\(old)", as: new).status == 204)
        }
        #expect(platform.infobip.installations().map(\.id) == [new])
        #expect(platform.infobip.people().count == 1)
        #expect(await platform.send(.delete, "appinstance/\(new)", as: new).messageID == "7")
        #expect(await platform.fetch(old).messageID == "NO_REGISTRATION")
    }

    @Test func aPersonIsChangedMemberByMember() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        let body = #"""
            {"firstName":"Ann","middleName":"B","lastName":"C","gender":"Female","birthday":"1990-02-28",
            "phones":[{"number":"+385910000000"}],"emails":[{"address":"Ann@example.com"}],"tags":["a","b"],
            "externalUserId":"crm-7","customAttributes":{"s":"x","n":9.5,"t":true,"l":[{"i":"p","u":1}]}}
            """#
        #expect(await platform.save(id, body).status == 204)
        let json = await platform.fetch(id).json
        #expect(json["type"] == "LEAD")
        #expect(json["phones"] == [["number": "385910000000", "preferred": true]])
        #expect(json["emails"] == [["address": "Ann@example.com", "preferred": true]])
        #expect(json["tags"] == ["a", "b"])
        #expect(json["customAttributes"] == ["s": "x", "n": 9.5, "t": true, "l": [["i": "p", "u": 1]]])
        #expect(json["instances"]?.array?.first?["pushRegId"]?.string == id)
        #expect(json["birthday"] == "1990-02-28")
        let change = #"{"firstName":null,"phones":null,"emails":[],"tags":["c"],"customAttributes":{"s":null}}"#
        await platform.save(id, change)
        let person = try #require(platform.infobip.person(externalUserID: "crm-7"))
        #expect(person.firstName == nil)
        #expect(person.lastName == "C")
        #expect(person.phones.isEmpty)
        #expect(person.emails.isEmpty)
        #expect(person.tags == ["c"])
        #expect(person.attributes == ["n": .double(9.5), "t": true])
    }

    @Test(arguments: ["null", "NULL", "Null", ""])
    func nullInAnySpellingIsNoExternalID(text: String) async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        await platform.save(id, #"{"externalUserId":"crm-7"}"#)
        await platform.save(id, #"{"externalUserId":"\#(text)"}"#)
        #expect(platform.infobip.person(of: id)?.externalUserID == nil)
    }

    @Test func whatIsAnothersInterruptsAChange() async throws {
        let platform = InfobipPlatform()
        platform.infobip.makePerson(externalUserID: "crm-7", phones: ["385910000000"], emails: ["ann@example.com"])
        let id = try await platform.register("aa")
        for contact in [
            #""phones":[{"number":"385910000000"}]"#, #""emails":[{"address":"ANN@example.com"}]"#,
            #""externalUserId":"crm-7""#,
        ] {
            let answer = await platform.save(id, #"{"firstName":"B",\#(contact)}"#)
            #expect(answer.messageID == "USER_MERGE_INTERRUPTED")
        }
        #expect(platform.infobip.person(of: id)?.firstName == nil)
        // Case tells external ids apart.
        #expect(await platform.save(id, #"{"externalUserId":"CRM-7"}"#).status == 204)
    }

    @Test func ofOnePersonsInstallationsOneIsPrimary() async throws {
        let platform = InfobipPlatform()
        let ids = [try await platform.register("aa"), try await platform.register("bb")]
        for id in ids {
            await platform.personalize(id, Self.phone, primary: true)
        }
        #expect(platform.infobip.installation(ids[0])?.isPrimary == false)
        #expect(platform.infobip.installation(ids[1])?.isPrimary == true)
        #expect(await platform.change(ids[0], #"{"isPrimary":true}"#, as: ids[1]).status == 204)
        #expect(platform.infobip.installation(ids[0])?.isPrimary == true)
        #expect(platform.infobip.installation(ids[1])?.isPrimary == false)
        #expect(await platform.change(ids[0], #"{"isPrimary":false}"#, as: ids[1]).status == 204)
        #expect(platform.infobip.installations().allSatisfy { !$0.isPrimary })
        let tooMuch = await platform.change(ids[0], #"{"isPrimary":true,"language":"hr"}"#, as: ids[1])
        #expect(tooMuch.messageID == "7")
    }

    @Test func sessionsAreKeptByTheirStartAndTheLaterEndWins() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        for bounds in ["08:03:25", "08:02:00"] {
            let body = #"""
                {"sessionStarts":["2024-05-01T09:00:00Z"],"sessionBounds":{"2024-05-01T08:00:00Z":"2024-05-01T\#(bounds)Z"},
                "systemData":{"os":"iOS"}}
                """#
            let answer = await platform.send(.post, "appinstance/\(id)/user/events/session", body, as: id)
            #expect(answer.status == 204)
        }
        let sessions = try #require(platform.infobip.installation(id)?.sessions)
        #expect(sessions.map { $0.end.map { Int64($0.timeIntervalSince1970) } } == [1_714_550_605, nil])
        #expect(sessions.map { Int64($0.start.timeIntervalSince1970) } == [1_714_550_400, 1_714_554_000])
    }

    @Test func eventsAreThePersonsAndRepetitionsAreTold() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        let body = #"{"events":[{"definitionId":"e","date":"1970-01-01T00:00:00Z","properties":{"s":"x","k":null}}]}"#
        for _ in 0..<2 {
            let answer = await platform.send(.post, "appinstance/\(id)/user/events/custom?validate=0", body, as: id)
            #expect(answer.status == 204)
        }
        let person = try #require(platform.infobip.person(of: id))
        let events = platform.infobip.events(of: person.number)
        #expect(events.map(\.isRepetition) == [false, true])
        #expect(events.map(\.properties) == [["s": "x"], ["s": "x"]])
        #expect(events.allSatisfy { $0.date.timeIntervalSince1970 == 0 && !$0.isValidated && $0.installation == id })
    }

    @Test func eventsThatAreNotDefinedAreRefusedOrSilenced() async throws {
        let platform = InfobipPlatform()
        platform.infobip.configure { $0.eventDefinitions = ["known"] }
        let id = try await platform.register("aa")
        let events = ["known", "unknown"].map { #"{"definitionId":"\#($0)","date":"2024-05-01T09:00:00Z"}"# }
        let body = #"{"events":[\#(events.joined(separator: ","))]}"#
        let path = "appinstance/\(id)/user/events/custom?validate="
        #expect(await platform.send(.post, path + "1", body, as: id).messageID == "REQUEST_FORMAT_INVALID")
        #expect(platform.infobip.events().isEmpty)
        #expect(await platform.send(.post, path + "0", body, as: id).status == 204)
        #expect(platform.infobip.events().map(\.definitionID) == ["known"])
    }

    @Test func theAddressIsToldWhenAskedAndInAHeaderWhenItChanges() async throws {
        let platform = InfobipPlatform()
        #expect(await platform.send(.get, "baseurl", as: nil).json == [:])
        platform.infobip.configure {
            $0.baseURL = "https://mobile-2.infobip.com"
            $0.newBaseURL = "https://mobile-3.infobip.com"
        }
        let answer = await platform.send(.get, "baseurl", as: nil)
        #expect(answer.json == ["baseUrl": "https://mobile-2.infobip.com"])
        #expect(answer.headers["new-base-url"] == "https://mobile-3.infobip.com")
        #expect(await platform.fetch("nobody").headers["New-Base-URL"] == "https://mobile-3.infobip.com")
    }

    @Test func aRegistrationThatExpiredIsNone() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        #expect(platform.infobip.expireInstallation(id))
        #expect(!platform.infobip.expireInstallation(id))
        #expect(await platform.fetch(id).messageID == "NO_REGISTRATION")
        #expect(await platform.change(id, #"{"language":"hr"}"#).messageID == "NO_REGISTRATION")
        #expect(await platform.personalize(id, Self.phone).messageID == "NO_REGISTRATION")
        #expect(platform.infobip.people().isEmpty)
        #expect(try await platform.register("aa") != id)
    }
}
