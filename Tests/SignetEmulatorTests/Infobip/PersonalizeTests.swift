// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

/// Who an installation becomes, by what is said and by who is there.
struct PersonalizeTests {
    private static let ann = #"{"externalUserId":"ann"}"#
    private static let bob = #"{"externalUserId":"bob"}"#

    @Test func anInstallationOfNobodyBecomesACustomerOrALead() async throws {
        let platform = InfobipPlatform()
        let ids = [try await platform.register("aa"), try await platform.register("bb")]
        let lead = try #require(platform.infobip.person(of: ids[0])).number
        await platform.save(ids[0], #"{"firstName":"Ann","customAttributes":{"a":1}}"#)
        let answer = await platform.personalize(ids[0], Self.ann, attributes: #"{"lastName":"Lee","tags":["t"]}"#)
        #expect(answer.json["type"] == "CUSTOMER")
        #expect(answer.json["firstName"] == "Ann")
        #expect(answer.json["instances"]?.array?.count == 1)
        #expect(platform.infobip.person(externalUserID: "ann")?.number == lead)
        #expect(await platform.personalize(ids[1], Self.bob, keepAsLead: true).json["type"] == "LEAD")
        #expect(platform.infobip.customers().map(\.externalUserID) == ["ann"])
        #expect(platform.infobip.installations().allSatisfy { $0.isPersonalized })
        // Asked again, as after a lost answer.
        #expect(await platform.personalize(ids[1], Self.bob).json["type"] == "CUSTOMER")
        #expect(platform.infobip.people().count == 2)
    }

    @Test(arguments: [
        #"{"externalUserId":"ann"}"#, #"{"phones":[{"number":"+385910000000"}]}"#,
        #"{"emails":[{"address":"ANN@x.com"}]}"#,
    ])
    func aLeadIsMergedIntoWhoIsFound(identity: String) async throws {
        let platform = InfobipPlatform()
        let ann = platform.infobip.makePerson(externalUserID: "ann", phones: ["385910000000"], emails: ["Ann@x.com"])
        platform.infobip.updatePerson(try #require(ann), #"{"firstName":"Ann","customAttributes":{"a":1}}"#)
        let id = try await platform.register("aa")
        let lead = try #require(platform.infobip.person(of: id)).number
        let own = #""firstName":"B","lastName":"C","phones":[{"number":"12345"}],"customAttributes":{"a":2,"b":2}"#
        await platform.save(id, "{" + own + "}")
        let event = #"{"events":[{"definitionId":"e","date":"1970-01-01T00:00:00Z"}]}"#
        _ = await platform.send(.post, "appinstance/\(id)/user/events/custom?validate=0", event, as: id)
        #expect(await platform.personalize(id, identity).status == 200)
        let person = try #require(platform.infobip.person(of: id))
        #expect(person.number == ann)
        #expect(person.absorbed == [lead])
        #expect(person.firstName == "Ann")
        #expect(person.lastName == "C")
        #expect(person.phones == ["385910000000", "12345"])
        #expect(person.emails == ["Ann@x.com"])
        #expect(person.attributes == ["a": 1, "b": 2])
        #expect(platform.infobip.events(of: person.number).count == 1)
        #expect(platform.infobip.people().count == 1)
    }

    @Test func theConflictsAreRefusedAndChangeNothing() async throws {
        let platform = InfobipPlatform()
        platform.infobip.makePerson(externalUserID: "ann", phones: ["385910000000"])
        platform.infobip.makePerson(externalUserID: "bob", emails: ["bob@x.com"])
        let id = try await platform.register("aa")
        await platform.save(id, #"{"firstName":"Lea"}"#)
        let before = platform.infobip.people()
        let table = [
            (
                #"{"phones":[{"number":"385910000000"}],"emails":[{"address":"bob@x.com"}]}"#,
                "AMBIGUOUS_PERSONALIZE_CANDIDATES"
            ),
            (#"{"externalUserId":"ann","emails":[{"address":"bob@x.com"}]}"#, "AMBIGUOUS_PERSONALIZE_CANDIDATES"),
            (#"{"phones":[{"number":"385910000000"}],"externalUserId":"carl"}"#, "USER_MERGE_INTERRUPTED"),
            (#"{}"#, "USER_IDENTITY_INVALID"), (#"{"phones":[]}"#, "USER_IDENTITY_INVALID"),
            (#"{"externalUserId":"Null"}"#, "USER_IDENTITY_INVALID"),
            (#"{"phones":[{"number":"12 34567"}]}"#, "PHONE_INVALID"),
            (#"{"phones":[{"number":"1234"}]}"#, "PHONE_INVALID"),
            (#"{"emails":[{"address":"a@b@c"}]}"#, "EMAIL_INVALID"),
        ]
        for (identity, code) in table {
            for force in [false, true] {
                #expect(await platform.personalize(id, identity, force: force).messageID == code, "\(identity)")
            }
        }
        #expect(platform.infobip.people() == before)
    }

    @Test func whoIsSomebodyStaysSoUnlessForced() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        await platform.personalize(id, Self.ann, primary: true)
        await platform.change(id, #"{"customAttributes":{"a":1}}"#)
        #expect(await platform.personalize(id, Self.bob).messageID == "PERSONALIZATION_IMPOSSIBLE")
        #expect(platform.infobip.person(of: id)?.externalUserID == "ann")
        #expect(await platform.personalize(id, Self.bob, force: true).json["externalUserId"] == "bob")
        #expect(platform.infobip.person(externalUserID: "ann")?.installations == [])
        #expect(platform.infobip.installation(id)?.isPrimary == false)
        #expect(platform.infobip.installation(id)?.attributesJSON == "{}")
    }

    @Test func aKeptLeadIsSomebodyToo() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        await platform.personalize(id, Self.ann, keepAsLead: true)
        #expect(await platform.personalize(id, Self.bob).messageID == "PERSONALIZATION_IMPOSSIBLE")
    }

    @Test func aLeadThatOthersJoinedIsSomebodyToo() async throws {
        let platform = InfobipPlatform()
        let ids = [try await platform.register("aa"), try await platform.register("bb")]
        await platform.save(ids[0], #"{"phones":[{"number":"12345"}]}"#)
        await platform.personalize(ids[1], #"{"phones":[{"number":"12345"}]}"#)
        #expect(platform.infobip.person(of: ids[0])?.installations == ids)
        #expect(await platform.personalize(ids[0], Self.bob).messageID == "PERSONALIZATION_IMPOSSIBLE")
    }

    @Test func depersonalizingMakesANewLeadOfOnesOwnOrOfAnother() async throws {
        let platform = InfobipPlatform()
        let ids = [try await platform.register("aa"), try await platform.register("bb")]
        let stranger = try await platform.register("cc")
        for id in ids {
            await platform.personalize(id, Self.ann, primary: true)
        }
        #expect(await platform.depersonalize(ids[1], as: stranger).messageID == "NO_REGISTRATION")
        #expect(await platform.depersonalize(ids[1], as: ids[0]).status == 204)
        #expect(platform.infobip.person(externalUserID: "ann")?.installations == [ids[0]])
        #expect(platform.infobip.installation(ids[1])?.isPrimary == false)
        #expect(platform.infobip.installation(ids[1])?.isPersonalized == false)
        #expect(await platform.depersonalize(ids[0]).status == 204)
        #expect(await platform.depersonalize(ids[0]).status == 204)
        #expect(await platform.fetch(ids[0]).json["externalUserId"] == nil)
        #expect(platform.infobip.person(externalUserID: "ann")?.isCustomer == true)
        // The customer, and one lead for each installation.
        #expect(platform.infobip.people().count == 4)
    }

    @Test func anInstallationThatWasLostIsPersonalizedAgain() async throws {
        let platform = InfobipPlatform()
        let old = try await platform.register("aa")
        await platform.personalize(old, Self.ann, keepAsLead: true)
        platform.infobip.expireInstallation(old)
        let new = try await platform.register("aa")
        let body = #"{"userIdentity":\#(Self.ann),"userAttributes":{"firstName":"Ann"}}"#
        let answer = await platform.send(.post, "appinstance/\(new)/repersonalize", body, as: new)
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        #expect(platform.infobip.person(of: new)?.externalUserID == "ann")
        #expect(platform.infobip.person(of: new)?.isCustomer == false)
        #expect(platform.infobip.person(of: new)?.firstName == "Ann")
    }
}
