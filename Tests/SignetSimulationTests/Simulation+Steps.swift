// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting

@testable import Signet

/// What can happen.
extension Simulation {
    func perform(_ kind: Step.Kind, _ generator: inout SeededGenerator) async {
        guard let life = self.life else { return }
        let number = Int.random(in: 0..<Self.installationCount, using: &generator)
        switch kind {
        case .log:
            for _ in 0..<generator.pick(1, 1, 2, 5) { await self.log(on: number, &generator) }
        case .burst:
            for _ in 0..<generator.pick(30, 120, 230) { await self.log(on: number, &generator) }
        case .login, .logout, .modify, .identify, .search:
            await self.call(kind, on: number, &generator)
        case .close:
            life.installations[number]?.endLaunch()
            life.installations[number] = nil
        case .background:
            let installation = await self.installation(number, &generator)
            self.attempt { () throws(SignetError) in try installation?.enterBackground() }
        case .foreground:
            let installation = await self.installation(number, &generator)
            self.attempt { () throws(SignetError) in try installation?.enterForeground() }
        case .moment:
            self.clock.advance(by: .milliseconds(generator.pick(100, 1000, 1000, 5000, 16_000)))
        case .minutes:
            self.clock.advance(by: .seconds(generator.pick(61, 61, 130, 700)))
        case .hours:
            self.clock.advance(by: .seconds(generator.pick(7300, 90_000)))
        case .wallClock:
            self.clock.shiftWallClock(by: .seconds(generator.pick(-3600, 3600, -86_400, 100_000)))
        case .network:
            self.networkFaults = generator.chance(0.4) ? .fine : Self.any(NetworkFaults.allCases, &generator)
            self.tell("network \(self.networkFaults)")
            life.network.set(self.networkFaults)
        case .disk:
            life.disk.set(generator.chance(0.5) ? .fine : Self.any(DiskFault.allCases, &generator))
            self.tell("disk \(life.disk.faults)")
        case .flush:
            self.flush()
        case .kill:
            life.disk.plan(.kill, after: generator.pick(0, Int.random(in: 1...60, using: &generator)))
        case .powerLoss:
            life.disk.plan(.powerLoss, after: generator.pick(0, Int.random(in: 1...60, using: &generator)))
        case .shutdown:
            await self.shutDown(within: generator.pick(.seconds(1), .seconds(30)))
        case .optOut:
            await self.optOut(on: number, &generator)
        case .forget:
            await self.forget(on: number, &generator)
        case .consent, .pushToken:
            await self.changeFacts(kind, on: number, &generator)
        case .factsKill:
            await self.dieOverAnAnswer(on: number, &generator)
        }
    }

