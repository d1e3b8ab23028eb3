// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetInfobip
import SignetModel
import SignetTestSupport
import SignetTesting

/// What apps ask for.
extension InfobipSimulation {
    func call(_ kind: InfobipStep.Kind, on number: Int, _ generator: inout SeededGenerator) async {
        let ledger = self.ledger
        switch kind {
        case .save: self.save(on: number, &generator)
        case .saveInstallation: self.saveInstallation(on: number, &generator)
        case .personalize:
            let forces = generator.chance(0.45)
            if forces { await self.executor.settled() }
            self.personalize(on: number, forces: forces, &generator)
            if forces { await self.executor.settled() }
        case .depersonalize:
            // So that it is known what came before it, and what after.
            await self.executor.settled()
            self.depersonalize(on: number)
            await self.executor.settled()
        case .depersonalizeOther, .setPrimary: self.manage(kind, on: number, &generator)
        case .fetchUser:
            self.spawn(on: number) { profile throws(SignetError) in
                try await profile.fetchUser()
                ledger.with { $0.reach("fetched") }
            }
        case .fetchInstallation:
            self.spawn(on: number) { profile throws(SignetError) in try await profile.fetchInstallation() }
        case .immediateEvent: self.event(on: number, .immediate)
        case .queuedEvent: self.event(on: number, .queued)
        case .active:
            let isActive = generator.chance(0.5)
            self.spawn(on: number) { profile throws(SignetError) in try await profile.setActive(isActive) }
        case .retry:
            self.spawn(on: number) { profile throws(SignetError) in try await profile.retry() }
        default: self.optOut(number, generator.chance(0.5))
        }
    }

    /// One call of a profile that asks for values; how it ends is written down.
    private func ask(
        on number: Int,
        _ source: InfobipEdit.Source,
        _ fields: (Int) -> [(field: String, value: String?)],
        shifts: Bool = false,
        _ body: @escaping @Sendable (InfobipProfile) async throws(SignetError) -> InfobipSaveResult
    ) {
        let device = self.device(of: number)
        guard let life = device.life, let profile = device.profile(number) else { return }
        let asked = fields(self.ledger.with { $0.edits.count })
        let edits = self.ledger.with { book in
            if shifts { book.beginShift(of: number) }
            return book.begin(on: number, source, asked)
        }
        self.tell("\(number) asks \(source) \(edits.first ?? -1): \(asked.map { "\($0.field)=\($0.value ?? "nil")" })")
        let (ledger, disk, clock) = (self.ledger, life.disk, self.clock)
        life.spawn {
            var outcome: InfobipEdit.Outcome
            do throws(SignetError) {
                outcome = try await body(profile) == .done ? .done : .pending
            } catch {
                outcome = error.code == .rejected ? .refused(error.errors.first?.code ?? "") : .failed("\(error.code)")
                // Who is not let in is told so, and what they saved is kept all the same.
                if error.code == .unauthorized, source != .personalize { outcome = .pending }
                if disk.crash == nil { ledger.with { $0.judge(error, on: number) } }
            }
            guard disk.crash == nil else { return }
            ledger.tell("\(clock.now.offset)     \(source) \(edits.first ?? -1) of \(number): \(outcome)")
            ledger.with { book in
                book.reach("\(source) \(outcome.name)")
                book.end(edits, outcome)
                if shifts { book.endShift(of: number, isSure: outcome == .done) }
            }
        }
    }

    // MARK: - Values

    private func save(on number: Int, _ generator: inout SeededGenerator) {
        var changes = InfobipUserChanges()
        var fields: [(field: String, value: String?)] = []
        let first = self.ledger.with { $0.edits.count }
        var names = ["firstName", "middleName", "lastName", "tags", "custom.a", "custom.b", "phones", "emails"]
        if self.device(of: number).profile(number)?.user.externalUserID == nil, generator.chance(0.1) {
            names = ["externalUserId"]
        }
        for _ in 0..<generator.pick(1, 1, 2, 3) where !names.isEmpty {
            let field = names.remove(at: Int.random(in: 0..<names.count, using: &generator))
            let edit = first + fields.count
            let takesAway = field != "externalUserId" && generator.chance(0.2)
            let collides = generator.chance(0.15)
            let persona: InfobipPersona = generator.pick(.ann, .ben)
            var value: String? = "usr-\(edit)"
            switch field {
            case "phones": value = collides ? persona.phone : InfobipPersona.phone(edit)
            case "emails": value = collides ? persona.email : "usr-\(edit)@people.example"
            default: break
            }
            if takesAway { value = nil }
            fields.append((field, value))
            changes.change(field, value)
        }
        self.add(to: &changes, &fields, first, self.device(of: number).profile(number)?.user ?? InfobipUser())
        self.ask(on: number, .save, { _ in fields }) { [changes] profile throws(SignetError) in
            try await profile.saveUser(changes)
        }
    }

