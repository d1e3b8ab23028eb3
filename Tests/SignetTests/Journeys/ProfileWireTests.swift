//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetTransport
import SignetWire
import Testing

/// Two readings of one documentation: what the wire writes of profiles, the emulator takes, and the wire reads what comes
/// back.
struct ProfileWireTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let moment = Date(timeIntervalSince1970: 1_483_210_500)

    /// An installation that speaks through the wire.
    private struct Client {
        let emulator: Emulator
        var server = ProfileServer.production
        var caller = ProfileCaller(pushRegistrationID: nil, installationID: "U", sessionStart: ProfileWireTests.now)
        var token: Secret?

        init(_ emulator: Emulator) {
            self.emulator = emulator
        }

        var id: String {
            self.caller.pushRegistrationID ?? ""
        }

        func response(_ route: ProfileRoute, _ body: [UInt8] = []) async throws -> TransportResponse {
            let request = try ProfileRequestBuilder(
                application: ProfileApplication(code: "emulated-application"),
                server: self.server,
                userAgent: ProfileUserAgent.text(Self.system, bundleID: "com.example")
            ).request(
                for: route,
                body: body,
                from: self.caller,
                token: self.token,
                timeout: .seconds(20),
                responseLimit: 1 << 20
            )
            return try await self.emulator.transport.send(request)
        }

        func send(_ route: ProfileRoute, _ body: [UInt8] = []) async throws -> ProfileVerdict {
            ProfileVerdict(try await self.response(route, body), to: route, now: ProfileWireTests.now)
        }

        func data(_ route: ProfileRoute, _ body: [UInt8] = []) async throws -> [UInt8] {
            guard case .data(let bytes) = try await self.send(route, body) else {
                Issue.record("no data for \(route.name)")
                return []
            }
            return bytes
        }

        static let system = {
            var system = InstallationSystem()
            system.sdkVersion = "0.1.0"
            system.appVersion = "2.0"
            system.os = "Linux"
            system.osVersion = "6.1"
            system.deviceManufacturer = "M"
            system.deviceModel = "X"
            system.deviceName = "Ann's"
            system.deviceSecure = true
            system.language = "hr"
            system.timeZoneOffset = InstallationSystem.timeZoneOffset(seconds: -12_600)
            return system
        }()

        static func systemData(isPrivate: Bool = false) -> ProfileSystemData {
            ProfileSystemData(
                Self.system,
                pushServiceType: "APNS",
                notificationsEnabled: true,
                isPrivate: isPrivate
            )
        }

        mutating func register(_ token: Secret) async throws {
            var changes = InstallationProfileChanges()
            changes.applicationUserID = .set("u")
            changes.customAttributes = ["a": .set(1)]
            var installation = InstallationProfile()
            installation.pushServiceType = "APNS"
            installation.pushServiceToken = token
            let body = InstallationBody(installation.applying(changes), system: Self.systemData())
            let bytes = try await self.data(.createInstallation, body.encoded())
            self.caller.pushRegistrationID = try ProfileReply.installation(bytes).pushRegistrationID
        }
    }

    private static func everyChange() throws -> UserProfileChanges {
        var changes = UserProfileChanges()
        changes.externalUserID = .set("crm-7")
        changes.firstName = .set("Ann")
        changes.middleName = .set("B")
        changes.lastName = .set("O'Neil-Šimić")
        changes.gender = .set(.female)
        changes.birthday = .set(try #require(CalendarDay("1990-02-28")))
        changes.phones = .set(["+385910000000", "12345"])
        changes.emails = .set(["Ann@example.com"])
        changes.tags = .set(["b", "a"])
        changes.customAttributes = [
            "s": .set("x"), "i": .set(.integer(.max)), "n": .set(9.5), "t": .set(true), "gone": .clear,
            "d": .set(.date(CalendarDay(Self.moment))), "dt": .set(.dateTime(Self.moment)),
            "l": .set([["item": "p", "price": 1000.5, "date": .dateTime(Self.moment), "used": true, "no": nil]]),
        ]
        return changes
    }

    @Test func everyRequestIsTakenWithEveryHeader() async throws {
        let emulator = Emulator()
        var client = Client(emulator)
        try await client.register("aa")
        var other = Client(emulator)
        try await other.register("bb")
        let identity = PersonalizeBody(identity: ProfileIdentity(phones: ["+385910000000"]))
        let personalize = { (id: String) in ProfileRoute.personalize(id, ProfileRoute.PersonalizeOptions()) }
        for one in [client, other] {
            _ = try ProfileReply.user(try await one.data(personalize(one.id), identity.encoded()))
        }
        var installation = InstallationProfileChanges()
        installation.applicationUserID = .clear
        installation.isPushRegistrationEnabled = false
        installation.customAttributes = ["a": .clear, "b": .set([["x": nil]])]
        let patch = InstallationPatchBody(
            installation,
            pushServiceToken: "ab",
            system: Client.systemData(isPrivate: true)
        )
        let event = ProfileEvent("e", properties: ["d": .date(CalendarDay(Self.moment)), "n": 1, "k": nil])
        let events = ProfileEventBody.encoded([ProfileEventBody.element(event, at: Self.moment)])
        let bounds = UserSessionsBody.Bounds(start: Self.moment, end: Self.moment + 30)
        let sessions = UserSessionsBody(starts: [Self.moment], bounds: [bounds], system: Client.systemData())
        let requests: [(ProfileRoute, [UInt8])] = [
            (.updateInstallation(client.id), patch.encoded()),
            (.updateInstallation(other.id), InstallationPatchBody(otherIsPrimary: true).encoded()),
            (.updateUser(client.id), UserPatchBody(try Self.everyChange()).encoded()),
            (.customEvents(client.id, isValidated: true), events),
            (.customEvents(client.id, isValidated: false), events),
            (.sessionReports(client.id), sessions.encoded()), (.repersonalize(client.id), identity.encoded()),
            (.depersonalize(other.id), []), (.depersonalize(client.id), []), (.expireInstallation(other.id), []),
        ]
        for (route, body) in requests {
            #expect(try await client.send(route, body) == .done, "\(route.name)")
        }
        _ = try ProfileReply.installation(try await client.data(.fetchInstallation(client.id)))
        _ = try ProfileReply.user(try await client.data(.fetchUser(client.id)))
        #expect(try ProfileReply.baseURL(try await client.data(.baseURL)) == nil)
        let all = emulator.people.requests()
        #expect(all.allSatisfy { $0.faults.isEmpty && $0.status < 300 })
        #expect(Set(all.map(\.route)).count == 12)
        #expect(emulator.people.events().map(\.isRepetition) == [false, false])
        #expect(emulator.people.installation(client.id)?.sessions.map(\.end) == [Self.moment + 30])
    }

    @Test func whatIsSavedComesBack() async throws {
        let emulator = Emulator()
        var client = Client(emulator)
        try await client.register("aa")
        let changes = try Self.everyChange()
        #expect(try await client.send(.updateUser(client.id), UserPatchBody(changes).encoded()) == .done)
        let user = try ProfileReply.user(try await client.data(.fetchUser(client.id)))
        #expect(user.type == .lead)
        #expect(user.lastName == "O'Neil-Šimić")
        #expect(user.birthday?.description == "1990-02-28")
        #expect(user.phones == ["385910000000", "12345"])
        #expect(user.customAttributes["i"] == .integer(.max))
        #expect(user.customAttributes["dt"]?.moment == Self.moment)
        #expect(user.installations.map(\.pushRegistrationID) == [client.id])
        #expect(user.installations.first?.customAttributes == ["a": 1])
        #expect(user.installations.first?.system.timeZoneOffset == "GMT-03:30")
        // Nothing is left to send.
        #expect(UserPatchBody(changes, current: user).isEmpty)
    }

    @Test func refusalsAreRead() async throws {
        let emulator = Emulator()
        var client = Client(emulator)
        try await client.register("aa")
        let people = emulator.people
        people.makePerson(externalUserID: "ann", phones: ["385910000000"])
        people.makePerson(externalUserID: "bob", emails: ["bob@example.com"])
        func reason(_ route: ProfileRoute, _ body: [UInt8]) async throws -> ProfileRefusal.Reason? {
            guard case .refused(let refusal) = try await client.send(route, body) else { return nil }
            return refusal.reason
        }
        func personalize(_ identity: ProfileIdentity) async throws -> ProfileRefusal.Reason? {
            let route = ProfileRoute.personalize(client.id, ProfileRoute.PersonalizeOptions())
            return try await reason(route, PersonalizeBody(identity: identity).encoded())
        }
        func save(_ change: (inout UserProfileChanges) -> Void) async throws -> ProfileRefusal.Reason? {
            var changes = UserProfileChanges()
            change(&changes)
            return try await reason(.updateUser(client.id), UserPatchBody(changes).encoded())
        }
        #expect(try await save { $0.externalUserID = .set("ann") } == .userMergeInterrupted)
        #expect(try await save { $0.phones = .set(["1"]) } == .phoneInvalid)
        #expect(try await save { $0.emails = .set(["a"]) } == .emailInvalid)
        #expect(try await save { $0.customAttributes = ["a": .set([["x": 1], ["y": 1]])] } == .requestFormatInvalid)
        let both = ProfileIdentity(emails: ["bob@example.com"], externalUserID: "ann")
        #expect(try await personalize(both) == .ambiguousPersonalizeCandidates)
        #expect(try await personalize(ProfileIdentity()) == .userIdentityInvalid)
        #expect(try await personalize(ProfileIdentity(externalUserID: "ann")) == nil)
        #expect(try await personalize(ProfileIdentity(externalUserID: "bob")) == .personalizationImpossible)
        people.configure { $0.restrictsSensitiveData = true }
        #expect(try await save { $0.firstName = .set("a") } == .userDataRestricted)
        people.expireInstallation(client.id)
        #expect(try await save { $0.tags = .clear } == .noRegistration)
    }

    @Test func tokensAndAddressesAreThoseOfTheService() async throws {
        let emulator = Emulator()
        var client = Client(emulator)
        try await client.register("aa")
        emulator.people.configure {
            $0.requiresTokens = true
            $0.newBaseURL = "https://mobile-2.infobip.com"
            $0.baseURL = "https://mobile-3.infobip.com"
        }
        #expect(try await client.send(.fetchUser(client.id)) != .done)
        let token = emulator.people.signToken(for: "ann")
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        #expect(ProfileTokenFault.fault(in: token, now: now) == nil)
        client.token = Secret(token)
        #expect(try ProfileReply.user(try await client.data(.fetchUser(client.id))).type == .lead)
        // Not sent where it does not belong: this would be refused.
        _ = try ProfileReply.installation(try await client.data(.fetchInstallation(client.id)))
        #expect(emulator.people.requests().last?.tokenSubject == nil)
        let named = try #require(try ProfileReply.baseURL(try await client.data(.baseURL)))
        client.server = try #require(client.server.redirected(to: named))
        let headers = try await client.response(.fetchUser(client.id)).headers
        #expect(client.server.redirected(by: headers)?.announcedURL == "https://mobile-2.infobip.com")
    }
}
