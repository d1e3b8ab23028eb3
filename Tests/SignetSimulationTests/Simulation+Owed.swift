// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting

@testable import Signet

/// The law of due work: with a well platform, nobody calling anything, and time passing, nothing is owed.
extension Simulation {
    /// How the process ends that owes something.
    private enum LastDay: String {
        case kill, shutdown, living
    }

    /// Lets a day pass in which nobody opens anything, and reads from the files what is still owed.
    func outliveTheDay() async {
        await self.restartIfDead()
        guard let life = self.life, life.disk.crash == nil else { return }
        let day: LastDay = self.generator.pick(.kill, .kill, .shutdown, .living)
        for entry in self.owed() { self.ledger.reach("owed \(entry.kind.rawValue), \(day.rawValue)") }
        life.installations = [:]
        switch day {
        case .kill:
            life.disk.plan(.kill, after: 0)
            await self.restartIfDead()
        case .shutdown: await self.shutDown(within: .seconds(30))
        case .living: break
        }
        self.tell("a day with nobody, after \(day)")
        // Above 24 h, for which a `Retry-After` is obeyed.
        for _ in 0..<150 {
            self.mendTheMachine()
            await self.executor.settled()
            self.clock.advance(by: .seconds(600))
            await self.restartIfDead()
        }
        await self.executor.settled()
        // The session of whoever opts out and never returns is dropped by that look.
        let hasOptOuts = self.steps.contains { $0.kind == .optOut }
        if let life = self.life, !hasOptOuts, life.disk.faults == 0, life.runtime.statistics.dueWorkDone["late"] != nil
        {
            self.fail("due work was found late, though the disk is well")
        }
        for entry in self.owed() where !self.isOfABadDisk(entry) { self.fail("a day later is still owed: \(entry)") }
        self.checkSessions()
        self.checkStates()
    }

    // MARK: - What the platform has after the day

    /// Each session that has begun has ended, once.
    private func checkSessions() {
        // Of whoever has opted out or was erased no end is sent, and one in a batch that was set aside does not arrive.
        let hasReasons = self.steps.contains { [.optOut, .forget].contains($0.kind) }
        guard !hasReasons, !self.isApplication, self.powerLosses == 0, self.ledger.reached["batch set aside"] == nil
        else {
            return
        }
        var ends: [String: Set<String>] = [:]
        for event in self.emulator.batches().flatMap({ $0.json["events"]?.array ?? [] }) {
            let data = event["data"]
            guard let session = data?["session_uuid"]?.string else { continue }
            switch event["event_type"]?.string {
            case "session_start": ends[session, default: []].formUnion([])
            case "session_end": ends[session, default: []].insert(data?["source_message_id"]?.string ?? "")
            default: break
            }
        }
        for (session, ends) in ends {
            self.ledger.reach("a session that began has ended")
            if ends.count != 1 { self.fail("session \(session) has \(ends.count) ends a day later") }
        }
    }

    /// What files say of users: nobody was identified whom the app had not asked for, and the platform knows each consent.
    private func checkStates() {
        guard let store = self.life?.runtime.context.store else { return }
        for number in 0..<Self.installationCount {
            do throws(SignetError) {
                let id = InstallationID("visitor-\(number)")
                guard let bytes = try store.value(for: StateKey.identity(id)) else { continue }
                self.check(try IdentityState(decoding: bytes), number)
            } catch {
                self.fail("the users of \(number) cannot be read: \(error.message)")
            }
        }
    }

    private func check(_ state: IdentityState, _ number: Int) {
        if !self.mayBeIdentified.contains(number) {
            self.ledger.reach("left to the app")
            if state.directory.current != nil {
                self.fail("\(number) was identified, and the app had not asked for it")
            }
        }
        // A loss of power may take a consent that the platform has, and a batch that was set aside has not brought it.
        let isSure = self.powerLosses == 0 && self.ledger.reached["batch set aside"] == nil
        guard isSure, !state.isOptedOut, !self.erasedOn.contains(number) else { return }
        for (mpid, entry) in state.directory.entries {
            self.checkAnswer(of: mpid, entry, number)
            // The record of the user counts: a bad disk may have refused the installation's own copy after it.
            let consent = if let record = self.latestConsent(of: mpid) { record.consent } else { entry.consent }
            guard let known = consent?.gdpr["ads"]?.isGiven else { continue }
            self.ledger.reach("a consent of a day ago is known")
            let told = self.emulator.user(mpid)?.consent?.gdpr["ads"]?.isGiven
            if told != known {
                self.fail("a day later the platform has consent \(told?.description ?? "none") of \(mpid)")
            }
        }
    }

    /// Where no disk was bad, the platform, the record of a user and their installation have the answer of the last call
    /// that returned; one that a death has cut off may count instead.
    private func checkAnswer(of mpid: MPID, _ entry: UserDirectory.Entry, _ number: Int) {
        guard !self.hadBadDisk, self.life?.disk.faults == 0,
            !self.answeredByNobody.withLock({ $0.contains(number) }),
            let possible = self.answers.withLock({ $0[mpid]?.possible })
        else { return }
        let told = self.emulator.user(mpid)?.consent?.gdpr["ads"]?.isGiven
        // One that was cut off before it wrote anything, and was the only one.
        if told == nil, possible.count == 1, self.latestConsent(of: mpid) == nil, entry.consent == nil { return }
        guard let told, possible.contains(told) else {
            return self.fail("the platform has consent \(told?.description ?? "none") of \(mpid), said was \(possible)")
        }
        guard possible.count == 1 else { return self.ledger.reach("a consent of which a death leaves two open") }
        self.ledger.reach("a consent is what the last call has said")
        let record = self.latestConsent(of: mpid)?.consent?.gdpr["ads"]?.isGiven
        let copy = entry.consent?.gdpr["ads"]?.isGiven
        if record != told || copy != told {
            let kept = "the record \(record as Any), the installation \(copy as Any)"
            self.fail("of \(mpid) the platform has \(told), \(kept)")
        }
    }

    private func latestConsent(of mpid: MPID) -> UserConsent? {
        do throws(SignetError) {
            return try self.life?.runtime.context.consents?.latest(of: mpid)
        } catch {
            self.fail("the consent of \(mpid) cannot be read: \(error.message)")
            return nil
        }
    }

    /// No fault of the disk or the network, and no death.
    func mendTheMachine() {
        guard let life = self.life else { return }
        life.disk.forgetPlan()
        life.disk.set(.fine)
        life.network.set(.fine)
    }

    /// True for what a loss of power, or a disk that refused a write, may leave for the next start, or for ever; it is counted.
    private func isOfABadDisk(_ entry: DueWorkReport.Entry) -> Bool {
        guard self.powerLosses > 0 || self.hadBadDisk || self.life?.disk.faults != 0 else { return false }
        switch entry.kind {
        case .mark, .batch, .optOutDrop, .sessionEnd:
            self.ledger.reach("left by a bad disk")
            return true
        default: return false
        }
    }

    /// What the files say.
    private func owed() -> [DueWorkReport.Entry] {
        do {
            let work = try dueWork(directory: self.folder.path)
            if self.powerLosses == 0, let entry = work.entries.first(where: { $0.allowed == .forgotten }) {
                self.fail("forgotten without a loss of power: \(entry)")
            }
            return work.owed.filter { entry in
                switch entry.kind {
                // In an app the next open ends it.
                case .sessionEnd: !self.isApplication
                default: true
                }
            }
        } catch {
            self.fail("the files cannot be read: \(error)")
            return []
        }
    }
}
