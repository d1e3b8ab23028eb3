// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// An opt-out ends what the installation has begun; the opt-in begins anew.
@Suite(.watched) struct OptOutSessionTests {
    /// Shorter and longer than the session's timeout.
    @Test(arguments: [SignetConfiguration.Sessions.Mode.server, .application], [30, 4000])
    func theSessionEndsAndTheOptInBeginsAnew(mode: SignetConfiguration.Sessions.Mode, wait: Int) async throws {
        let known = try await KnownInstallation()
        let signet = try known.next { $0.sessions.mode = mode }
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let mpid = try #require(visitor.currentUser).mpid
            try visitor.log(.custom("before"))
            try await visitor.setSessionAttribute("private", for: "note")
            try await signet.runtime.upload(within: .seconds(10))
            let arrived = signet.emulator.events(of: mpid).count
            let old = try #require(visitor.currentSession).uuid.uuidString
            try await visitor.setOptedOut(true)
            #expect(visitor.currentSession == nil)
            signet.clock.advance(by: .seconds(wait))
            try await visitor.setOptedOut(false)
            #expect(visitor.currentSession == nil)
            try visitor.log(.custom("after"))
            try await signet.runtime.upload(within: .seconds(10))
            let events = signet.emulator.events(of: mpid).dropFirst(arrived)
            #expect(events.map(\.type) == ["opt_out", "opt_out", "session_start", "custom_event"])
            #expect(!events.contains { $0.sessionUUID?.lowercased() == old.lowercased() })
            let start = try #require(events.first { $0.type == "session_start" })
            #expect(start.customAttributes.keys.filter { $0.hasPrefix("$Previous") }.isEmpty)
        }
    }

    /// Nobody can tell of it after a restart either, and nothing waits for its end.
    @Test func theSessionIsGoneFromTheDisk() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let visitor = try await signet.runtime.open("one", identify: .none)
        try visitor.log(.custom("before"))
        try await visitor.setOptedOut(true)
        let store = signet.runtime.context.store
        let record = try #require(try store.value(for: StateKey.session("one")))
        let sessions = try SessionRecord(decoding: record)
        #expect(sessions.open == nil && sessions.previous == nil && !sessions.isDue)
        await signet.runtime.shutdown()
    }

    @Test func subscribersHearOfTheEnd() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let visitor = try await signet.runtime.open("one", identify: .none)
        try visitor.log(.custom("before"))
        let session = try #require(visitor.currentSession)
        var changes = visitor.sessionChanges().makeAsyncIterator()
        try await visitor.setOptedOut(true)
        let ended = await changes.nextFact()
        #expect(ended?.isEnd == true && ended?.endReason == .optedOut)
        #expect(ended?.session == session && ended?.mpid == visitor.currentUser?.mpid)
        await signet.runtime.shutdown()
    }

    @Test func aTimedEventOfBeforeIsForgottenAndNoneBeginsMeanwhile() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let visitor = try await signet.runtime.open("one", identify: .none)
        try visitor.beginTimedEvent(.custom("checkout", attributes: ["card": "private"]))
        try await visitor.setOptedOut(true)
        #expect(visitor.timedEventNames.isEmpty)
        let meanwhile = await code { () async throws(SignetError) in try visitor.beginTimedEvent(.custom("meanwhile")) }
        #expect(meanwhile == .optedOut)
        let end = { () async throws(SignetError) in try visitor.endTimedEvent("checkout") }
        #expect(await code(end) == .optedOut)
        try await visitor.setOptedOut(false)
        #expect(await code(end) == .invalidArgument)
        #expect(visitor.timedEventNames.isEmpty)
        await signet.runtime.shutdown()
    }

    /// It could not be logged at its end, because the opt-out was first.
    @Test func aTimedEventThatAnOptOutOvertakesDoesNotGoOn() async throws {
        let known = try await KnownInstallation()
        let signet = try known.next()
        let visitor = try await signet.runtime.open("one", identify: .none)
        try visitor.beginTimedEvent(.custom("checkout"))
        let ended = visitor.core.store.update { $0.timedEvents.end("checkout", at: .at(0), by: $0.mpid) }
        let begun = try #require(ended).begun
        try await visitor.setOptedOut(true)
        visitor.core.store.update { $0.resumeTimedEvent("checkout", begun) }
        #expect(visitor.timedEventNames.isEmpty)
        await signet.runtime.shutdown()
    }
}
