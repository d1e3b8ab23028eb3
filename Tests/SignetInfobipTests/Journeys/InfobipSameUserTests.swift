// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// A log-in that changes no MPID: Infobip is told what it does not know yet, and nothing twice.
@Suite(.watched) struct InfobipSameUserTests {
    private static let ann: IdentityRequest = [.customerID: "c-1", .email: "ann@example.com"]

    private static func link(_ settings: inout ServiceSettings) { settings.infobip?.followsLogin = true }

    private static func linkWithoutData(_ settings: inout ServiceSettings) {
        Self.link(&settings)
        settings.infobip?.persistsUserData = false
    }

    private static func without(_ settings: inout ServiceSettings) { settings.infobip = nil }

    private static func nothingFollows(_ signet: EmulatedSignet, _ it: Installation) async throws {
        let before = signet.transport.exchanges.count
        #expect(try await it.login(Self.ann).servicesFollowing.isEmpty)
        #expect(!signet.runtime.context.store.contains(StateKey.outbox("p")))
        try await it.infobip.waitUntilIdle()
        #expect(signet.transport.exchanges.count == before + 1)
    }

    private static func emails(_ world: InfobipWorld) -> [String]? {
        world.infobip.person(externalUserID: "c-1")?.emails
    }

    @Test func anAddressThatComesLaterOrChangesIsFollowed() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { signet, it in
            try await it.infobip.register()
            #expect(try await it.login([.customerID: "c-1"]).servicesFollowing == [.infobip])
            try await world.settle(it)
            #expect(Self.emails(world) == [])
            #expect(try await it.login(Self.ann).servicesFollowing == [.infobip])
            try await world.settle(it)
            #expect(Self.emails(world) == ["ann@example.com"])
            try await Self.nothingFollows(signet, it)
            #expect(try await it.modify([.email: "anna@example.com"]).servicesFollowing == [.infobip])
            try await world.settle(it)
            #expect(Self.emails(world)?.contains("anna@example.com") == true)
        }
    }

    /// In an earlier release there was no such service, or it did not follow.
    @Test(arguments: [false, true])
    func aServiceThatIsNewFollowsTheNextLoginOfTheSameUser(wasThere: Bool) async throws {
        let world = try InfobipWorld()
        if wasThere {
            try await world.live { _, it in
                try await it.infobip.register()
                try await it.login(Self.ann)
            }
        } else {
            try await world.live(configure: Self.without) { _, it in try await it.login(Self.ann) }
        }
        try await world.live(configure: Self.link) { signet, it in
            if !wasThere { try await it.infobip.register() }
            #expect(try await it.login(Self.ann).servicesFollowing == [.infobip])
            try await world.settle(it)
            #expect(Self.emails(world) == ["ann@example.com"])
            try await Self.nothingFollows(signet, it)
        }
    }

    @Test func afterTheAppsOwnCallsALoginBringsTheUserBack() async throws {
        for leaves in [true, false] {
            let world = try InfobipWorld()
            try await world.live(configure: Self.link) { signet, it in
                let id = try await it.infobip.register()
                try await it.login(Self.ann)
                try await world.settle(it)
                if leaves {
                    try await it.infobip.depersonalize()
                } else {
                    try await it.infobip.personalize(InfobipIdentity(externalUserID: "bob"), forceDepersonalize: true)
                }
                #expect(try await it.login(Self.ann).servicesFollowing == [.infobip])
                try await world.settle(it)
                #expect(world.infobip.person(of: id)?.externalUserID == "c-1", "depersonalize: \(leaves)")
                try await Self.nothingFollows(signet, it)
            }
        }
    }

    /// The app says the same as the login did.
    @Test func theAppsOwnPersonalizeOfTheSameUserChangesNothing() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { signet, it in
            try await it.infobip.register()
            try await it.login(Self.ann)
            try await world.settle(it)
            try await it.infobip.personalize(InfobipIdentity(emails: ["ann@example.com"], externalUserID: "c-1"))
            try await Self.nothingFollows(signet, it)
        }
    }

    @Test func whoWasLoggedOutFromElsewhereComesBackByALoginAndByNoStart() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { signet, it in
            let id = try await it.infobip.register()
            try await it.login(Self.ann)
            try await world.settle(it)
            let other = try await signet.runtime.open("other", identify: .none)
            try await other.infobip.register("BB")
            try await other.login(Self.ann)
            try await world.settle(other)
            try await other.infobip.fetchUser()
            try await other.infobip.depersonalizeInstallation(id)
            try await it.infobip.fetchUser()
            try await world.settle(it)
        }
        try await world.start(configure: Self.link).run { signet in
            let it = try await signet.runtime.open("p", identify: .oncePerProcess)
            #expect(try await it.initialIdentifyResult().servicesFollowing.isEmpty)
            #expect(try await it.login(Self.ann).servicesFollowing == [.infobip])
            try await world.settle(it)
            #expect(world.infobip.person(externalUserID: "c-1")?.installations.count == 2)
        }
    }

    @Test func whomInfobipRefusedIsTriedAgainByTheNextLogin() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { signet, it in
            try await it.infobip.register()
            let no = FaultInjector.Fault.refused(status: 400, code: "USER_DATA_RESTRICTED", message: "no")
            world.emulator.faults.inject(no, on: .personalize)
            try await it.login(Self.ann)
            try await world.settle(it)
            #expect(Self.emails(world) == nil)
            #expect(try await it.login(Self.ann).servicesFollowing == [.infobip])
            try await world.settle(it)
            #expect(Self.emails(world) == ["ann@example.com"])
            try await Self.nothingFollows(signet, it)
        }
    }

    /// What was told is known to the next process, though no name may be on disk.
    @Test func aRepeatedLoginOfTheNextLifeSendsNothing() async throws {
        for configure in [Self.link, Self.linkWithoutData] {
            let world = try InfobipWorld()
            try await world.live(configure: configure) { _, it in
                try await it.infobip.register()
                try await it.login(Self.ann)
                try await world.settle(it)
            }
            try await world.live(configure: configure) { signet, it in try await Self.nothingFollows(signet, it) }
        }
    }

    /// Until there is a push token nobody can be told; one entry waits.
    @Test func aLoginThatWaitsForAPushTokenIsWrittenOnce() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: Self.link) { _, it in
            #expect(try await it.login(Self.ann).servicesFollowing == [.infobip])
            #expect(try await it.login(Self.ann).servicesFollowing.isEmpty)
            let entries = try it.core.outbox().records
            #expect(entries.count == 1)
            try await it.infobip.register()
            try await world.settle(it)
            #expect(Self.emails(world) == ["ann@example.com"])
        }
    }
}
