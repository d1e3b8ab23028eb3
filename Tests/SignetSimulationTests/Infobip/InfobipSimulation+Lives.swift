// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting

@testable import Signet
@testable import SignetInfobip

extension InfobipSimulation {
    /// Begins a process on what the last one left.
    ///
    /// - Parameters:
    ///   - device: Where.
    ///   - opens: Whether its installations are opened.
    func start(_ device: InfobipDevice, opens: Bool = true) async {
        device.lives += 1
        let image: DiskFolder
        do {
            image = try DiskFolder.temporary()
        } catch {
            return self.fail("no folder: \(error)")
        }
        let disk = CrashingDisk(
            folder: device.folder,
            image: image,
            seed: self.generator.next(),
            canLosePower: self.steps.contains { $0.kind == .powerLoss },
            note: { [executor] in executor.note($0) }
        )
        let network = InfobipNetwork(
            to: self.emulator,
            ledger: self.ledger,
            executor: self.executor,
            clock: self.clock,
            seed: self.generator.next(),
            isAlive: { disk.crash == nil },
            remembers: { registration in
                InfobipDiskReader.memories(in: disk.folder).contains { memory in
                    guard memory.active?.id == registration else { return false }
                    return if case .moving = memory.people.attachment { true } else { false }
                }
            }
        )
        network.set(device.faults)
        let observer = InfobipObserver()
        do throws(SignetError) {
            let runtime = try SignetRuntime(
                self.configuration(device, disk),
                services: [InfobipService(self.infobip(device))],
                transport: network,
                observer: observer
            )
            let life = InfobipLife(
                disk: disk,
                network: network,
                runtime: runtime,
                observer: observer,
                executor: self.executor
            )
            device.life = life
        } catch {
            self.fail("a process cannot begin: \(error.message)")
            return image.remove()
        }
        if opens { await self.openAll(device) }
    }

    /// Opens the installations of a device, but for those that never return.
    func openAll(_ device: InfobipDevice) async {
        guard let life = device.life else { return }
        do throws(SignetError) {
            let isFirst = device.lives == 1 && !self.isDayOver
            for number in device.installations where isFirst || !self.leavers.contains(number) {
                let installation = try await life.runtime.open(InstallationID("device-\(number)"), identify: .none)
                life.installations[number] = installation
                let name = installation.deviceApplicationStamp.uuidString.lowercased()
                self.ledger.with { $0.names[name] = number }
            }
            self.compare(device)
        } catch {
            self.fail("an installation cannot be opened: \(error.message)")
        }
    }

    /// What apps see after a restart is what they saw before it.
    private func compare(_ device: InfobipDevice) {
        defer { device.seen = [:] }
        for (number, before) in device.seen.sorted(by: { $0.key < $1.key }) {
            guard let profile = device.profile(number) else { continue }
            let now = InfobipDevice.Seen(profile)
            if now.installation != before.installation {
                self.fail("after a restart, installation \(number) is \(Self.differences(before, now))")
            }
            if device.persists, now != before {
                self.fail("after a restart, the person of \(number) is \(Self.differences(before, now))")
            }
            if !device.persists, now.user != InfobipUser() {
                self.fail("after a restart, somebody is known of \(number)")
            }
            self.ledger.with { $0.reach("compared after a restart") }
        }
    }

    private static func differences(_ before: InfobipDevice.Seen, _ now: InfobipDevice.Seen) -> String {
        var parts: [String] = []
        func compare<Value: Equatable>(_ name: String, _ old: Value, _ new: Value) {
            if old != new { parts.append("\(name): \(old) -> \(new)") }
        }
        compare("pending", before.hasPendingChanges, now.hasPendingChanges)
        compare("depersonalizing", before.isDepersonalizationPending, now.isDepersonalizationPending)
        compare("id", before.installation.pushRegistrationID, now.installation.pushRegistrationID)
        compare("primary", before.installation.isPrimary, now.installation.isPrimary)
        compare("enabled", before.installation.isPushRegistrationEnabled, now.installation.isPushRegistrationEnabled)
        compare(
            "own custom",
            Self.texts(before.installation.customAttributes),
            Self.texts(now.installation.customAttributes)
        )
        compare("app user", before.installation.applicationUserID, now.installation.applicationUserID)
        compare("service", before.installation.pushServiceType, now.installation.pushServiceType)
        compare("first", before.user.firstName, now.user.firstName)
        compare("gender", before.user.gender, now.user.gender)
        compare("birthday", before.user.birthday, now.user.birthday)
        compare("external", before.user.externalUserID, now.user.externalUserID)
        compare("phones", before.user.phones, now.user.phones)
        compare("emails", before.user.emails, now.user.emails)
        compare("tags", before.user.tags, now.user.tags)
        compare("type", before.user.type, now.user.type)
        compare("custom", Self.texts(before.user.customAttributes), Self.texts(now.user.customAttributes))
        compare("installations", before.user.installations.count, now.user.installations.count)
        return parts.isEmpty ? "different" : parts.joined(separator: ", ")
    }

