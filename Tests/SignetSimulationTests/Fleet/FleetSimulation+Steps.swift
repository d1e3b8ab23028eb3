// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting

@testable import Signet

// What can happen.
extension FleetSimulation {
    func perform(_ kind: FleetStep.Kind, _ generator: inout SeededGenerator) async {
        let replica = self.replicas[Int.random(in: 0..<Self.replicaCount, using: &generator)]
        let number = Int.random(in: 0..<Self.installationCount, using: &generator)
        guard let process = replica.process else { return }
        switch kind {
        case .log, .burst:
            guard let handle = await self.handle(number, replica) else { return }
            for _ in 0..<(kind == .log ? 1 : 30) { self.log(number, handle, process) }
        case .open:
            process.handles[number] = nil
            guard let handle = await self.handle(number, replica), self.isIdentified(number) else { return }
            self.setPushToken("token-\(generator.next())", handle, process)
        case .refresh, .login, .logout, .increment, .consent, .endSession:
            guard let handle = await self.handle(number, replica) else { return }
            self.call(kind, number, handle, process, &generator)
        case .optOut, .optIn, .erase:
            guard let handle = await self.handle(number, replica) else { return }
            await self.decide(kind, number, handle, process)
        case .moment: self.clock.advance(by: .milliseconds(generator.pick(1, 100, 400, 1000, 2500)))
        case .minutes:
            self.noteOutboxes()
            self.clock.advance(by: .seconds(generator.pick(6, 16, 31, 65, 130)))
        case .wallClock:
            let skew: Int64 = generator.pick(0, 3_600_000, -3_600_000, 70, -2000)
            replica.skew.withLock { $0 = skew }
        case .network:
            // Refusals for good are another simulation's.
            process.network.set(generator.pick(.fine, .fine, .slow, .flaky, .down, .throttled, .failing))
        case .storeRefuses:
            let call = MemoryStoreFaults.Call.allCases.randomElement(using: &generator)
            process.store.faults.inject(.unreachable, on: call, times: generator.pick(1, 2, 5))
        case .storeLosesReply:
            let call = MemoryStoreFaults.Call.allCases.randomElement(using: &generator)
            // The next call of its kind brings a late one: only what is sent again knows what to make of it.
            let fault: MemoryStoreFaults.Fault = call == .commit ? generator.pick(.replyLost, .requestLate) : .replyLost
            process.store.faults.inject(fault, on: call, times: generator.pick(1, 2, 5))
        case .storeIsAway:
            replica.isAway = true
            process.store.faults.injectAlways(.unreachable)
        case .storeIsBack:
            for replica in self.replicas {
                replica.isAway = false
                replica.process?.store.faults.clear()
            }
        case .databaseCrash: self.tell("\(self.engine.crash()) flushes lost")
        case .failover:
            let lost = self.engine.failOver(losing: Int.random(in: 1...6, using: &generator))
            if lost > 0 { self.book.with { $0.hasLostWrites = true } }
        case .rowsLocked:
            let numbers = (0..<Self.installationCount).filter { _ in generator.chance(0.4) }
            self.engine.lock(Set(numbers.map { InstallationID("visitor-\($0)") }))
            if !self.engine.database.locked.isEmpty { self.book.reach("locked rows") }
        case .kill: process.disk.plan(.kill, after: generator.pick(0, 0, Int.random(in: 1...20, using: &generator)))
        case .shutdown: await self.shutDown(replica)
        }
    }

    /// The handle of an installation on a replica; opened if there is none.
    func handle(_ number: Int, _ replica: FleetReplica) async -> Installation? {
        guard let process = replica.process else { return nil }
        // A failover may have lost its row: then it is closed.
        if let handle = process.handles[number], handle.core.phase == .open { return handle }
        let (runtime, book, index, witness) = (process.runtime, self.book, replica.index, self.witness)
        let policy = self.policy(of: number)
        let call = witness.begin(.open, number)
        let failed = book.with { $0.failedReadings[index] }
        let found = Box<Installation>()
        await self.finish(process, "an open") {
            do throws(SignetError) {
                let handle = try await runtime.open(InstallationID("visitor-\(number)"), identify: policy)
                found.set(handle)
                // Without an answer of the store, the handle only logs.
                guard book.with({ $0.failedReadings[index] }) == failed,
                    witness.clock.now.offset - call.began < RowReader.limit
                else { return }
                witness.check(handle, after: call)
            } catch {
                Self.judge(error, book)
            }
        }
        process.handles[number] = found.value
        return found.value
    }

