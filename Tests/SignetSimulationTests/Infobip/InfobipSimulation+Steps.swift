// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetInfobip
import SignetModel
import SignetTestSupport
import SignetTesting

/// What can happen.
extension InfobipSimulation {
    func perform(_ kind: InfobipStep.Kind, _ generator: inout SeededGenerator) async {
        let number = Int.random(in: 0..<self.installationCount, using: &generator)
        let device = self.device(of: number)
        switch kind {
        case .save, .saveInstallation, .personalize, .depersonalize, .depersonalizeOther, .setPrimary, .fetchUser,
            .fetchInstallation, .immediateEvent, .queuedEvent, .active, .retry, .optOut:
            await self.call(kind, on: number, &generator)
        case .token:
            self.changeToken(number, &generator)
        case .expire:
            self.expire(number)
        case .network:
            device.faults =
                generator.chance(0.35)
                ? .fine : InfobipFault.allCases[Int.random(in: 0..<InfobipFault.allCases.count, using: &generator)]
            self.tell("network of \(device.installations): \(device.faults)")
            device.life?.network.set(device.faults)
        case .moment:
            self.clock.advance(by: .milliseconds(generator.pick(100, 1000, 2500, 5000, 21_000)))
        case .minutes:
            self.clock.advance(by: .seconds(generator.pick(61, 130, 400, 4000)))
        case .rest:
            await self.rest(device)
        case .kill:
            // What apps see now is what the next process must show.
            // But for what the disk has not taken, of which somebody was told; and of a process that is dead already nobody sees anything.
            let isAlive = device.life.map { $0.disk.crash == nil && $0.observer.damages.isEmpty } ?? false
            for number in device.installations where isAlive {
                if let profile = device.profile(number) { device.seen[number] = InfobipDevice.Seen(profile) }
            }
            device.life?.disk.plan(.kill, after: 0)
        case .lateKill:
            device.seen = [:]
            device.life?.disk.plan(.kill, after: Int.random(in: 1...25, using: &generator))
        case .powerLoss:
            device.seen = [:]
            device.life?.disk.plan(.powerLoss, after: generator.pick(0, Int.random(in: 1...25, using: &generator)))
        }
    }

    /// What goes wrong with the disks from now on.
    func setDisk(_ faults: DiskFault) {
        for device in self.devices {
            device.life?.disk.set(faults)
            if faults != .fine { device.hadBadDisk = true }
        }
        self.tell("disks: \(faults)")
        self.ledger.with { book in
            if faults != .fine { book.hasBadDisk = true }
            book.reach("disk \(faults)")
        }
    }

    /// Lets what is under way come to its end, unless the faults holds it up.
    private func rest(_ device: InfobipDevice) async {
        for _ in 0..<8 {
            await self.executor.settled()
            guard device.life?.disk.crash == nil else { return }
            self.clock.advance(by: .seconds(3))
        }
        await self.executor.settled()
        self.lookForTraces()
    }

    /// The platform ends the registration of an installation, as when its push token has died.
    private func expire(_ number: Int) {
        guard let id = self.device(of: number).profile(number)?.installation.pushRegistrationID else { return }
        guard self.emulator.infobip.expireInstallation(id) else { return }
        self.tell("registration of \(number) is gone")
        self.ledger.with { book in
            book.expire(id)
            book.reach("expired")
        }
    }

    // MARK: - Push tokens

    private func changeToken(_ number: Int, _ generator: inout SeededGenerator) {
        guard self.hasToken[number], generator.chance(0.3) else { return self.setToken(number) }
        self.hasToken[number] = false
        self.tell("\(number) loses its push token")
        self.ledger.with { $0.reach("token removed") }
        self.spawn(on: number) { profile throws(SignetError) in try await profile.setPushToken(nil) }
    }

    func setToken(_ number: Int) {
        self.tokens += 1
        self.hasToken[number] = true
        let token = Secret("ab0\(self.tokens)")
        self.tell("\(number) has push token \(self.tokens)")
        self.spawn(on: number) { profile throws(SignetError) in
            try await profile.setPushToken(PushToken(token, service: .firebase))
        }
    }

    /// Somebody asks for something that has no consequences here but its own.
    func spawn(on number: Int, _ body: @escaping @Sendable (InfobipProfile) async throws(SignetError) -> Void) {
        let device = self.device(of: number)
        guard let life = device.life, let profile = device.profile(number) else { return }
        let (ledger, disk) = (self.ledger, life.disk)
        life.spawn {
            do throws(SignetError) {
                try await body(profile)
            } catch {
                guard disk.crash == nil else { return }
                ledger.tell("    \(number): \(error.code)")
                ledger.with { $0.judge(error, on: number) }
            }
        }
    }
}

extension InfobipBook {
    /// Whether an error is one that may come of all that happens here.
    mutating func judge(_ error: SignetError, on installation: Int) {
        guard !self.isOver else { return }
        self.reach("error \(error.code)")
        switch error.code {
        case .diskFailed where self.hasBadDisk, .diskFull where self.hasBadDisk: break
        case .invalidArgument, .invalidConfiguration, .diskFailed, .diskFull, .closed, .cancelled:
            self.fail("installation \(installation) was told \(error.code): \(error.message)")
        case .optedOut where !self.owners[installation].hasOptedOut:
            self.fail("installation \(installation) was told \(error.code)")
        default:
            break
        }
    }
}
