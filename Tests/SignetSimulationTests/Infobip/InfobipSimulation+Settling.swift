// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTesting
import SignetTransport

@testable import Signet
@testable import SignetInfobip

/// How everything comes to rest, and what must be true then.
extension InfobipSimulation {
    /// Mends the world, waits until nothing waits any more, and looks at what the platform has.
    func settle() async {
        self.tell("everything is mended")
        for device in self.devices {
            device.faults = .calm
            device.life?.disk.forgetPlan()
            device.life?.disk.set(.fine)
            await self.restartIfDead(device)
            device.life?.disk.forgetPlan()
            device.life?.network.set(.calm)
        }
        await self.executor.settled()
        await self.outliveTheDay()
        guard self.isWell else { return }
        for number in self.present {
            if self.ledger.with({ $0.owners[number].hasOptedOut }) { self.optOut(number, false) }
            self.spawn(on: number) { profile throws(SignetError) in try await profile.setActive(false) }
        }
        await self.executor.settled()
        for number in self.present
        where self.device(of: number).profile(number)?.installation.pushServiceToken == nil { self.setToken(number) }
        guard await self.drain() else { return }
        // Longer than any pause that the service has asked for.
        self.clock.advance(by: .seconds(1000))
        // Whose registration is gone finds it out now, and begins anew.
        for _ in 0..<2 {
            for number in self.present {
                self.spawn(on: number) { profile throws(SignetError) in
                    try await profile.fetchInstallation()
                    try await profile.fetchUser()
                }
            }
            guard await self.drain() else { return }
        }
        self.checkAlways()
        self.lookForTraces()
        self.checkReference()
        for number in self.present { self.checkSnapshot(number) }
        self.checkEdits()
    }

    /// Waits until nothing waits any more.
    private func drain() async -> Bool {
        for round in 0..<60 {
            await self.executor.settled()
            if await self.isIdle() { return true }
            // What it runs on is another thing after an hour, and is told with whatever comes next.
            for number in self.present where round.isMultiple(of: 10) {
                self.spawn(on: number) { profile throws(SignetError) in try await profile.retry() }
            }
            await self.executor.settled()
            self.clock.advance(by: .seconds(round < 10 ? 3 : 200))
        }
        for number in self.present {
            guard let machine = await self.machine(number) else { continue }
            let time = self.device(of: number).life?.runtime.context.configuration.time
            let isBusy = machine.hasWork(now: time?.uptime ?? .zero, milliseconds: self.clock.milliseconds)
            if isBusy || machine.hasPendingChanges {
                self.fail("\(number) is never done: busy \(isBusy), pending \(machine.hasPendingChanges)")
                self.tell("\(machine.inFlight.map { "\($0.operation)" } ?? "-") \(machine.memory)")
            }
        }
        if self.isWell {
            self.fail("calls are never answered: \(self.devices.map { $0.life?.waiting ?? 0 })")
        }
        return false
    }

    private func isIdle() async -> Bool {
        for device in self.devices where (device.life?.waiting ?? 1) > 1 { return false }
        for number in self.present {
            guard let machine = await self.machine(number) else { return false }
            let uptime = self.device(of: number).life?.runtime.context.configuration.time.uptime ?? .zero
            if machine.hasWork(now: uptime, milliseconds: self.clock.milliseconds) || machine.hasPendingChanges {
                return false
            }
        }
        return true
    }

    private func machine(_ number: Int) async -> InfobipStateMachine? {
        guard let installation = self.device(of: number).life?.installations[number] else { return nil }
        do throws(SignetError) {
            return await (try installation.infobip.manager()).machine
        } catch {
            self.fail("installation \(number) has no profile: \(error.message)")
            return nil
        }
    }

    // MARK: - Checks

    /// The people handler knows what the reference knows.
    private func checkReference() {
        let reference = self.ledger.with { $0.people }
        let handler = self.emulator.infobip
        for installation in handler.installations() {
            guard let known = reference.registrations[installation.id],
                let other = reference.person(of: installation.id),
                let person = handler.person(of: installation.id)
            else {
                self.fail("the reference does not know a registration")
                continue
            }
            if installation.isPrimary != known.isPrimary { self.fail("the reference has another primary installation") }
            if Self.texts(installation.json) != Self.custom(known.fields) {
                self.fail("the reference has other attributes of an installation")
            }
            if installation.isEnabled != (known.fields["regEnabled"] != "false") {
                self.fail("the reference has another regEnabled")
            }
            if installation.applicationUserID != known.fields["applicationUserId"] {
                self.fail("the reference has another application user")
            }
            if Set(person.installations) != Set(other.registrations) {
                self.fail("the reference has other installations")
            }
            if Self.fields(of: person) != other.all {
                self.fail("the reference has other values: \(Self.fields(of: person)), \(other.all)")
            }
            if person.isCustomer != other.isCustomer { self.fail("the reference has another type") }
        }
        if reference.registrations.count != handler.installations().count
            || reference.infobip.count != handler.people().count
        {
            self.fail("the reference knows others")
        }
        self.ledger.with { $0.reach("people", handler.people().count) }
    }