    private static func texts(_ values: [String: InfobipValue]) -> [String] {
        values.map { "\($0.key) \(InfobipSample.kind(of: $0.value)) \(InfobipSample.text($0.value))" }.sorted()
    }

    private func configuration(_ device: InfobipDevice, _ disk: CrashingDisk) -> SignetConfiguration {
        var setup = SeededGenerator(seed: self.seed &+ 2)
        var configuration = SignetConfiguration.application(
            apiKey: self.emulator.configuration.apiKey,
            secret: self.emulator.configuration.secret,
            directory: device.folder.path
        )
        configuration.sessions.mode = .server
        let clock = self.clock
        configuration.time = TimeSource(
            clock: WatchedClock(clock: clock, executor: self.executor),
            milliseconds: { clock.milliseconds }
        )
        configuration.jitter = { 0.5 }
        let sessionIDs = Locked(SeededGenerator(seed: UInt64(device.lives)))
        configuration.newSessionID = {
            let (high, low) = sessionIDs.withLock { ($0.next(), $0.next()) }
            return UUID(uuid: unsafeBitCast((high, low), to: uuid_t.self))
        }
        configuration.disk = disk.disk
        configuration.diskWork = .callingTask
        configuration.journal.segmentBytes = 8 << 10
        configuration.stateLog.fileBytes = setup.pick(4 << 10, 64 << 10)
        configuration.stateLog.compactionBytes = setup.pick(1 << 10, 16 << 10)
        return configuration
    }

    func infobip(_ device: InfobipDevice) -> InfobipConfiguration {
        // The third pick of the generator; the first two are the sizes of the state log.
        var setup = SeededGenerator(seed: self.seed &+ 2)
        _ = (setup.pick(4 << 10, 64 << 10), setup.pick(1 << 10, 16 << 10))
        var profiles = InfobipConfiguration(applicationCode: "emulated-application")
        profiles.system.os = "Linux"
        profiles.followsLogin = false
        profiles.persistsUserData = device.persists
        profiles.notificationsEnabled = setup.pick(nil, true, false)
        return profiles
    }

    /// Begins the next process if this one has died.
    func restartIfDead(_ device: InfobipDevice, opens: Bool = true) async {
        while let life = device.life, let crash = life.disk.crash {
            self.tell("\(crash) of process \(device.lives) of \(device.installations)")
            self.ledger.with { book in
                book.reach("\(crash)")
                for number in device.installations where book.owners[number].underWay > 0 {
                    book.reach("\(crash) with a request under way")
                }
            }
            self.noteDeath(of: device, losesPower: crash == .powerLoss)
            if crash == .powerLoss { device.powerLosses += 1 }
            await self.bury(device)
            device.folder.remove()
            device.folder = life.disk.image
            await self.start(device, opens: opens)
            self.lookForTraces()
        }
    }

    /// Writes down that a process has ended.
    func noteDeath(of device: InfobipDevice, losesPower: Bool = false) {
        self.ledger.with { book in
            for number in device.installations {
                book.died(number, losesUser: !device.persists, losesPower: losesPower)
            }
        }
    }

    /// Lets go of a process: whoever waits for it is answered, in a world where nothing of it can be seen any more.
    func bury(_ device: InfobipDevice) async {
        guard let life = device.life else { return }
        if device.powerLosses == 0, !device.hadBadDisk, !life.observer.damages.isEmpty {
            self.fail("damage: \(life.observer.damages)")
        }
        if life.disk.faults > 0 { self.ledger.with { $0.reach("disk faults", life.disk.faults) } }
        life.cancel()
        for _ in 0..<100 where !life.isOver {
            await self.executor.settled()
            if !life.isOver { self.clock.advance(by: .seconds(1)) }
        }
        if !life.isOver { self.fail("\(life.waiting) wait for a process that has ended") }
        if life.disk.crash == nil { life.disk.image.remove() }
        device.life = nil
    }
}
