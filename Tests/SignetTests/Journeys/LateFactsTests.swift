// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// The look of each minute for facts that nobody in memory knows of.
@Suite(.watched) struct LateFactsTests {
    private static let given = ConsentState(gdpr: ["ads": Consent(true)])

    /// Both are visited: the queue knows nothing of push tokens.
    @Test func aConsentThatTheQueueStillBringsIsVisitedAndNotCountedAsLate() async throws {
        let folder = try TemporaryFolder()
        let configure: (inout SignetConfiguration) -> Void = {
            $0.sessions.tracking = .manual
            $0.sessions.beginsAtOpen = false
        }
        // Uploads wait for ten minutes, and the clock stands still.
        try await withEmulatedSignet(in: folder.path, configure: configure) { signet in
            let runtime = signet.runtime
            let events = runtime.managers.events
            let (waiting, _) = try await Self.visit("waiting", answering: Self.given, runtime)
            await until("the queue knows it") { runtime.registry.find("waiting") == nil }
            await Self.known([waiting], by: events)
            // The look of the start may still be under way, and find the first ones.
            var counted = 0
            for attempt in 0..<50 where counted == 0 {
                let id = InstallationID("lost-\(attempt)")
                let (lost, mpid) = try await Self.visit(id, answering: nil, runtime)
                await until("it has left memory") { runtime.registry.find(id) == nil }
                // As after a disk that refused a write: the file says it, and nobody in memory knows.
                let store = runtime.context.store
                let bytes = try #require(try store.value(for: StateKey.identity(id)))
                var state = try IdentityState(decoding: bytes)
                state.setConsent(Self.given, of: mpid)
                try store.put(state, of: id)

                let before = runtime.statistics.dueWorkDone["late"] ?? 0
                let work = DueWork(runtime.opening)
                for part in 0..<StateStore.dueParts { await work.lookAgain(.late(part: part)) }
                counted = (runtime.statistics.dueWorkDone["late"] ?? 0) - before
                guard counted > 0 else {
                    await Self.known([lost], by: events)
                    continue
                }
                var lane = try #require(await work.lanes[.facts])
                var visited: Set<UInt32> = []
                while case .visit(let number) = lane.next(now: runtime.context.time.uptime) { visited.insert(number) }
                #expect(visited.isSuperset(of: [waiting, lost]))
            }
            #expect(counted == 1, "the lost one alone")
        }
    }

    /// Waits until the queue knows of the facts of some installations.
    private static func known(_ installations: [UInt32], by events: EventQueue) async {
        var turns = 0
        while await events.withoutFacts(among: installations) != [], turns < 100_000 {
            turns += 1
            await Task.yield()
        }
    }

    /// A visitor logs in, answers and leaves.
    private static func visit(
        _ id: InstallationID,
        answering consent: ConsentState?,
        _ runtime: SignetRuntime
    ) async throws -> (number: UInt32, mpid: MPID) {
        let visitor = try await runtime.open(id, identify: .none)
        let mpid = try await visitor.login([.customerID: "c-\(id)"]).user.mpid
        if let consent { try await visitor.setConsent(consent) }
        return (visitor.core.number, mpid)
    }
}