    private static func texts(_ attributes: JSONObject) -> [String: String] {
        Dictionary(attributes.map { ($0.key, InfobipSample.text($0.value)) }) { $1 }.compactMapValues(\.self)
    }

    private static func custom(_ fields: [String: String]) -> [String: String] {
        let own = fields.filter { $0.key.hasPrefix("own.") }
        return Dictionary(own.map { (String($0.key.dropFirst("own.".count)), $0.value) }, uniquingKeysWith: { $1 })
    }

    private static func fields(of person: EmulatedInfobipPerson) -> [String: String] {
        var fields = ["firstName": person.firstName, "middleName": person.middleName, "lastName": person.lastName]
            .compactMapValues(\.self)
        fields["externalUserId"] = person.externalUserID
        fields["gender"] = person.gender
        fields["birthday"] = person.birthday
        fields["tags"] = Self.list(person.tags)
        fields["phones"] = Self.list(person.phones)
        fields["emails"] = Self.list(person.emails)
        for (key, text) in Self.texts(person.json) { fields["custom." + key] = text }
        return fields
    }

    private static func list(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.joined(separator: ",")
    }

    /// Apps see what the platform has.
    private func checkSnapshot(_ number: Int) {
        guard let profile = self.device(of: number).profile(number),
            let id = profile.installation.pushRegistrationID,
            let installation = self.emulator.infobip.installation(id), let person = self.emulator.infobip.person(of: id)
        else { return self.fail("installation \(number) is not registered in the end") }
        var seen = Self.fields(of: profile.user)
        seen["tags"] = Self.list(profile.user.tags.sorted())
        if seen != Self.fields(of: person) {
            self.fail("\(number) sees \(seen), the platform has \(Self.fields(of: person))")
        }
        if (profile.user.type == .customer) != person.isCustomer { self.fail("\(number) sees another type") }
        if Set(profile.user.installations.map(\.pushRegistrationID)) != Set(person.installations) {
            self.fail(
                "\(number) sees installations \(profile.user.installations.map { ($0.pushRegistrationID ?? "").prefix(4) }), the platform has \(person.installations.map { $0.prefix(4) })"
            )
        }
        let own = profile.installation
        if own.isPrimary != installation.isPrimary { self.fail("\(number) sees isPrimary \(own.isPrimary)") }
        if own.isPushRegistrationEnabled != installation.isEnabled { self.fail("\(number) sees another regEnabled") }
        if own.applicationUserID != installation.applicationUserID {
            self.fail("\(number) sees another application user")
        }
        let attributes = own.customAttributes.mapValues(InfobipSample.text)
        if attributes != Self.texts(installation.json) { self.fail("\(number) sees other attributes of its own") }
    }

    private static func fields(of user: InfobipUser) -> [String: String] {
        var fields = ["firstName": user.firstName, "middleName": user.middleName, "lastName": user.lastName]
            .compactMapValues(\.self)
        fields["externalUserId"] = user.externalUserID
        fields["gender"] = user.gender?.rawValue
        fields["birthday"] = user.birthday?.description
        fields["phones"] = Self.list(user.phones)
        fields["emails"] = Self.list(user.emails)
        for (key, value) in user.customAttributes { fields["custom." + key] = InfobipSample.text(value) }
        return fields
    }

    /// What was accepted has arrived.
    private func checkEdits() {
        let book = self.ledger.with { $0 }
        for edit in book.edits where book.isMissing(edit.number) {
            self.fail("\(edit.source) \(edit.number) of \(edit.field) on \(edit.installation) is lost")
        }
        for (number, event) in book.events.enumerated() where event.outcome == .pending && !event.isApplied {
            if book.reasonToMiss(event: number) == nil { self.fail("event \(number) is lost") }
        }
        for number in self.present { self.checkLast(number, book) }
        self.ledger.with { $0.reach("edits applied", book.edits.count { $0.isApplied }) }
        for edit in book.edits where !edit.isApplied {
            let reason = book.reasonToMiss(edit.number) ?? edit.outcome.name
            self.ledger.with { $0.reach("edit not applied: \(reason.split(separator: " ").first ?? "")") }
        }
    }
}

extension ReferenceInfobip.Person {
    /// Everything but the type, as texts.
    var all: [String: String] {
        var all = self.fields
        all["externalUserId"] = self.externalUserID
        all["phones"] = self.phones.isEmpty ? nil : self.phones.joined(separator: ",")
        all["emails"] = self.emails.isEmpty ? nil : self.emails.joined(separator: ",")
        return all
    }
}