    /// True if the runtime is to identify a visitor: in some worlds it is one of them.
    ///
    /// The seeds that went wrong once are of the other worlds.
    func isIdentified(_ number: Int) -> Bool {
        number == 0 && (self.seed % 4 == 1 || self.seed % 16 == 0)
    }

    private func policy(of number: Int) -> IdentifyPolicy {
        guard self.isIdentified(number) else { return .none }
        self.book.reach("opens that identify")
        return self.seed % 8 == 1 ? .request([.other: "device-\(self.seed)"]) : .ifUnknown
    }

    /// Sets a push token; the platform is told when it can be.
    private func setPushToken(_ token: String, _ handle: Installation, _ process: FleetProcess) {
        let book = self.book
        process.spawn {
            do throws(SignetError) {
                try await handle.setDeviceIdentity(token, for: .pushToken)
                book.reach("push tokens")
            } catch {
                book.reach("push token \(error.code)")
                Self.judge(error, book)
            }
        }
    }

    private func log(_ number: Int, _ handle: Installation, _ process: FleetProcess) {
        let (user, milliseconds) = (Self.user(of: handle), process.runtime.context.time.milliseconds)
        let index = self.book.with { state in
            state.events.append(
                FleetBook.Logged(
                    installation: number,
                    isOptedOut: state.optedOut.contains(number),
                    user: user,
                    changes: state.changes[number, default: []].count,
                    milliseconds: milliseconds
                )
            )
            return state.events.count - 1
        }
        do throws(SignetError) {
            try handle.log(.custom("look", attributes: ["number": .integer(Int64(index))]))
            self.book.with { $0.events[index].isAccepted = true }
        } catch {
            Self.judge(error, self.book)
        }
        if process.disk.crash != nil { self.book.with { $0.events[index].isUnknown = true } }
    }

    /// The user for whom a handle logs; nil if there is none, or if a later reading of the row says whose an event is.
    private static func user(of handle: Installation) -> MPID? {
        guard let store = handle.core.store.shared else { return nil }
        let isUnread = store.state.withLock { store.isUnread($0) }
        return isUnread ? nil : handle.currentUser?.mpid
    }

    private func call(
        _ kind: FleetStep.Kind,
        _ number: Int,
        _ handle: Installation,
        _ process: FleetProcess,
        _ generator: inout SeededGenerator
    ) {
        let customer = "c-\(number)-\(generator.pick(1, 2, 3))"
        let whenBusy: ConflictPolicy = generator.pick(.refuse, .wait(upTo: .seconds(20)))
        let isGiven = generator.chance(0.5)
        let (book, witness) = (self.book, self.witness)
        let call = witness.begin(kind, number)
        book.with { $0.calls[number, default: 0] += 1 }
        // An open's identify may have come later.
        let isAlone = !self.isIdentified(number)
        process.spawn {
            var change: FleetFacts.Change?
            do throws(SignetError) {
                switch kind {
                case .login:
                    let result = try await handle.login([.customerID: customer], whenBusy: whenBusy)
                    if isAlone { change = .user(result.user.mpid) }
                case .logout:
                    let user = try await handle.logout(whenBusy: whenBusy).user
                    if isAlone { change = .user(user.mpid) }
                case .refresh:
                    try await handle.refresh()
                    witness.check(handle, after: call)
                case .consent:
                    let mpid = handle.currentUser?.mpid
                    try await handle.setConsent(ConsentState(gdpr: ["ads": Consent(isGiven)]), of: mpid)
                    if let mpid { change = .consent(FleetFacts.Told(mpid: mpid, isGiven: isGiven)) }
                case .endSession: try await handle.endSession()
                default:
                    guard let mpid = handle.currentUser?.mpid else { break }
                    _ = try await handle.incrementAttribute("n", of: mpid)
                    change = .increment(mpid)
                    book.with { $0.increments[number, default: 0] += 1 }
                }
                book.reach("\(kind)")
            } catch {
                if error.code == .optedOut { witness.check(call, isRefused: true) }
                let isDoubtful = [.outcomeUnknown, .cancelled, .diskFailed].contains(error.code)
                if kind == .increment, isDoubtful { book.with { $0.doubtful[number, default: 0] += 1 } }
                book.reach("\(kind) \(error.code)")
                Self.judge(error, book)
            }
            witness.end(call, change)
            book.with { $0.calls[number, default: 0] -= 1 }
        }
    }

