// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetTransport
import SignetWire
import Testing

@testable import SignetInfobip

/// Two readings of one documentation: what the wire writes of profiles, the emulator takes, and the wire reads what comes
/// back.
struct InfobipWireTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let moment = Date(timeIntervalSince1970: 1_483_210_500)

    /// An installation that speaks through the wire.
    private struct Client {
        let emulator: Emulator
        var server = InfobipServer.production
        var caller = InfobipCaller(pushRegistrationID: nil, installationID: "U", sessionStart: InfobipWireTests.now)
        var token: Secret?

        init(_ emulator: Emulator) {
            self.emulator = emulator
        }

        var id: String {
            self.caller.pushRegistrationID ?? ""
        }

        func response(_ route: InfobipRoute, _ body: [UInt8] = []) async throws -> TransportResponse {
            let request = try InfobipRequestBuilder(
                application: InfobipApplication(code: "emulated-application"),
                server: self.server,
                userAgent: InfobipUserAgent.text(Self.system, bundleID: "com.example")
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

        func send(_ route: InfobipRoute, _ body: [UInt8] = []) async throws -> InfobipVerdict {
            InfobipVerdict(try await self.response(route, body), to: route, now: InfobipWireTests.now)
        }

        func data(_ route: InfobipRoute, _ body: [UInt8] = []) async throws -> [UInt8] {
            guard case .data(let bytes) = try await self.send(route, body) else {
                Issue.record("no data for \(route.name)")
                return []
            }
            return bytes
        }

        static let system = {
            var system = InfobipInstallationSystem()
            system.sdkVersion = "0.1.0"
            system.appVersion = "2.0"
            system.os = "Linux"
            system.osVersion = "6.1"
            system.deviceManufacturer = "M"
            system.deviceModel = "X"
            system.deviceName = "Ann's"
            system.deviceSecure = true
            system.language = "hr"
            system.timeZoneOffset = InfobipInstallationSystem.timeZoneOffset(seconds: -12_600)
            return system
        }()

        static func systemData(isPrivate: Bool = false) -> InfobipSystemData {
            InfobipSystemData(
                Self.system,
                pushServiceType: "APNS",
                notificationsEnabled: true,
                isPrivate: isPrivate
            )
        }

        mutating func register(_ token: Secret) async throws {
            var changes = InfobipInstallationChanges()
            changes.applicationUserID = .set("u")
            changes.customAttributes = ["a": .set(1)]
            var installation = InfobipInstallation()
            installation.pushServiceType = "APNS"
            installation.pushServiceToken = token
            let body = InstallationBody(installation.applying(changes), system: Self.systemData())
            let bytes = try await self.data(.createInstallation, body.encoded())
            self.caller.pushRegistrationID = try InfobipReply.installation(bytes).pushRegistrationID
        }
    }

    private static func everyChange() throws -> InfobipUserChanges {
        var changes = InfobipUserChanges()
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
        let identity = PersonalizeBody(identity: InfobipIdentity(phones: ["+385910000000"]))
        let personalize = { (id: String) in InfobipRoute.personalize(id, InfobipRoute.PersonalizeOptions()) }
        for one in [client, other] {
            _ = try InfobipReply.user(try await one.data(personalize(one.id), identity.encoded()))
        }
        var installation = InfobipInstallationChanges()
        installation.applicationUserID = .clear
        installation.isPushRegistrationEnabled = false
        installation.customAttributes = ["a": .clear, "b": .set([["x": nil]])]
        let patch = InstallationPatchBody(
            installation,
            pushServiceToken: "ab",
            system: Client.systemData(isPrivate: true)
        )
        let event = InfobipEvent("e", properties: ["d": .date(CalendarDay(Self.moment)), "n": 1, "k": nil])
        let events = InfobipEventBody.encoded([InfobipEventBody.element(event, at: Self.moment)])
        let bounds = UserSessionsBody.Bounds(start: Self.moment, end: Self.moment + 30)
        let sessions = UserSessionsBody(starts: [Self.moment], bounds: [bounds], system: Client.systemData())
        let requests: [(InfobipRoute, [UInt8])] = [
            (.updateInstallation(client.id), patch.encoded()),
            (.updateInstallation(other.id), InstallationPatchBody(otherIsPrimary: true).encoded()),
            (.updateUser(client.id), UserPatchBody(try Self.everyChange()).encoded()),
            (.customEvents(client.id, isValidated: true), events),
            (.customEvents(client.id, isValidated: false), events),
            (.sessionReports(client.id), sessions.encoded()),
            (.depersonalize(other.id), []), (.depersonalize(client.id), []), (.expireInstallation(other.id), []),
        ]
        for (route, body) in requests {
            #expect(try await client.send(route, body) == .done, "\(route.name)")
        }
        _ = try InfobipReply.installation(try await client.data(.fetchInstallation(client.id)))
        _ = try InfobipReply.user(try await client.data(.fetchUser(client.id)))
        #expect(try InfobipReply.baseURL(try await client.data(.baseURL)) == nil)
        let all = emulator.infobip.requests()
        #expect(all.allSatisfy { $0.faults.isEmpty && $0.status < 300 })
        #expect(Set(all.map(\.route)).count == 11)
        #expect(emulator.infobip.events().map(\.isRepetition) == [false, false])
        #expect(emulator.infobip.installation(client.id)?.sessions.map(\.end) == [Self.moment + 30])
    }

    @Test func whatIsSavedComesBack() async throws {
        let emulator = Emulator()
        var client = Client(emulator)
        try await client.register("aa")
        let changes = try Self.everyChange()
        #expect(try await client.send(.updateUser(client.id), UserPatchBody(changes).encoded()) == .done)
        let user = try InfobipReply.user(try await client.data(.fetchUser(client.id)))
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
        let people = emulator.infobip
        people.makePerson(externalUserID: "ann", phones: ["385910000000"])
        people.makePerson(externalUserID: "bob", emails: ["bob@example.com"])
        func reason(_ route: InfobipRoute, _ body: [UInt8]) async throws -> InfobipRefusal.Reason? {
            guard case .refused(let refusal) = try await client.send(route, body) else { return nil }
            return refusal.reason
        }
        func personalize(_ identity: InfobipIdentity) async throws -> InfobipRefusal.Reason? {
            let route = InfobipRoute.personalize(client.id, InfobipRoute.PersonalizeOptions())
            return try await reason(route, PersonalizeBody(identity: identity).encoded())
        }
        func save(_ change: (inout InfobipUserChanges) -> Void) async throws -> InfobipRefusal.Reason? {
            var changes = InfobipUserChanges()
            change(&changes)
            return try await reason(.updateUser(client.id), UserPatchBody(changes).encoded())
        }
        #expect(try await save { $0.externalUserID = .set("ann") } == .userMergeInterrupted)
        #expect(try await save { $0.phones = .set(["1"]) } == .phoneInvalid)
        #expect(try await save { $0.emails = .set(["a"]) } == .emailInvalid)
        #expect(try await save { $0.customAttributes = ["a": .set([["x": 1], ["y": 1]])] } == .requestFormatInvalid)
        let both = InfobipIdentity(emails: ["bob@example.com"], externalUserID: "ann")
        #expect(try await personalize(both) == .ambiguousPersonalizeCandidates)
        #expect(try await personalize(InfobipIdentity()) == .userIdentityInvalid)
        #expect(try await personalize(InfobipIdentity(externalUserID: "ann")) == nil)
        #expect(try await personalize(InfobipIdentity(externalUserID: "bob")) == .personalizationImpossible)
        people.configure { $0.restrictsSensitiveData = true }
        #expect(try await save { $0.firstName = .set("a") } == .userDataRestricted)
        people.expireInstallation(client.id)
        #expect(try await save { $0.tags = .clear } == .noRegistration)
    }

    @Test func tokensAndAddressesAreThoseOfTheService() async throws {
        let emulator = Emulator()
        var client = Client(emulator)
        try await client.register("aa")
        emulator.infobip.configure {
            $0.requiresTokens = true
            $0.newBaseURL = "https://mobile-2.infobip.com"
            $0.baseURL = "https://mobile-3.infobip.com"
        }
        #expect(try await client.send(.fetchUser(client.id)) != .done)
        let token = emulator.infobip.signToken(for: "ann")
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        #expect(InfobipTokenFault.fault(in: token, now: now) == nil)
        client.token = Secret(token)
        #expect(try InfobipReply.user(try await client.data(.fetchUser(client.id))).type == .lead)
        // Not sent where it does not belong: this would be refused.
        _ = try InfobipReply.installation(try await client.data(.fetchInstallation(client.id)))
        #expect(emulator.infobip.requests().last?.tokenSubject == nil)
        let named = try #require(try InfobipReply.baseURL(try await client.data(.baseURL)))
        client.server = try #require(client.server.redirected(to: named))
        let headers = try await client.response(.fetchUser(client.id)).headers
        #expect(client.server.redirected(by: headers)?.announcedURL == "https://mobile-2.infobip.com")
    }
}
