// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport

@testable import Signet

/// How everything comes to rest, and what must be true then.
extension Simulation {
    /// Mends the world, waits until nothing waits any more, and looks at what the platform has.
    func settle() async {
        self.networkFaults = .fine
        self.emulator.faults.clear()
        self.tell("everything is mended")
        self.mendTheMachine()
        if self.hasDay { await self.outliveTheDay() }
        guard self.violations.isEmpty else { return }
        self.neverReturns = nil
        await self.drain()
        if (self.life?.runtime.statistics.eventsWaiting ?? 0) > 0 {
            // What could not be taken off a bad disk is sent again by the next process.
            self.ledger.reach("drained by the next process")
            await self.shutDown(within: .seconds(30))
            await self.drain()
        }
        await self.outliveForgotten()
        guard let life = self.life else { return }
        self.checkConservation()
        self.lookForTraces()
        let waiting = life.runtime.statistics.eventsWaiting
        if waiting > 0 { self.fail("\(waiting) events still wait: \(life.observer.damages)") }
        await self.checkPlatform(life)
    }

    /// Events of nobody whose installation a loss of power has made forgotten: they wait for its first user until they are
    /// too old.
    private func outliveForgotten() async {
        guard let statistics = self.life?.runtime.statistics, self.powerLosses > 0, statistics.eventsWaiting > 0 else {
            return
        }
        self.ledger.reach("event of an unknown installation", statistics.eventsWaiting)
        self.clock.advance(by: SignetConfiguration.Events.Storage().maximumAge + .seconds(86_400))
        await self.drain()
    }

    private func drain() async {
        self.life?.disk.forgetPlan()
        await self.restartIfDead()
        guard let life = self.life else { return }
        life.disk.forgetPlan()
        life.disk.set(.fine)
        life.network.set(.fine)
        var generator = SeededGenerator(seed: self.seed)
        for _ in 0..<150 {
            await self.executor.settled()
            if life.runtime.statistics.eventsWaiting == 0 { break }
            for number in 0..<Self.installationCount {
                guard let installation = await self.installation(number, &generator) else { continue }
                if installation.isOptedOut {
                    life.call("opt in at last \(number)") { () async throws(SignetError) in
                        try await installation.setOptedOut(false)
                    }
                }
                guard installation.currentUser == nil else { continue }
                life.call("at last \(number)") { () async throws(SignetError) in
                    try await installation.identify(whenBusy: .wait(upTo: .seconds(60)))
                }
            }
            await self.executor.settled()
            self.clock.advance(by: .seconds(600))
        }
    }

    private func checkPlatform(_ life: Life) async {
        // What an erasure may change, the ledger of the network looks at.
        for batch in self.emulator.batches() where batch.contentChanged && self.erasedOn.isEmpty {
            self.fail("a batch came again with other bytes")
        }
        for batch in self.emulator.refusedBatches() { self.fail("a batch breaks a rule: \(batch.reason)") }
        var arrived: [Int: String] = [:]
        var messages: [String: String] = [:]
        var last: [Int: Int] = [:]
        var firstUsers: [Int: Set<MPID>] = [:]
        let refused = self.ledger.refused
        for batch in self.emulator.batches() {
            let stamp = batch.json["mp_deviceid"]?.string?.lowercased() ?? ""
            for event in batch.json["events"]?.array ?? [] {
                let data = event["data"]
                let id = data?["source_message_id"]?.string ?? ""
                if let other = messages.updateValue(batch.requestID ?? "", forKey: id) {
                    self.ledger.reach("event delivered twice, with its id")
                    // A disk that failed between the end of a session and its record: the end is logged again, with its id.
                    let isEnd = event["event_type"]?.string == "session_end"
                    if other == batch.requestID, !isEnd { self.fail("a batch holds an event twice") }
                }
                guard let number = Exchange.number(of: data).map({ Int($0) }) else { continue }
                guard arrived[number] == nil else {
                    if arrived[number] != id { self.fail("event \(number) came twice with two ids") }
                    continue
                }
                arrived[number] = id
                let logged = self.events[number]
                // A loss of power may take the stamp; then the batch has none.
                let isOwn =
                    self.stamps[logged.installation]?.contains(stamp) == true || stamp.isEmpty && self.powerLosses > 0
                if logged.outcome == .dropped { self.fail("event \(number) came after an opt-out or an erasure") }
                if logged.outcome == .refused { self.fail("event \(number) came though `log` threw") }
                if !isOwn {
                    let other = self.stamps.first { $0.value.contains(stamp) }?.key ?? -1
                    self.fail("event \(number) of installation \(logged.installation) came from \(other)")
                }
                if let mpid = logged.mpid, mpid != batch.mpid { self.fail("event \(number) went to another user") }
                if logged.mpid == nil { firstUsers[logged.installation, default: []].insert(batch.mpid) }
                let before = last.updateValue(number, forKey: logged.installation) ?? -1
                // An erasure that the disk has refused keeps what may be the user's from being sent until the next start.
                let halfErased = self.halfErased[logged.installation, default: []]
                let isHeld = logged.mpid.map(halfErased.contains) ?? !halfErased.isEmpty
                // One that was forgotten has two names, which do not wait for each other. And a loss of power may bring back
                // what was refused and set aside.
                let isOrdered = self.stamps[logged.installation]?.count == 1 && !refused.contains(Int64(number))
                if isOrdered, !isHeld, before > number {
                    let users = [logged.mpid, self.events[before].mpid].map { $0?.description ?? "nobody" }
                    self.fail("event \(number) of \(users[0]) came after \(before) of \(users[1])")
                }
            }
        }
        self.ledger.reach("events delivered", arrived.count)
        await self.checkFirstUsers(firstUsers, life)
        for (number, event) in self.events.enumerated() where event.outcome == .accepted && arrived[number] == nil {
            if !refused.contains(Int64(number)) { self.fail("event \(number) is lost") }
        }
    }

    /// Whoever was first known owns what was logged for nobody; a process that cannot write it down may forget it.
    private func checkFirstUsers(_ users: [Int: Set<MPID>], _ life: Life) async {
        guard self.powerLosses == 0, self.forgetfulLives == 0, life.observer.unsaved == 0 else { return }
        var generator = SeededGenerator(seed: self.seed)
        // After an erasure there may be several.
        for (number, users) in users.sorted(by: { $0.key < $1.key }) where !self.erasedOn.contains(number) {
            let first = await self.installation(number, &generator)?.core.identityState.directory.firstUser
            if users != Set([first].compactMap { $0 }) {
                self.fail(
                    "what was logged for nobody on \(number) went to \(users), not to \(String(describing: first))"
                )
            }
        }
    }
}
