// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What the directory of a runtime says about one event.
@Suite struct EventExplanationTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// The ids of the waiting events of a kind.
    private func ids(of kind: String, in inspector: DirectoryInspector) throws -> [UUID] {
        var ids: [UUID] = []
        try inspector.readEvents { event in
            guard let json = EventSearch.read(event.json), json["event_type"]?.string == kind else { return true }
            ids += [EventSearch.uuid(json["data"]?["source_message_id"])].compactMap(\.self)
            return true
        }
        return ids
    }

    private func explanation(_ id: UUID, in inspector: DirectoryInspector) throws -> EventExplanation {
        guard case .found(let explanation) = try inspector.explain(id) else { throw Missing() }
        return explanation
    }

    private struct Missing: Error {}

    @Test func aWaitingEventIsOfTheUserAndTheSessionOfItsCall() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let installation = try await signet.runtime.open("shop")
            _ = try await installation.login([.customerID: "c1"])
            try await installation.setConsent(ConsentState(gdpr: ["ads": Consent(false)]))
            try installation.log(.custom("visit"))
            let mpid = try #require(installation.currentUser?.mpid)
            // The runtime has its directory; a copy is what the tool reads.
            let copy = try TemporaryFolder(copying: self.folder)
            let inspector = try DirectoryInspector(copy: copy.path)
            let id = try #require(try self.ids(of: "custom_event", in: inspector).first)
            let event = try self.explanation(id, in: inspector)
            #expect(event.kind == "custom_event")
            #expect(event.name == "visit")
            #expect(event.milliseconds == signet.clock.milliseconds)
            #expect(event.sequence != nil)
            #expect(event.batch == nil)
            #expect(event.deadLetter == nil)
            #expect(event.installation.id == "shop")
            #expect(event.installation.deviceApplicationStamp == installation.deviceApplicationStamp)
            #expect(event.user.mpid == mpid)
            #expect(event.user.reason == .current)
            #expect(event.user.current == mpid)
            #expect(event.user.stored?.isKnown == true)
            #expect(event.user.stored?.identities.map(\.type) == ["customerid"])
            #expect(event.session?.uuid == installation.currentSession?.uuid)
            #expect(event.session?.begin != nil)
            #expect(event.session?.end == nil)
            let answer = EventExplanation.ConsentFacts.Answer(purpose: "ads", isGiven: false)
            #expect(event.consent == EventExplanation.ConsentFacts(source: .user, answers: [answer]))
        }
    }

    @Test func aDeadLetterSaysWhyThePlatformRefusedIt() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let installation = try await signet.runtime.open("shop")
            _ = try await installation.login([.customerID: "c1"])
            try installation.log(.custom("visit"))
            let before = try TemporaryFolder(copying: self.folder)
            let waiting = try DirectoryInspector(copy: before.path)
            let id = try #require(try self.ids(of: "custom_event", in: waiting).first)
            signet.emulator.faults.injectAlways(.refused(status: 400, code: "BAD", message: "no"), on: .events)
            signet.emulator.faults.injectAlways(.refused(status: 400, code: "BAD", message: "no"), on: .bulkEvents)
            try await signet.runtime.upload()
            signet.emulator.faults.clear()
            let letters = try await signet.runtime.deadLetters.list()
            let copy = try TemporaryFolder(copying: self.folder)
            let event = try self.explanation(id, in: DirectoryInspector(copy: copy.path))
            let letter = try #require(letters.first { $0.id == event.deadLetter?.id })
            #expect(event.deadLetter?.status == 400)
            #expect(event.deadLetter?.reason == letter.reason)
            #expect(event.sequence == nil)
            #expect(event.installation.id == "shop")
            #expect(event.user.reason == .batch)
            #expect(event.user.mpid == installation.currentUser?.mpid)
            #expect(event.session?.uuid == installation.currentSession?.uuid)
            #expect(event.context.environment == "production")
        }
    }

    @Test func anAliasWithoutAnAnswerIsNamedWithItsWindow() async throws {
        try await withEmulatedSignet(
            in: self.folder.path,
            emulator: EmulatorConfiguration(strategy: .link)
        ) { signet in
            let installation = try await signet.runtime.open("shop")
            _ = try await installation.initialIdentifyResult()
            let visitor = try #require(installation.currentUser)
            try installation.log(.custom("visit"))
            signet.clock.advance(by: .seconds(1))
            _ = try await installation.login([.customerID: "c1"])
            let customer = try #require(installation.currentUser)
            try #require(visitor.mpid != customer.mpid)
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            let (start, end) = (visitor.firstSeen, signet.clock.date)
            let window = AliasRequest(source: visitor.mpid, destination: customer.mpid, start: start, end: end)
            let alias = try await installation.alias(window)
            let copy = try TemporaryFolder(copying: self.folder)
            let inspector = try DirectoryInspector(copy: copy.path)
            let id = try #require(try self.ids(of: "custom_event", in: inspector).first)
            let event = try self.explanation(id, in: inspector)
            #expect(event.user.mpid == visitor.mpid)
            #expect(event.user.current == customer.mpid)
            let expected = EventExplanation.AliasFacts(
                id: alias,
                source: visitor.mpid,
                destination: customer.mpid,
                start: start.milliseconds,
                end: end.milliseconds
            )
            #expect(event.user.aliases == [expected])
            #expect(event.isCovered(by: expected))
        }
    }

    @Test(arguments: [false, true])
    func anEventInABatchNamesTheBatchAndThePause(keepsBody: Bool) async throws {
        try await withEmulatedSignet(in: self.folder.path) { configuration in
            // Then the record has the whole body.
            if keepsBody { configuration.events.storage.whenFull = .dropOldest }
        } _: { signet in
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            signet.emulator.faults.injectAlways(.connectionRefused, on: .bulkEvents)
            let installation = try await signet.runtime.open("shop")
            _ = try await installation.login([.customerID: "c1"])
            try await installation.setConsent(ConsentState(gdpr: ["ads": Consent(true)]))
            try installation.log(.custom("visit"))
        }
        let inspector = try DirectoryInspector(copy: self.folder.path)
        let logged = try #require(try self.ids(of: "custom_event", in: inspector).first)
        let event = try self.explanation(logged, in: inspector)
        #expect(event.batch?.events ?? 0 >= 1)
        #expect(event.consent.source == .batch)
        #expect(event.consent.answers.map(\.isGiven) == [true])
        #expect(event.pause?.failures ?? 0 >= 1)
        #expect(event.pause?.reason == "the last try failed")
        guard case .missing(let look) = try inspector.explain(UUID()) else { throw Missing() }
        #expect(look.events > 0)
        #expect(look.batches > 0)
        #expect(look.deadLetters == 0)
    }
}
