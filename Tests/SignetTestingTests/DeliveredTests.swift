// SPDX-License-Identifier: Apache-2.0

import Foundation
import Signet
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

/// One line for what arrived.
@Suite(.watched) struct DeliveredTests {
    private static func shop(_ body: (EmulatedSignet, Installation, User) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let user = try await visitor.login([.customerID: "c-1"]).user
            try await body(signet, visitor, user)
        }
    }

    @Test func eventsAreDeliveredBeforeTheyAreRead() async throws {
        try await Self.shop { signet, visitor, user in
            try visitor.log(.custom("a"))
            try visitor.log(.screen("b"))
            #expect(await signet.events(of: user).names == ["a", "b"])
            #expect(await signet.events(of: user).names != ["b", "a"])
            try await signet.expectEvents(["a", "b"], of: user)
            #expect(await signet.events(of: user).types.names.contains("session_start"))
            var (text, line) = ("", 0)
            // In the arguments of a macro, #line would be the line of the macro.
            do throws(UnmetExpectation) {
                line = #line + 1
                try await signet.expectEvents(["a", "c"], of: user)
            } catch {
                text = error.description
            }
            #expect(text.hasPrefix("SignetTestingTests/DeliveredTests.swift:\(line): Expected "), "\(text)")
            #expect(text.contains(#"["a", "c"]"#) && text.contains(#"screen_view "b""#), "\(text)")
        }
    }

    @Test func aPlatformThatDoesNotAnswerIsSaid() async throws {
        try await Self.shop { signet, visitor, user in
            try await signet.runtime.upload()
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            signet.emulator.faults.injectAlways(.connectionRefused, on: .bulkEvents)
            try visitor.log(.custom("a"))
            let events = await signet.events(of: user)
            #expect(events.names == [] && events.failure?.code == .uploadPaused)
            #expect("\(events.names)".contains("not all was delivered"))
            signet.emulator.faults.clear()
            await signet.runtime.resumeUploads()
            #expect(await signet.events(of: user).failure == nil)
        }
    }

    @Test func sessionsBatchesAndIdentitiesAreCheckedLikewise() async throws {
        try await Self.shop { signet, visitor, user in
            try visitor.log(.custom("a"))
            try await signet.expectSessions(1, of: user)
            signet.clock.advance(by: .seconds(3600))
            try visitor.log(.custom("b"))
            let sessions = await signet.sessions(of: user)
            #expect(sessions.map(\.hasEnded) == [true, false])
            #expect(sessions.last?.events.compactMap(\.name) == ["b"])
            let count = await signet.batches(of: user).count
            try await signet.expectBatches(count, of: user)
            let unmet = await #expect(throws: UnmetExpectation.self) {
                try await signet.expectBatches(count + 1, of: user)
            }
            #expect(unmet?.description.contains("EmulatedBatch(") == true)
            #expect(unmet?.description.contains("DeliveredTests.swift:") == true)
            let sessionsUnmet = await #expect(throws: UnmetExpectation.self) {
                try await signet.expectSessions(3, of: user)
            }
            #expect(sessionsUnmet?.description.contains("DeliveredTests.swift:") == true)
            #expect(await signet.identities(of: user)[.customerID] == ["c-1"])
            try await signet.expectIdentities([.customerID: "c-1", .email: nil], of: user)
            let other = await #expect(throws: UnmetExpectation.self) {
                try await signet.expectIdentities([.customerID: "c-2"], of: user)
            }
            #expect(other?.description.contains("customerid: c-1") == true, "\(other?.description ?? "")")
            #expect(other?.description.contains("DeliveredTests.swift:") == true)
        }
    }
}
