// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// The worked examples of the vendor's guides through the runtime, forty expectations.
///
/// Eight steps under three strategies, six under best match, two ties, eight of protection; the users have the numbers of
/// the guides.
@Suite(.watched) struct IdentityStrategyTests {
    static let e1 = "ed.hyde@example.com"
    static let e2 = "h.jekyll.md@example.com"
    static let poole = "poole@example.com"

    /// What a step expects: who it led to, who is orphaned, and what identities that user then has.
    struct Step {
        let title: String
        let mpid: Int64
        let identities: [IdentityType: Set<String>]
        var isKnown = false
        var orphans: Set<Int64> = []
    }

    static let device: [IdentityType: Set<String>] = [.iosVendorID: ["9876"]]
    static let before: [IdentityType: Set<String>] = [.customerID: ["ABC123"], .email: [e1], .iosVendorID: ["9876"]]
    static let after: [IdentityType: Set<String>] = [.customerID: ["ABC123"], .email: [e2], .iosVendorID: ["9876"]]
    static let everywhere = after.merging([.rokuAdvertisingID: ["8765"]]) { $1 }

    static func steps(
        signUp: Int64,
        logout: Int64,
        feed: Int64,
        newDevice: Int64,
        isFeedKnown: Bool
    ) -> [Step] {
        [
            Step(title: "1 launch", mpid: 1234, identities: device),
            Step(title: "2 sign-up", mpid: signUp, identities: before, isKnown: true),
            Step(title: "3 logout", mpid: logout, identities: device),
            Step(title: "4 support e-mail", mpid: feed, identities: [.email: [e2]], isKnown: isFeedKnown),
            Step(title: "5 returning user", mpid: signUp, identities: before, isKnown: true),
            Step(title: "6 new e-mail", mpid: signUp, identities: after, isKnown: true, orphans: [feed]),
            Step(title: "7 new device", mpid: newDevice, identities: [.rokuAdvertisingID: ["8765"]], orphans: [feed]),
            Step(title: "8 login there", mpid: signUp, identities: everywhere, isKnown: true, orphans: [feed]),
        ]
    }

    static let conversion = steps(signUp: 1234, logout: 2345, feed: 3456, newDevice: 4567, isFeedKnown: false)
    static let link = steps(signUp: 2345, logout: 3456, feed: 4567, newDevice: 5678, isFeedKnown: true)
    static let isolation = steps(signUp: 2345, logout: 1234, feed: 3456, newDevice: 4567, isFeedKnown: true)

    static func configuration(
        _ strategy: IdentityStrategy,
        priority: [IdentityType] = [.customerID, .email, .iosVendorID, .rokuAdvertisingID],
        unique: Set<IdentityType>? = nil,
        login: Set<IdentityType>? = nil,
        immutable: Set<IdentityType> = [],
        mpids: [Int64] = [1234, 2345, 3456, 4567, 5678]
    ) -> EmulatorConfiguration {
        EmulatorConfiguration(
            strategy: strategy,
            priority: priority,
            uniqueIdentities: unique,
            loginIdentities: login,
            immutableIdentities: immutable,
            mpids: .listed(mpids)
        )
    }

    private static func expect(
        _ step: Step,
        _ mpid: MPID?,
        _ emulator: Emulator,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let title = Comment(rawValue: step.title)
        let user = emulator.user(IdentityFixture.mpid(step.mpid))
        // The stamp of the installation is no identity of the guides; the runtime adds it to all requests.
        let identities = user?.identities.filter { $0.key != .deviceApplicationStamp }
        #expect(mpid?.rawValue == step.mpid, title, sourceLocation: location)
        #expect(identities == step.identities, title, sourceLocation: location)
        #expect(user?.isKnown == step.isKnown, title, sourceLocation: location)
        let orphans = emulator.users().filter(\.isOrphaned).map(\.mpid.rawValue)
        #expect(Set(orphans) == step.orphans, title, sourceLocation: location)
    }