    private static func any<Value>(_ values: [Value], _ generator: inout SeededGenerator) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }

    /// Something that a bad disk may refuse.
    private func attempt(_ body: () throws(SignetError) -> Void) {
        do throws(SignetError) {
            try body()
        } catch {
            self.judge(error)
        }
    }

    /// Only a bad disk is a reason to refuse anything here.
    func judge(_ error: SignetError) {
        guard let disk = self.life?.disk, disk.crash == nil else { return }
        self.tell("refused: \(error.code)")
        // What is asked of an installation that has opted out; that it has, is looked at where it matters.
        guard error.code != .optedOut else { return self.ledger.reach("refused after an opt-out") }
        self.ledger.reach("\(error.code)")
        if disk.faults == 0 { self.fail("refused without a fault: \(error.message)") }
        if ![.diskFull, .diskFailed].contains(error.code) { self.fail("refused with \(error.code): \(error.message)") }
    }

    /// The handle of an installation; nil while the disk refuses it.
    func installation(_ number: Int, _ generator: inout SeededGenerator) async -> Installation? {
        guard let life = self.life else { return nil }
        if let installation = life.installations[number] { return installation }
        if number == self.neverReturns, let first = self.firstSeen[number], first < self.lives {
            self.ledger.reach("a visitor never returned")
            return nil
        }
        let identify: IdentifyPolicy = generator.pick(.oncePerProcess, .ifUnknown, .none)
        if case .none = identify {} else { self.mayBeIdentified.insert(number) }
        do throws(SignetError) {
            let installation = try await life.runtime.open(InstallationID("visitor-\(number)"), identify: identify)
            life.installations[number] = installation
            self.firstSeen[number] = self.firstSeen[number] ?? self.lives
            if life.disk.crash == nil {
                self.stamps[number, default: []].insert(installation.deviceApplicationStamp.uuidString.lowercased())
            }
        } catch {
            self.judge(error)
        }
        return life.installations[number]
    }

    private func log(on number: Int, _ generator: inout SeededGenerator) async {
        guard let life = self.life, let installation = await self.installation(number, &generator) else { return }
        let attributes: Attributes = ["number": .integer(Int64(self.events.count))]
        let event: Event =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: .screen("shelf", attributes: attributes)
            case 1: .purchase(Purchase(transactionID: "t", total: 9.5), attributes: attributes)
            default: .custom("look", attributes: attributes)
            }
        var logged = LoggedEvent(installation: number, mpid: installation.currentUser?.mpid, outcome: .accepted)
        self.attempt { () throws(SignetError) in
            logged.outcome = .refused
            try installation.log(event)
            logged.outcome = self.unsure.contains(number) ? .unknown : .accepted
        }
        if (logged.outcome == .refused) != installation.isOptedOut, life.disk.faults == 0, life.disk.crash == nil {
            self.fail("an event was \(logged.outcome), opted out: \(installation.isOptedOut)")
        }
        if life.disk.crash != nil { logged.outcome = .unknown }
        self.events.append(logged)
        self.executor.note("\(number) \(logged.outcome) \(logged.mpid?.rawValue ?? 0)")
    }

    private func call(_ kind: Step.Kind, on number: Int, _ generator: inout SeededGenerator) async {
        guard let life = self.life, let installation = await self.installation(number, &generator) else { return }
        self.mayBeIdentified.insert(number)
        // Nobody belongs to two installations, so that a user tells where an event comes from.
        let request: IdentityRequest = [.customerID: "c-\(number)-\(generator.pick(1, 2, 3))"]
        let whenBusy: ConflictPolicy = generator.pick(.refuse, .wait(upTo: .seconds(20)))
        let retry = generator.pick(nil, RetryPolicy(totalTime: .seconds(60), jitter: 0))
        life.call("\(kind) \(number)") { () async throws(SignetError) in
            switch kind {
            case .login: try await installation.login(request, whenBusy: whenBusy, retry: retry)
            case .logout: try await installation.logout(whenBusy: whenBusy, retry: retry)
            case .modify: try await installation.modify([.email: "\(number)@example.com"], whenBusy: whenBusy)
            case .search: _ = try await installation.search(request, whenBusy: whenBusy, retry: retry)
            default: try await installation.identify(whenBusy: whenBusy, retry: retry)
            }
        }
    }

    /// Facts that no event need carry to the platform.
    private func changeFacts(_ kind: Step.Kind, on number: Int, _ generator: inout SeededGenerator) async {
        guard let life = self.life, let installation = await self.installation(number, &generator) else { return }
        let (isGiven, token) = (generator.chance(0.5), "token-\(number)-\(generator.pick(1, 2, 3))")
        guard kind == .consent else {
            return life.call("\(kind) \(number)") { () async throws(SignetError) in
                try await installation.setDeviceIdentity(token, for: .pushToken)
            }
        }
        let (answers, answeredByNobody, disk) = (self.answers, self.answeredByNobody, life.disk)
        life.call("\(kind) \(number)") { () async throws(SignetError) in
            let state = ConsentState(gdpr: ["ads": Consent(isGiven)])
            // Of a process that has died nobody sees anything.
            guard disk.crash == nil else { return try await installation.setConsent(state) }
            guard let mpid = installation.currentUser?.mpid else {
                _ = answeredByNobody.withLock { $0.insert(number) }
                return try await installation.setConsent(state)
            }
            answers.withLock { $0[mpid, default: ConsentAnswers()].begin(isGiven) }
            do throws(SignetError) {
                try await installation.setConsent(state, of: mpid)
                if disk.crash == nil { answers.withLock { $0[mpid]?.end(isGiven, hasFailed: false) } }
            } catch {
                if disk.crash == nil { answers.withLock { $0[mpid]?.end(isGiven, hasFailed: true) } }
                throw error
            }
        }
    }

    /// A kill while an answer is written down, or while that is noted which the platform says to its batch.
    private func dieOverAnAnswer(on number: Int, _ generator: inout SeededGenerator) async {
        await self.changeFacts(.consent, on: number, &generator)
        guard let life = self.life, life.disk.crash == nil else { return }
        if generator.chance(0.5) {
            await self.executor.settled()
            await self.log(on: number, &generator)
            self.clock.advance(by: .seconds(700))
        }
        self.ledger.reach("a kill over an answer was planned")
        life.disk.plan(.kill, after: Int.random(in: 1...12, using: &generator))
    }

    private func flush() {
        guard let life = self.life else { return }
        self.attempt { () throws(SignetError) in
            try life.runtime.context.disk.sync()
            guard life.disk.crash == nil else { return }
            self.ledger.reach("flush")
            self.markDurable()
        }
    }
}
