// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTesting

@testable import Signet

/// Compares what handles show after a reading with the rows, and with what calls have returned for.
///
/// It looks at the world and changes nothing in it: the way of a seed stays the same.
struct FleetWitness: Sendable {
    let book: FleetBook
    let engine: MemorySharedEngine
    let clock: ManualClock

    /// The row of an installation; nil if there is none.
    func row(_ number: Int) -> SharedInstallation? {
        self.engine.database.rows[SharedIDs.key(of: Array("visitor-\(number)".utf8))]?.installation
    }

    /// The state in the row of an installation; nil if there is none.
    func state(_ number: Int) -> SharedState? {
        guard let row = self.row(number) else { return nil }
        do throws(SignetError) {
            return try SharedState(decoding: row.state)
        } catch {
            self.book.fail("the row of visitor \(number): \(error.message)")
            return nil
        }
    }

    // MARK: - Calls

    /// Notes that a call begins.
    func begin(_ kind: FleetStep.Kind, _ number: Int) -> FleetFacts.Call {
        let (tag, now) = (self.row(number)?.tag, self.clock.now.offset)
        return self.book.with { state -> FleetFacts.Call in
            let before = state.facts[number] ?? FleetFacts()
            let turn = state.facts[number, default: before].begin(kind, at: now)
            return FleetFacts.Call(kind: kind, number: number, turn: turn, tag: tag, began: now, before: before)
        }
    }

    /// Notes that a call has ended.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - change: What it has set; nil if it failed.
    func end(_ call: FleetFacts.Call, _ change: FleetFacts.Change?) {
        // An earlier call's change may still be on its way: a row with another tag by now does not take it any more.
        let isNew = self.row(call.number)?.tag != call.tag
        let now = self.clock.now.offset
        self.book.with { _ = $0.facts[call.number]?.end(call, isNew ? change : nil, at: now) }
        self.check(call, isRefused: false, unless: change == nil)
    }

    /// An opting out that has returned refuses the calls that begin later, and one that was taken back refuses none.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - isRefused: True if it was refused for that reason; false if it has succeeded.
    ///   - isNeither: True if it has ended in another way.
    func check(_ call: FleetFacts.Call, isRefused: Bool, unless isNeither: Bool = false) {
        guard !isNeither, [.login, .logout, .increment].contains(call.kind) else { return }
        let (now, hasLostWrites) = self.book.with { ($0.facts[call.number] ?? FleetFacts(), $0.hasLostWrites) }
        guard !hasLostWrites, let isOut = call.before.optedOut.known(until: now.optedOut, call.began) else { return }
        self.book.reach("choices obeyed")
        guard isOut != isRefused else { return }
        let (choice, answer) = (isOut ? "out" : "in", isRefused ? "was refused" : "succeeded")
        self.book.fail("\(call.kind) of visitor \(call.number), who had opted \(choice), \(answer)")
    }

    // MARK: - Readings

    /// Compares what a handle shows after a reading.
    ///
    /// - Parameters:
    ///   - handle: The handle.
    ///   - call: The call that has read the row since it began.
    func check(_ handle: Installation, after call: FleetFacts.Call) {
        let (now, erasing, hasLostWrites) = self.book.with {
            ($0.facts[call.number] ?? FleetFacts(), $0.erasing, $0.hasLostWrites)
        }
        guard !hasLostWrites, handle.core.phase == .open else { return }
        let what = "\(call.kind) of visitor \(call.number) shows"
        if let user = call.before.user.known(until: now.user, call.began), !erasing.contains(user) {
            self.book.reach("users read")
            let shown = handle.currentUser?.mpid
            if shown != user { self.book.fail("\(what) \(shown?.description ?? "nobody"), not \(user)") }
        }
        if let isOut = call.before.optedOut.known(until: now.optedOut, call.began) {
            self.book.reach("choices read")
            if handle.isOptedOut != isOut { self.book.fail("\(what) another choice than opted out: \(isOut)") }
        }
        // Users of whom nothing is known may leave the installation; who has a consent or an attribute does not.
        if let told = call.before.consent.known(until: now.consent, call.began), !erasing.contains(told.mpid),
            let user = handle.user(told.mpid)
        {
            self.book.reach("consents read")
            let shown = user.consent?.gdpr["ads"]?.isGiven
            if shown != told.isGiven { self.book.fail("\(what) an old consent of \(told.mpid)") }
        }
        if call.before.incremented < call.began {
            for (mpid, count) in call.before.increments where !erasing.contains(mpid) {
                guard let user = handle.user(mpid) else { continue }
                self.book.reach("increments read")
                let shown = if case .integer(let sum)? = user.attributes["n"] { Int(sum) } else { 0 }
                if shown < count { self.book.fail("\(what) \(shown) increments of \(mpid), not \(count)") }
            }
        }
        self.compareWithRow(handle, call, what)
    }

    /// A handle has a row that is not older than the reading, and shows what that row says.
    private func compareWithRow(_ handle: Installation, _ call: FleetFacts.Call, _ what: String) {
        guard let store = handle.core.store.shared, let own = store.tag, let row = self.row(call.number) else { return }
        if let known = call.before.tag, known.at < call.began, let age = row.tags.firstIndex(of: known.tag),
            (row.tags.firstIndex(of: own) ?? .max) > age
        {
            self.book.fail("\(what) a row of before it began")
        }
        guard row.tag == own, let state = self.state(call.number) else { return }
        self.book.reach("rows read")
        let identity = state.identity
        if identity.directory.current != handle.currentUser?.mpid || identity.isOptedOut != handle.isOptedOut {
            self.book.fail("\(what) another user or choice than its row has")
        }
    }

    // MARK: - Rows

    /// Notes what the rows say now: a look between two moments of the clock.
    func noteRows(_ numbers: Range<Int>) {
        let now = self.clock.now.offset
        for number in numbers {
            let noted = self.book.with { $0.facts[number]?.tag?.tag }
            guard let tag = self.row(number)?.tag, tag != noted, let state = self.state(number) else { continue }
            let (current, changes) = (state.identity.directory.current, state.part.changes)
            // Events that were logged without a user are given out by this list.
            if changes.last?.mpid != current {
                self.book.fail("the changes of visitor \(number) do not end with the current user")
            }
            let stamp = state.identity.deviceApplicationStamp.uuidString.lowercased()
            self.book.with { state in
                state.facts[number, default: FleetFacts()].tag = (tag, now)
                state.stamps[stamp] = number
                for change in changes {
                    guard let mpid = change.mpid else { continue }
                    let found = FleetBook.UserChange(milliseconds: change.milliseconds, mpid: mpid)
                    guard !state.changes[number, default: []].contains(found) else { continue }
                    state.changes[number, default: []].append(found)
                }
            }
        }
    }
}

extension FleetSimulation {
    var witness: FleetWitness {
        FleetWitness(book: self.book, engine: self.engine, clock: self.clock)
    }
}
