// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetTesting

@testable import Signet

// The end: all works again, all is delivered, and what was promised is compared with what the platform and the store have.
extension FleetSimulation {
    func settle() async {
        self.tell("settle")
        self.emulator.faults.clear()
        self.engine.lock([])
        for replica in self.replicas {
            await self.restartIfDead(replica)
            replica.isAway = false
            replica.process?.store.faults.clear()
            replica.process?.disk.forgetPlan()
            replica.process?.network.set(.fine)
        }
        // Longer than a slot, a session, an outbox that its replica has left, and a pause that the platform asked for.
        await self.pass(seconds: 150)
        await self.pass(seconds: 10_800, step: 60)
        self.checkErasures()
        await self.outliveTheDay()
        guard self.isWell else { return }
        for number in 0..<Self.installationCount { await self.logInForTheLastTime(number) }
        await self.pass(seconds: 150)
        await self.pass(seconds: 10_800, step: 60)
        guard self.isWell else { return }
        self.checkEvents()
        self.checkErased()
        self.checkSessions()
        self.checkRows()
        await self.checkMemory()
    }

    func pass(seconds: Int, step: Int = 1) async {
        for _ in 0..<seconds / step {
            self.clock.advance(by: .seconds(step))
            await self.executor.settled()
        }
    }

    /// Events of nobody get a user, and the platform is told the consent of now; the other replicas see both.
    private func logInForTheLastTime(_ number: Int) async {
        let (replica, book, witness) = (self.replicas[0], self.book, self.witness)
        replica.process?.handles[number] = nil
        // It stays, and has the user of before.
        let old = await self.handle(number, self.replicas[1])
        guard let process = replica.process, let handle = await self.handle(number, replica) else {
            return book.fail("no handle at the end")
        }
        let (isOut, hasLostWrites) = book.with { ($0.optedOut.contains(number), $0.hasLostWrites) }
        await self.finish(process, "the last login") {
            do throws(SignetError) {
                if handle.isOptedOut, !isOut {
                    let call = witness.begin(.optIn, number)
                    try await handle.setOptedOut(false)
                    witness.end(call, .optedOut(false))
                }
                guard !handle.isOptedOut else { return }
                let login = witness.begin(.login, number)
                let customer: IdentityRequest = [.customerID: "c-\(number)-last"]
                let mpid = try await handle.login(customer, whenBusy: .wait(upTo: .seconds(60))).user.mpid
                witness.end(login, .user(mpid))
                let consent = witness.begin(.consent, number)
                try await handle.setConsent(ConsentState(gdpr: ["ads": Consent(true)]), of: mpid)
                witness.end(consent, .consent(FleetFacts.Told(mpid: mpid, isGiven: true)))
                try handle.log(.custom("last"))
            } catch {
                book.fail("the last login: \(error.code) \(error.message)")
            }
        }
        self.witness.noteRows(0..<Self.installationCount)
        self.clock.advance(by: .milliseconds(1))
        self.replicas[2].process?.handles[number] = nil
        _ = await self.handle(number, self.replicas[2])
        if let old, !isOut, !hasLostWrites { await self.logOnOldHandle(number, old) }
    }

    /// A handle that logs learns within about a second of what another replica has changed.
    private func logOnOldHandle(_ number: Int, _ handle: Installation) async {
        let call = self.witness.begin(.log, number)
        do throws(SignetError) {
            try handle.log(.custom("last"))
        } catch {
            // By an old reading, for the last time.
            if error.code != .optedOut { self.book.fail("the last event: \(error.code) \(error.message)") }
        }
        await self.pass(seconds: 5)
        self.witness.check(handle, after: call)
    }

    /// Notes what waits in outboxes, before time leaps.
    func noteOutboxes() {
        for row in self.engine.database.rows.values where !row.installation.outbox.isEmpty {
            do throws(SignetError) {
                let ends = try SharedOutbox(decoding: row.installation.outbox).ends.map(\.totals.session.uuid)
                self.book.with { $0.mayEndTwice.formUnion(ends) }
            } catch {
                self.book.fail("an outbox: \(error.message)")
            }
        }
    }

    /// Whoever was cut short, and whoever calls no more: each erasure is through all rows, and on each disk.
    private func checkErasures() {
        for erasure in self.engine.database.erasures {
            if !erasure.erasure.areRowsDone { self.book.fail("the rows of an erasure are not done") }
            if erasure.acknowledgements.count != Self.replicaCount {
                self.book.fail("an erasure has \(erasure.acknowledgements.count) acknowledgements")
            }
            self.book.reach("erasures that are through")
        }
    }

    private func checkErased() {
        let (erased, hasLostWrites) = self.book.with { ($0.erased, $0.hasLostWrites) }
        guard !hasLostWrites else { return }
        for erasure in erased {
            let late = self.emulator.events(of: erasure.mpid).filter { event in
                event.timestamp < erasure.milliseconds
                    && !(event.messageID.map { erasure.arrived.contains($0) } ?? false)
            }
            guard !late.isEmpty else { continue }
            let events = late.map { "\($0.type) \($0.customAttributes["number"] ?? "") of \($0.timestamp)" }
            self.book.fail(
                "of \(erasure.mpid), erased at \(erasure.milliseconds), arrived later: \(events.joined(separator: ", "))"
            )
        }
    }