    /// Plays the eight steps on two devices.
    private static func play(
        _ steps: [Step],
        _ configuration: EmulatorConfiguration,
        on defaults: Defaults
    ) async throws {
        #expect(steps.count == 8)
        let folder = try TemporaryFolder()
        try await defaults.withEmulatedSignet(in: folder.path, emulator: configuration) { signet in
            let phone = try await signet.runtime.open("phone", identify: .request([.iosVendorID: "9876"]))
            Self.expect(steps[0], try await phone.initialIdentifyResult().user.mpid, signet.emulator)
            let jekyll: IdentityRequest = [.customerID: "ABC123", .email: e1, .iosVendorID: "9876"]
            Self.expect(steps[1], try await phone.login(jekyll).user.mpid, signet.emulator)
            Self.expect(steps[2], try await phone.logout([.iosVendorID: "9876"]).user.mpid, signet.emulator)
            Self.expect(steps[3], try await Self.feed(e2, to: signet.emulator), signet.emulator)
            Self.expect(steps[4], try await phone.login(jekyll).user.mpid, signet.emulator)
            let modified = try await phone.modify([.email: e2])
            #expect(modified.affectedUsers.map(\.mpid.rawValue) == Array(steps[5].orphans))
            Self.expect(steps[5], modified.user.mpid, signet.emulator)
            let player = try await signet.runtime.open("player", identify: .request([.rokuAdvertisingID: "8765"]))
            Self.expect(steps[6], try await player.initialIdentifyResult().user.mpid, signet.emulator)
            let there: IdentityRequest = [.customerID: "ABC123", .email: e2, .rokuAdvertisingID: "8765"]
            let result = try await player.login(there)
            Self.expect(steps[7], result.user.mpid, signet.emulator)
            #expect(result.user.isLoggedIn)
            #expect(result.previousUser?.mpid.rawValue == steps[6].mpid)
        }
    }

    /// Data that reaches the platform with an e-mail only, not from a client.
    private static func feed(_ email: String, to emulator: Emulator) async throws -> MPID? {
        var headers = HTTPHeaders()
        let login = Base64.encode(Array("us1-emulated:emulated-secret".utf8))
        headers.append(name: "Authorization", value: "Basic \(login)")
        headers.append(name: "Content-Type", value: "application/json")
        let body = #"{"environment":"production","user_identities":{"email":"\#(email)"}}"#
        let answer = await emulator.handle(
            TransportRequest(
                method: .post,
                url: "https://s2s.mparticle.com/v2/events",
                headers: headers,
                body: Array(body.utf8)
            )
        )
        #expect(answer.status == 202)
        return emulator.batches().last?.mpid
    }

    // MARK: - 24 + 6 steps

    @Test(arguments: Defaults.allCases) func infobipConversionIsAsInTheGuide(_ defaults: Defaults) async throws {
        try await Self.play(
            Self.conversion,
            Self.configuration(.conversion, unique: [.customerID, .email]),
            on: defaults
        )
    }

    @Test(arguments: Defaults.allCases) func infobipLinkIsAsInTheGuide(_ defaults: Defaults) async throws {
        try await Self.play(Self.link, Self.configuration(.link), on: defaults)
    }

    @Test(arguments: Defaults.allCases) func infobipIsolationIsAsInTheGuide(_ defaults: Defaults) async throws {
        try await Self.play(Self.isolation, Self.configuration(.isolation), on: defaults)
    }

