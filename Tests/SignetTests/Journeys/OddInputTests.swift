// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetTestSupport
import SignetTesting
import Testing

/// Inputs and answers at the edge of what is allowed, from end to end.
@Suite struct OddInputTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func timesBeyondWhatClocksCanShowDoNotTrap() async throws {
        let emulator = Emulator()
        var configuration = SignetConfiguration(
            apiKey: emulator.configuration.apiKey,
            secret: emulator.configuration.secret,
            directory: self.folder.path
        )
        configuration.sessions.timeout = .seconds(Int64.max)
        configuration.identity.requestTimeout = .seconds(Int64.max)
        configuration.events.uploadInterval = .seconds(Int64.max)
        configuration.events.priorityUploadDelay = .seconds(Int64.max)
        try await withSignet(configuration, transport: emulator.transport) { signet in
            let visitor = try await signet.open("v")
            let result = try await visitor.login(
                [.customerID: "c-1"],
                whenBusy: .wait(upTo: .seconds(Int64.max)),
                retry: RetryPolicy(totalTime: .seconds(Int64.max), initialDelay: .seconds(Int64.max))
            )
            try visitor.log(.purchase(Purchase(transactionID: "t", total: 1)))
            #expect(result.user.isLoggedIn)
            await signet.shutdown(within: .seconds(Int64.max))
        }
    }

    @Test func aPushTokenGivenWithALoginIsTheDevicesFromThenOn() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            _ = try await visitor.login([.customerID: "c-1", .pushToken: "token"])
            _ = try await visitor.identify([.customerID: "c-1"])
            #expect(signet.transport.exchanges.map(\.endpoint).filter { $0 != "events" } == ["login", "identify"])
            let user = try #require(signet.emulator.users().first { $0.isKnown })
            #expect(user.identities[.pushToken] == ["token"])
        }
    }

    @Test func theNotFoundOfSomethingElseIsNoAnswerToASearch() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let page = TransportResponse(status: 404, body: Array("<html>nothing here</html>".utf8))
            signet.emulator.faults.inject(.answer(page), on: .search)
            let visitor = try await signet.runtime.open("v", identify: .none)
            let error = await #expect(throws: SignetError.self) { _ = try await visitor.search([.email: "a@b.c"]) }
            #expect(error?.code == .unexpectedAnswer)
            #expect(try await visitor.search([.email: "a@b.c"]) == .notFound)
        }
    }

    @Test func aUserWhoLostAnIdentityToAnotherCanBeGivenItBack() async throws {
        let emulator = EmulatorConfiguration(
            strategy: .conversion,
            priority: [.customerID, .email],
            uniqueIdentities: [.customerID, .email],
            loginIdentities: [.customerID]
        )
        try await withEmulatedSignet(in: self.folder.path, emulator: emulator) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let first = try await visitor.login([.customerID: "c-1", .email: "a@b.c"]).user
            let second = try await visitor.login([.customerID: "c-2"]).user
            try #require(first.mpid != second.mpid)
            let affected = try await visitor.modify([.email: "a@b.c"]).affectedUsers
            #expect(affected.map(\.mpid) == [first.mpid])
            #expect(visitor.user(first.mpid)?.identities[.email] == nil)
            var back = IdentityRequest(user: try #require(visitor.user(first.mpid)))
            back[.email] = "a@b.c"
            #expect(try await visitor.modify(back).isSent)
        }
    }

    @Test func nothingThatPrintsShowsAPersonOrAValue() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let result = try await visitor.login([.customerID: "marked-1", .email: "marked-2"])
            try await visitor.setAttribute("marked-3", for: "key")
            let event = Event.custom("e", attributes: ["k": "marked-4"])
            let purchase = Purchase(transactionID: "marked-5", total: 77_777, products: [Product(id: "marked-6")])
            let found = try await visitor.search([.customerID: "marked-1"])
            let said = PlatformError(code: "CODE", message: "marked-7")
            let things: [Any] = [
                result, visitor.currentUser as Any, event, Event.purchase(purchase), purchase, found, said,
                AttributeValue.string("marked-8"), IdentityRequest(user: result.user),
            ]
            for thing in things {
                var dumped = ""
                dump(thing, to: &dumped)
                for text in ["\(thing)", String(reflecting: thing), dumped] {
                    #expect(!text.contains("marked"))
                    #expect(!text.contains("77777"))
                }
            }
        }
    }
}
