// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetIterable
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting

/// What can happen.
extension IterableSimulation {
    func perform(_ kind: IterableStep.Kind, _ generator: inout SeededGenerator) async {
        let number = Int.random(in: 0..<Self.installationCount, using: &generator)
        switch kind {
        case .track, .signup, .update, .consent, .identify, .login, .logout, .leave, .changeEmail, .token, .optOut:
            // So that it is known what came before it, and what after; requests may still be under way.
            await self.executor.settled()
            self.call(kind, number, &generator)
            await self.executor.settled()
        case .network:
            self.networkFaults = Self.faults[Int.random(in: 0..<Self.faults.count, using: &generator)]
            self.tell("network: \(self.networkFaults)")
            self.life?.network.set(self.networkFaults)
        case .moment: self.clock.advance(by: .milliseconds(generator.pick(100, 1000, 2500, 5000, 21_000)))
        case .minutes: self.clock.advance(by: .seconds(generator.pick(61, 130, 400)))
        case .hours: self.clock.advance(by: .seconds(generator.pick(2000, 4000, 90_000)))
        case .kill: self.life?.disk.plan(.kill, after: 0)
        case .lateKill: self.life?.disk.plan(.kill, after: Int.random(in: 1...25, using: &generator))
        case .shutdown: await self.shutDown()
        }
    }

    /// The visitor agrees to be tracked.
    func agree(_ number: Int) {
        guard let installation = self.life?.installations[number] else { return }
        self.spawn { _ in try await installation.iterable.setTrackingConsent(true) }
    }

    private func call(_ kind: IterableStep.Kind, _ number: Int, _ generator: inout SeededGenerator) {
        guard let installation = self.life?.installations[number] else { return }
        let visitor = installation.iterable
        let choice = Int.random(in: 0..<4, using: &generator)
        self.tell("\(number) \(kind) \(choice), \(visitor.state)")
        switch kind {
        case .track, .signup: self.track(number, installation, signsUp: kind == .signup)
        case .update:
            self.spawn { _ in try await visitor.update(["plan": .string("p\(choice)")]) }
        case .consent:
            let isGiven = choice > 0
            // From here on, what a visitor did may be dropped; also if the process dies.
            if !isGiven { self.book.withLock { $0.excuse(number, "consent revoked", ofKnown: false) } }
            self.spawn { _ in try await visitor.setTrackingConsent(isGiven) }
        case .identify:
            self.spawn { book in
                try await visitor.identify(.email("person\(choice)@example.com"))
                book { $0.owe(number) }
            }
        case .login:
            self.spawn { book in
                try await installation.login([.email: "person\(choice)@example.com"])
                book { $0.owe(number) }
            }
        case .logout: self.spawn { _ in try await installation.logout() }
        case .leave: self.spawn { _ in try await visitor.logout() }
        case .changeEmail:
            let email = "new\(self.book.withLock { $0.records.count })@example.com"
            self.spawn { _ in try await visitor.updateEmail(email) }
        case .token:
            self.spawn { _ in try await visitor.setPushToken(PushToken(Secret("AA0\(choice)"), service: .apns)) }
        default: self.optOut(number, installation, isOut: choice > 1)
        }
    }

    private func track(_ number: Int, _ installation: Installation, signsUp: Bool) {
        let isKnown =
            switch installation.iterable.state {
            case .known, .resolving: true
            default: false
            }
        let record = self.book.withLock { $0.begin(on: number, isOfKnown: isKnown) }
        self.spawn { book in
            let fields: IterableFields = ["does": signsUp ? "signup" : "browse"]
            let result = try await installation.iterable.track("e-\(record)", fields: fields)
            book { book in
                book.end(record, result)
                // The criterion is met: the visitor becomes an unknown user, whoever comes back.
                if signsUp, result == .buffered { book.owe(number) }
            }
        }
    }

    private func optOut(_ number: Int, _ installation: Installation, isOut: Bool) {
        if isOut { self.book.withLock { $0.excuse(number, "opted out", ofKnown: true) } }
        let clock = self.clock
        self.spawn { book in
            try await installation.setOptedOut(isOut)
            if isOut { book { $0.optedOut(number, at: clock.now.offset) } }
        }
    }

    /// Somebody asks for something; what follows from it is written down, unless the process is dead by then.
    private func spawn(_ body: @escaping @Sendable (((inout IterableBook) -> Void) -> Void) async throws -> Void) {
        guard let life = self.life else { return }
        let (book, disk) = (self.book, life.disk)
        life.spawn {
            do {
                try await body { change in
                    guard disk.crash == nil else { return }
                    book.withLock { change(&$0) }
                }
            } catch {
                guard disk.crash == nil, let error = error as? SignetError else { return }
                book.withLock { book in
                    book.reach("error \(error.code)")
                    switch error.code {
                    case .invalidArgument, .invalidConfiguration, .diskFailed, .diskFull, .serviceNotConfigured:
                        book.fail("somebody was told \(error.code): \(error.message)")
                    default: break
                    }
                }
            }
        }
    }
}