    @Test(arguments: Defaults.allCases) func bestMatchIsAsInTheGuide(_ defaults: Defaults) async throws {
        let folder = try TemporaryFolder()
        let configuration = Self.configuration(.bestMatch, priority: [.email, .iosVendorID, .androidUUID])
        try await defaults.withEmulatedSignet(in: folder.path, emulator: configuration) { signet in
            let emulator = signet.emulator
            let phone = try await signet.runtime.open("phone", identify: .request([.iosVendorID: "9876"]))
            Self.expect(
                Step(title: "1", mpid: 1234, identities: Self.device),
                try await phone.initialIdentifyResult().user.mpid,
                emulator
            )
            var holds: [IdentityType: Set<String>] = [.email: [Self.e1], .iosVendorID: ["9876"]]
            let second = try await phone.identify([.email: Self.e1, .iosVendorID: "9876"])
            Self.expect(Step(title: "2", mpid: 1234, identities: holds), second.user.mpid, emulator)
            holds[.email] = [Self.e2]
            let third = try await phone.modify([.email: Self.e2])
            Self.expect(Step(title: "3", mpid: 1234, identities: holds), third.user.mpid, emulator)
            holds[.email] = [Self.e2, Self.poole]
            let fourth = try await phone.identify([.email: Self.poole, .iosVendorID: "9876"])
            Self.expect(Step(title: "4", mpid: 1234, identities: holds), fourth.user.mpid, emulator)
            let tablet = try await signet.runtime.open("tablet", identify: .request([.androidUUID: "8765"]))
            let fifth = try await tablet.initialIdentifyResult()
            Self.expect(Step(title: "5", mpid: 2345, identities: [.androidUUID: ["8765"]]), fifth.user.mpid, emulator)
            holds[.androidUUID] = ["8765"]
            let sixth = try await tablet.identify([.androidUUID: "8765", .email: Self.poole])
            Self.expect(Step(title: "6", mpid: 1234, identities: holds), sixth.user.mpid, emulator)
        }
    }

    // MARK: - 2 ties

    private static func tied(
        _ priority: [IdentityType],
        _ request: IdentityRequest,
        on defaults: Defaults
    ) async throws -> Int64? {
        let folder = try TemporaryFolder()
        let configuration = Self.configuration(.conversion, priority: priority, mpids: [1, 2, 3])
        return try await defaults.withEmulatedSignet(in: folder.path, emulator: configuration) { signet in
            let first: IdentityRequest = [.iosVendorID: "1234", .other: "AAAA"]
            let second: IdentityRequest = [.androidAdvertisingID: "2345", .other: "BBBB"]
            for (id, request) in [("1", first), ("2", second)] {
                let installation = try await signet.runtime.open(InstallationID(id), identify: .request(request))
                _ = try await installation.initialIdentifyResult()
                _ = try await installation.modify([.email: Self.e2])
            }
            let searching = try await signet.runtime.open("3", identify: .none)
            guard case .found(let match) = try await searching.search(request) else { return nil }
            return match.mpid.rawValue
        }
    }