    private func saveInstallation(on number: Int, _ generator: inout SeededGenerator) {
        var changes = InfobipInstallationChanges()
        var fields: [(field: String, value: String?)] = []
        let edit = self.ledger.with { $0.edits.count }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            let isEnabled = generator.chance(0.5)
            changes.isPushRegistrationEnabled = isEnabled
            fields = [("regEnabled", "\(isEnabled)")]
        case 1:
            let isPrimary = generator.chance(0.7)
            changes.isPrimary = isPrimary
            fields = [("isPrimary", "\(isPrimary)")]
        case 2:
            // Of the installation, not of a person.
            changes.applicationUserID = .set("dev-\(edit)")
            fields = [("applicationUserId", "dev-\(edit)")]
        default:
            let takesAway = generator.chance(0.2)
            changes.customAttributes["a"] = takesAway ? .clear : .set(.string("dev-\(edit)"))
            fields = [("own.a", takesAway ? nil : "dev-\(edit)")]
        }
        let known = self.device(of: number).profile(number)?.installation ?? InfobipInstallation()
        self.add(to: &changes, &fields, edit, known)
        self.ask(on: number, .installation, { _ in fields }) { [changes] profile throws(SignetError) in
            try await profile.saveInstallation(changes)
        }
    }

    private func personalize(on number: Int, forces: Bool, _ generator: inout SeededGenerator) {
        // More often the same, or there would be little to do for two devices of one person.
        let persona: InfobipPersona = generator.pick(.ann, .ann, .ben)
        let identity: InfobipIdentity =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                InfobipIdentity(
                    phones: [persona.phone],
                    emails: [persona.email],
                    externalUserID: persona.externalUserID
                )
            case 5..<8: InfobipIdentity(externalUserID: persona.externalUserID)
            case 8: InfobipIdentity(phones: [persona.phone])
            default: InfobipIdentity(phones: [persona.other.phone], externalUserID: persona.externalUserID)
            }
        var attributes: InfobipAttributes?
        var fields: [(field: String, value: String?)] = []
        let edit = self.ledger.with { $0.edits.count }
        if generator.chance(0.5) {
            var given = InfobipAttributes()
            given.firstName = "usr-\(edit)"
            given.customAttributes["a"] = .set(.string("usr-\(edit + 1)"))
            attributes = given
            fields = [("firstName", "usr-\(edit)"), ("custom.a", "usr-\(edit + 1)")]
        }
        // They take the place of what was saved before.
        fields += identity.phones.isEmpty ? [] : [("phones", identity.phones[0])]
        fields += identity.emails.isEmpty ? [] : [("emails", identity.emails[0])]
        fields += identity.externalUserID.map { [("externalUserId", $0)] } ?? []
        self.add(to: &attributes, &fields, edit)
        let (keepsAsLead, becomesPrimary) = (generator.chance(0.2), generator.chance(0.3))
        self.tell("\(number) becomes \(persona)\(forces ? ", forced" : "")")
        self.ledger.with { $0.reach(forces ? "personalize forced" : "personalize not forced") }
        self.ask(on: number, .personalize, { _ in fields }, shifts: forces) {
            [attributes] profile throws(SignetError) in
            try await profile.personalize(
                identity,
                attributes: attributes,
                forceDepersonalize: forces,
                keepAsLead: keepsAsLead,
                setDeviceAsPrimary: becomesPrimary
            )
            return .done
        }
    }

    // MARK: - Others

    private func depersonalize(on number: Int) {
        let device = self.device(of: number)
        guard let life = device.life, let profile = device.profile(number) else { return }
        self.tell("\(number) becomes nobody's")
        self.ledger.with { $0.beginShift(of: number) }
        let (ledger, disk) = (self.ledger, life.disk)
        life.spawn {
            var outcome: String
            var isSure = true
            do throws(SignetError) {
                outcome = "\(try await profile.depersonalize())"
            } catch {
                outcome = "\(error.code)"
                isSure = error.code == .notRegistered
                if disk.crash == nil { ledger.with { $0.judge(error, on: number) } }
            }
            guard disk.crash == nil else { return }
            ledger.tell("    depersonalize of \(number): \(outcome)")
            ledger.with { book in
                book.reach("depersonalize \(outcome)")
                book.endShift(of: number, isSure: isSure)
            }
        }
    }

    private func manage(_ kind: InfobipStep.Kind, on number: Int, _ generator: inout SeededGenerator) {
        let other = (number + 1 + (self.installationCount > 2 ? generator.pick(0, 1) : 0)) % self.installationCount
        let isOwn = kind == .setPrimary && generator.chance(0.3)
        let whose = isOwn ? number : other
        guard let id = self.device(of: whose).profile(whose)?.installation.pushRegistrationID else { return }
        let isPrimary = generator.chance(0.8)
        let ledger = self.ledger
        if isOwn { ledger.with { $0.owners[number].hasSetPrimary = true } }
        self.spawn(on: number) { profile throws(SignetError) in
            // What another installation is called may be one's own by now.
            guard isOwn || profile.installation.pushRegistrationID != id else { return }
            if kind == .setPrimary {
                try await profile.setPrimary(id, isPrimary: isPrimary)
                ledger.with { $0.reach("setPrimary done") }
            } else {
                try await profile.depersonalizeInstallation(id)
                ledger.with { $0.reach("depersonalizeOther done") }
            }
        }
    }

    private func event(on number: Int, _ delivery: InfobipProfile.EventDelivery) {
        let device = self.device(of: number)
        guard let life = device.life, let profile = device.profile(number) else { return }
        let event = self.ledger.with { $0.beginEvent(on: number) }
        let (ledger, disk) = (self.ledger, life.disk)
        life.spawn {
            var outcome = InfobipEdit.Outcome.pending
            do throws(SignetError) {
                outcome = try await profile.submit(InfobipEvent("e-\(event)"), delivery) == .done ? .done : .pending
            } catch {
                outcome = .failed("\(error.code)")
                if disk.crash == nil { ledger.with { $0.judge(error, on: number) } }
            }
            guard disk.crash == nil else { return }
            ledger.with { book in
                book.endEvent(event, outcome)
                book.reach("event \(delivery) \(outcome.name)")
            }
        }
    }

    func optOut(_ number: Int, _ isOptedOut: Bool) {
        let device = self.device(of: number)
        guard let life = device.life, let installation = life.installations[number] else { return }
        self.tell("\(number) opts \(isOptedOut ? "out" : "in")")
        let (ledger, disk, clock) = (self.ledger, life.disk, self.clock)
        let choice = ledger.with { book in
            book.owners[number].hasOptedOut = true
            if !isOptedOut { book.owners[number].optedOutAt = nil }
            book.owners[number].choices += 1
            book.excuseAll(of: number, "opted out")
            for event in book.events.indices where book.events[event].installation == number {
                book.events[event].excuse = "opted out"
            }
            return book.owners[number].choices
        }
        life.spawn {
            do throws(SignetError) {
                try await installation.setOptedOut(isOptedOut)
                guard disk.crash == nil else { return }
                ledger.with { book in
                    book.reach(isOptedOut ? "opted out" : "opted in")
                    guard isOptedOut, book.owners[number].choices == choice else { return }
                    book.owners[number].optedOutAt = clock.now.offset
                }
            } catch {
                guard disk.crash == nil else { return }
                ledger.with { $0.judge(error, on: number) }
            }
        }
    }
}

extension InfobipEdit.Outcome {
    /// Without what it was about.
    var name: String {
        switch self {
        case .open: "open"
        case .done: "done"
        case .pending: "pending"
        case .refused(let code): "refused \(code)"
        case .failed(let code): "failed \(code)"
        case .died: "died"
        }
    }
}