    private func checkSessions() {
        guard !self.book.with({ $0.hasLostWrites }) else { return }
        var (starts, ends): ([String: [EmulatedEvent]], [String: [EmulatedEvent]]) = ([:], [:])
        var owners: [String: Int] = [:]
        for event in self.arrived {
            guard let session = event.sessionUUID else { continue }
            switch event.type {
            case "session_start": starts[session, default: []].append(event)
            case "session_end": ends[session, default: []].append(event)
            default:
                let number = event.customAttributes["number"].flatMap { Int($0) }
                if let number { owners[session] = self.book.with { $0.events[number].installation } }
            }
        }
        for (session, events) in starts where Set(events.map(\.messageID)).count > 1 {
            self.book.fail("session \(session) began \(events.count) times")
        }
        // One that died between its journal and the outbox, was without the store, or stood still, is taken over: with one id.
        let mayAllRepeat = self.book.with { $0.reached["step kill"] != nil || $0.reached["step storeIsAway"] != nil }
        let mayRepeat = self.book.with { Set($0.mayEndTwice.map(\.uuidString)) }
        for (session, events) in ends where events.count > 1 {
            guard Set(events.map(\.messageID)).count > 1 || !mayAllRepeat && !mayRepeat.contains(session.uppercased())
            else { continue }
            let ids = events.map { $0.messageID ?? "none" }.joined(separator: " and ")
            self.book.fail("session \(session) ended \(events.count) times: \(ids)")
        }
        self.book.reach("sessions", ends.count)
        for number in 0..<Self.installationCount {
            let spans = owners.filter { $0.value == number }.keys.compactMap { session -> ClosedRange<Int64>? in
                guard let start = starts[session]?.first, let end = ends[session]?.first else { return nil }
                return start.timestamp...max(start.timestamp, end.timestamp)
            }.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
            for (one, next) in zip(spans, spans.dropFirst()) where next.lowerBound < one.upperBound {
                self.book.fail("two sessions of visitor \(number) overlap: \(one) and \(next)")
            }
        }
    }

    /// Nobody has a handle any more: a replica knows those only of whom something waits, or of whom a dead letter tells.
    private func checkMemory() async {
        for replica in self.replicas { replica.process?.handles = [:] }
        await self.pass(seconds: 120)
        for replica in self.replicas {
            guard let runtime = replica.process?.runtime, runtime.statistics.eventsWaiting == 0 else { continue }
            do throws(SignetError) {
                let store = runtime.context.store
                let letters = try store.keys(withPrefix: StateKey.deadLetterBatches).count
                let numbers = try store.keys(withPrefix: StateKey.numberedInstallations).compactMap(
                    StateKey.number(in:)
                )
                let records = numbers.count
                let known = runtime.context.numbers.knownCount ?? 0
                guard known > letters || records != known else { continue }
                let idle = runtime.context.numbers.takeIdle(besides: Set(numbers)).count
                self.book.fail(
                    "replica \(replica.index) knows \(known) visitors, \(idle) of them idle, and has \(records) records of them"
                )
            } catch {
                self.book.fail("the records of replica \(replica.index): \(error.message)")
            }
        }
    }

    private func checkRows() {
        let hasLostWrites = self.book.with { $0.hasLostWrites }
        for number in 0..<Self.installationCount {
            let key = SharedIDs.key(of: Array("visitor-\(number)".utf8))
            guard let row = self.engine.database.rows[key]?.installation else {
                if !hasLostWrites { self.book.fail("visitor \(number) has no row") }
                continue
            }
            if row.session != nil { self.book.fail("a session of visitor \(number) is open for ever") }
            do throws(SignetError) {
                if !row.outbox.isEmpty, try !SharedOutbox(decoding: row.outbox).isEmpty {
                    self.book.fail("the outbox of visitor \(number) is not empty")
                }
                self.check(try SharedState(decoding: row.state), number)
            } catch {
                self.book.fail("the row of visitor \(number): \(error.message)")
            }
        }
    }

    private func check(_ state: SharedState, _ number: Int) {
        let entries = state.identity.directory.entries
        let total = entries.values.reduce(0) { sum, entry in
            if case .integer(let count)? = entry.attributes["n"] { sum + Int(count) } else { sum }
        }
        let (done, doubtful, reached) = self.book.with {
            ($0.increments[number, default: 0], $0.doubtful[number, default: 0], $0.reached)
        }
        // An erasure takes numbers along, a failover too; an app that was killed does not know what stands.
        let isSure = !self.book.with { $0.hasLostWrites } && reached["step erase"] == nil && reached["step kill"] == nil
        if isSure, !(done...done + doubtful).contains(total) {
            self.book.fail("visitor \(number) has \(total) increments, not \(done) to \(done + doubtful)")
        }
        // The platform knows the consent of now, whoever held a batch.
        guard let mpid = state.identity.directory.current, !state.identity.isOptedOut else { return }
        let record = self.engine.database.consents[mpid].flatMap { UserConsent($0.consent.state) }
        let latest = record.map(\.consent) ?? entries[mpid]?.consent
        let known = latest?.gdpr["ads"]?.isGiven
        let told = self.emulator.user(mpid)?.consent?.gdpr["ads"]?.isGiven
        if let known, told != known { self.book.fail("the platform has an old consent of visitor \(number)") }
    }
}