    /// Opting out and in, and erasing: what is promised holds from the moment at which the call returns.
    private func decide(
        _ kind: FleetStep.Kind,
        _ number: Int,
        _ handle: Installation,
        _ process: FleetProcess
    ) async {
        let (book, runtime, engine, emulator) = (self.book, process.runtime, self.engine, self.emulator)
        let witness = self.witness
        let call = witness.begin(kind, number)
        if kind == .optIn { book.with { _ = $0.optedOut.remove(number) } }
        if kind == .optOut { book.with { $0.optedOutUpTo[number] = Int.max } }
        await self.finish(process, "\(kind)") {
            var change: FleetFacts.Change?
            do throws(SignetError) {
                switch kind {
                case .optOut:
                    try await handle.setOptedOut(true)
                    book.with { _ = $0.optedOut.insert(number) }
                    change = .optedOut(true)
                case .optIn:
                    try await handle.setOptedOut(false)
                    change = .optedOut(false)
                    book.with { state in
                        if state.optedOutUpTo[number] != nil { state.optedOutUpTo[number] = state.events.count }
                    }
                default:
                    guard let mpid = handle.currentUser?.mpid else { break }
                    book.with { state in
                        state.erasing.insert(mpid)
                        state.erasedOn.insert(number)
                    }
                    let calls = book.with { $0.calls[number, default: 0] }
                    let begun = engine.milliseconds
                    let report = try await runtime.eraseUser(mpid, within: .seconds(3))
                    if report.replicasLeft == 0 { Self.note(erasureOf: mpid, begun, emulator, book) }
                    let isMentioned = engine.database.rows.values.contains { $0.mentions.contains(mpid) }
                    if calls == 0, isMentioned { book.fail("an erased user is in a row") }
                }
                book.reach("\(kind)")
            } catch {
                // A decision whose answer was lost may stand: nothing is known.
                if kind == .optOut { book.with { _ = $0.optedOut.remove(number) } }
                book.reach("\(kind) \(error.code)")
                Self.judge(error, book)
            }
            witness.end(call, change)
        }
    }

    /// Notes an erasure: from here on no event of before it may arrive, unless it is on the wire now.
    private static func note(erasureOf mpid: MPID, _ begun: Int64, _ emulator: Emulator, _ book: FleetBook) {
        let arrived = Set(emulator.events(of: mpid).compactMap(\.messageID))
        book.with { state in
            guard state.uploads == 0 else { return }
            state.erased.append(FleetBook.Erased(mpid: mpid, milliseconds: begun, arrived: arrived))
            state.reached["erasures that all knew", default: 0] += 1
        }
    }

    /// The reasons for which anything may be refused here.
    static func judge(_ error: SignetError, _ book: FleetBook) {
        let allowed: Set<SignetError.Code> = [
            .storeUnreachable, .storeBusy, .outcomeUnknown, .superseded, .requestInProgress, .optedOut, .closed,
            .noUser,
            .noSession, .timedOut, .notSent, .notConnected, .secureConnectionFailed, .transportFailed, .cancelled,
            .notRunning,
            .throttled, .serverFailure, .unexpectedAnswer, .diskFailed,
        ]
        if !allowed.contains(error.code) { book.fail("refused with \(error.code): \(error.message)") }
    }
}

/// A value that another task finds.
final class Box<Value: Sendable>: Sendable {
    private let state = Locked<Value?>(nil)

    var value: Value? { self.state.withLock { $0 } }

    func set(_ value: Value) {
        self.state.withLock { $0 = value }
    }
}
