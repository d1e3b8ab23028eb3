// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// The previous user is a guest only if they were never known here: the data of a guest go to the next customer.
@Suite(.watched) struct PreviousGuestTests {
    private static func visitor(
        _ strategy: IdentityStrategy,
        _ body: @Sendable (Installation, EmulatedSignet) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let platform = Emulator(
            EmulatorConfiguration(strategy: strategy),
            clock: clock,
            wallClock: { clock.date }
        )
        try await EmulatedSignet(in: folder.path, platform: platform, clock: clock).run { signet in
            try await body(try await signet.runtime.open("one", identify: .none), signet)
        }
    }

    @Test(arguments: [IdentityStrategy.link, .isolation]) func whoWasNeverKnownIsAGuest(
        strategy: IdentityStrategy
    ) async throws {
        try await Self.visitor(strategy) { visitor, _ in
            // An id of the browser names nobody.
            let guest = try await visitor.identify([.other: "browser-1"]).user
            let result = try await visitor.login([.customerID: "ann"])
            #expect(result.previousGuest?.mpid == guest.mpid)
        }
    }

    /// `welcome` of Identity.md, on a clock that stands still: the guest was seen for no time at all.
    @Test func aGuestOfTheSameMillisecondBecomesACustomer() async throws {
        let folder = try TemporaryFolder()
        let emulator = try await withEmulatedSignet(
            in: folder.path,
            emulator: EmulatorConfiguration(strategy: .link)
        ) { signet in
            let visitor = try await signet.runtime.open("one")
            _ = try await visitor.initialIdentifyResult()
            try await visitor.setAttribute("tea", for: "taste")
            try visitor.log(.custom("looked"))
            let result = try await visitor.login([.customerID: "ann"])
            let guest = try #require(result.previousGuest)
            #expect(guest.firstSeen == guest.lastSeen)
            try await visitor.alias(AliasRequest(source: guest, destination: result.user))
            try await visitor.copyAttributes(after: result)
            #expect(visitor.currentUser?.attributes["taste"]?.text == "tea")
            return signet.emulator
        }
        #expect(emulator.aliases().count == 1)
    }

    @Test(arguments: [IdentityStrategy.link, .isolation]) func aCustomerWithoutNamesIsNoGuest(
        strategy: IdentityStrategy
    ) async throws {
        try await Self.visitor(strategy) { visitor, _ in
            let customer = try await visitor.login([.customerID: "ann"]).user
            try await visitor.setAttribute("ann's secret", for: "note")
            _ = try await visitor.modify([.customerID: nil])
            _ = try await visitor.identify()
            let result = try await visitor.login([.customerID: "bob"])
            // The platform has found the same user again, without a name.
            #expect(result.previousUser?.mpid == customer.mpid)
            #expect(result.previousGuest == nil)
        }
    }

    @Test func aCustomerOfAnAnswerThatDoesNotSayTheyAreLoggedInIsNoGuest() async throws {
        try await Self.visitor(.link) { visitor, signet in
            for (number, name) in [(5, "ann"), (6, "bob")] {
                signet.emulator.faults.inject(
                    .answer(TransportResponse(status: 200, body: Array(#"{"mpid":"\#(number)"}"#.utf8))),
                    on: .login
                )
                let result = try await visitor.login([.other: name])
                #expect(result.previousGuest == nil)
                #expect((result.previousUser != nil) == (name == "bob"))
            }
        }
    }

    @Test func aRestartDoesNotForgetIt() throws {
        var state = IdentityFixture.empty
        let mpid = IdentityFixture.mpid(1)
        _ = state.directory.resolve(
            to: mpid,
            isLoggedIn: true,
            isEphemeral: false,
            request: IdentityRequest(),
            now: IdentityFixture.now
        )
        _ = state.directory.resolve(
            to: mpid,
            isLoggedIn: false,
            isEphemeral: false,
            request: IdentityRequest(),
            now: IdentityFixture.now
        )
        #expect(!state.directory.isGuest(mpid))
        let restored = try IdentityState(decoding: state.encoded())
        #expect(!restored.directory.isGuest(mpid))
        #expect(restored.directory.entries[mpid]?.isBlank == false)
    }
}