    @Test(arguments: Defaults.allCases) func theNextTypeOfThePriorityBreaksATie(_ defaults: Defaults) async throws {
        let priority: [IdentityType] = [.customerID, .email, .other, .iosVendorID, .androidAdvertisingID]
        #expect(
            try await Self.tied(priority, [.email: Self.e2, .other: "AAAA", .iosVendorID: "2345"], on: defaults) == 1
        )
    }

    @Test(arguments: Defaults.allCases) func aTypeThatTheRequestLacksBreaksNoTie(_ defaults: Defaults) async throws {
        let priority: [IdentityType] = [.customerID, .email, .iosVendorID, .androidAdvertisingID]
        #expect(try await Self.tied(priority, [.email: Self.e2, .androidAdvertisingID: "2345"], on: defaults) == 2)
    }

    // MARK: - 8 of protection

    /// User 1234 has a customer id, an e-mail and a device; user 5678 has the other e-mail.
    private static func protected(
        on defaults: Defaults,
        login: Set<IdentityType> = [],
        immutable: Set<IdentityType> = [],
        unique: Set<IdentityType> = [],
        _ body: (Installation, Installation, Emulator) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let configuration = Self.configuration(
            .conversion,
            priority: [.customerID, .email, .iosVendorID],
            unique: unique,
            login: login,
            immutable: immutable,
            mpids: [1234, 5678, 9999]
        )
        try await defaults.withEmulatedSignet(in: folder.path, emulator: configuration) { signet in
            let jekyll: IdentityRequest = [.customerID: "h.jekyll.85", .email: Self.e1, .iosVendorID: "1234"]
            let first = try await signet.runtime.open("1", identify: .request(jekyll))
            #expect(try await first.initialIdentifyResult().user.mpid.rawValue == 1234)
            let second = try await signet.runtime.open("2", identify: .request([.email: Self.e2]))
            #expect(try await second.initialIdentifyResult().user.mpid.rawValue == 5678)
            try await body(first, try await signet.runtime.open("3", identify: .none), signet.emulator)
        }
    }

    @Test(arguments: Defaults.allCases) func oneOfTwoLoginIdentitiesIsEnough(_ defaults: Defaults) async throws {
        try await Self.protected(on: defaults, login: [.email, .customerID]) { _, new, _ in
            let user = try await new.identify([.email: Self.e1]).user
            #expect(user.mpid.rawValue == 1234)
        }
    }

    @Test(arguments: Defaults.allCases) func aLoginIdentityFindsItsUserFromANewDevice(_ defaults: Defaults) async throws
    {
        try await Self.protected(on: defaults, login: [.email]) { _, new, _ in
            let user = try await new.identify([.email: Self.e2, .iosVendorID: "5678"]).user
            #expect(user.mpid.rawValue == 5678)
        }
    }

    @Test(arguments: Defaults.allCases) func aKnownUserIsNotFoundByTheDevice(_ defaults: Defaults) async throws {
        try await Self.protected(on: defaults, login: [.email]) { _, new, _ in
            let user = try await new.identify([.iosVendorID: "1234"]).user
            #expect(user.mpid.rawValue == 9999)
            #expect(!user.isLoggedIn)
        }
    }

    @Test(arguments: Defaults.allCases) func anImmutableIdentityFindsItsUser(_ defaults: Defaults) async throws {
        try await Self.protected(on: defaults, immutable: [.customerID]) { _, new, _ in
            guard case .found(let match) = try await new.search([.customerID: "h.jekyll.85"]) else {
                Issue.record("Nobody was found.")
                return
            }
            #expect(match.mpid.rawValue == 1234)
        }
    }

    @Test(arguments: Defaults.allCases) func aSearchWithoutTheImmutableIdentityFindsNobody(
        _ defaults: Defaults
    ) async throws {
        try await Self.protected(on: defaults, immutable: [.customerID]) { _, new, _ in
            let found = try await new.search([.email: Self.e2])
            #expect(found == .notFound)
        }
    }

    @Test(arguments: Defaults.allCases) func aSearchForAnUnknownImmutableIdentityCreatesNobody(
        _ defaults: Defaults
    ) async throws {
        try await Self.protected(on: defaults, immutable: [.customerID]) { _, new, emulator in
            let found = try await new.search([.customerID: "9101"])
            #expect(found == .notFound)
            #expect(emulator.users().count == 2)
        }
    }

    @Test(arguments: Defaults.allCases) func aUniqueIdentityIsTakenFromWhoeverHasIt(_ defaults: Defaults) async throws {
        try await Self.protected(on: defaults, unique: [.email]) { first, _, emulator in
            let result = try await first.modify([.email: Self.e2])
            #expect(result.user.mpid.rawValue == 1234)
            let loser = ModifyResult.AffectedUser(mpid: IdentityFixture.mpid(5678), identityType: .email)
            #expect(result.affectedUsers == [loser])
            #expect(emulator.user(IdentityFixture.mpid(1234))?.identities[.email] == [Self.e2])
            #expect(emulator.user(IdentityFixture.mpid(5678))?.identities[.email] == nil)
        }
    }

    @Test(arguments: Defaults.allCases) func anIdentityThatIsNotUniqueIsShared(_ defaults: Defaults) async throws {
        try await Self.protected(on: defaults) { first, _, emulator in
            let result = try await first.modify([.email: Self.e2])
            #expect(result.affectedUsers.isEmpty)
            #expect(emulator.user(IdentityFixture.mpid(1234))?.identities[.email] == [Self.e2])
            #expect(emulator.user(IdentityFixture.mpid(5678))?.identities[.email] == [Self.e2])
        }
    }
}
