// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

extension InfobipMemory: StoredRecord {
    static var subject: String { "an Infobip profile" }
    var expectedSize: Int { 1024 }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("code", self.application)
        encoder.write("push", self.token)
        switch self.registration {
        case .none: break
        case .active(let active): encoder.write("active", active)
        case .lost: encoder.write("lost", flag: true)
        }
        encoder.write("former", some: self.former)
        encoder.write("own", self.installation)
        encoder.write("people", self.people)
        encoder.write("event", self.nextEvent)
        encoder.write("followed", self.followed)
        encoder.write("no413", self.tooLarge)
        encoder.write("synced", self.synced)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.init(application: try decoder.read("code"))
        self.token = try decoder.optional("push")
        if let active: Registration.Active = try decoder.optional("active") {
            self.registration = .active(active)
        } else if try decoder.flag("lost") {
            self.registration = .lost
        }
        self.former = try decoder.optional("former") ?? []
        self.installation = try decoder.read("own")
        self.people = try decoder.read("people")
        self.nextEvent = try decoder.read("event")
        self.followed = try decoder.optional("followed")
        self.tooLarge = try decoder.optional("no413")
        self.synced = try decoder.optional("synced")
    }
}

extension PersonScopes: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("scopes", self.all)
        switch self.attachment {
        case .known(let id): encoder.write("known", id)
        // Who is surely there is not known after a relaunch.
        case .moving(let to, _): encoder.write("moving", to)
        }
        let parked = self.parked.sorted { $0.value.id < $1.value.id }
        let named = parked.map { name, scope in
            var scope = scope
            scope.claim = .named(name)
            return scope
        }
        encoder.write("parked", some: named)
        encoder.write("number", self.lastNumber)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let scopes: [PersonScope] = try decoder.read("scopes")
        let attachment: Attachment
        if let id: PersonScope.ID = try decoder.optional("known") {
            attachment = .known(id)
        } else {
            attachment = .moving(to: try decoder.read("moving"), from: nil)
        }
        var parked: [InfobipIdentity: PersonScope] = [:]
        for var scope: PersonScope in try decoder.optional("parked") ?? [] {
            guard case .named(let name) = scope.claim else { throw RecordDamage(field: "parked") }
            scope.claim = .anonymous
            parked[name] = scope
        }
        self.init(scopes, attachment: attachment, parked: parked, lastNumber: try decoder.read("number"))
        let isWhole =
            switch self.attachment {
            case .known(let id): self[id] != nil
            case .moving(let id, _): self[id].map { !$0.barriers.isEmpty } ?? false
            }
        guard isWhole else { throw RecordDamage(field: "scopes") }
    }
}

extension InfobipMemory.Registration.Active: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("id", self.id)
        encoder.write("push", self.token)
        encoder.write("system", self.systemHash)
        encoder.write("at", self.at)
        encoder.write("refused", self.refused)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            id: decoder.read("id"),
            token: decoder.optional("push"),
            systemHash: decoder.optional("system"),
            at: decoder.read("at"),
            refused: decoder.optional("refused")
        )
    }
}

extension InfobipMemory.Registration.RefusedSystem: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("system", self.hash)
        encoder.write("at", self.at)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(hash: decoder.read("system"), at: decoder.read("at"))
    }
}

extension InstallationReplica: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("known", self.known)
        encoder.write("save", self.edits.isEmpty ? nil : self.edits)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            known: decoder.read("known"),
            edits: decoder.optional("save") ?? InfobipInstallationEdits()
        )
    }
}

extension LastKnown: RecordValue where Value: RecordFields {}

extension LastKnown: RecordFields where Value: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("doubtful", flag: self.certain == nil)
        encoder.write("is", self.value)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let isDoubtful = try decoder.flag("doubtful")
        let value: Value = try decoder.read("is")
        self = isDoubtful ? .doubtful(value) : .exact(value)
    }
}

extension PersonScope: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("id", self.id)
        if case .named(let identity) = self.claim { encoder.write("claim", identity) }
        encoder.write("barriers", some: self.barriers)
        encoder.write("save", self.edits.isEmpty ? nil : self.edits)
        encoder.write("own", some: self.own.map(\.text).sorted())
        encoder.write("events", some: self.events.ranges.flatMap { [$0.lowerBound, $0.upperBound] })
        encoder.write("sessions", some: self.sessions.all)
        encoder.write("user", self.snapshot)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.init(id: try decoder.read("id"))
        let claim: InfobipIdentity? = try decoder.optional("claim")
        self.claim = claim.map { .named($0) } ?? .anonymous
        self.barriers = try decoder.optional("barriers") ?? []
        self.edits = try decoder.optional("save") ?? InfobipUserEdits()
        for text: String in try decoder.optional("own") ?? [] { self.own.insert(try InfobipField(text: text)) }
        let ends: [UInt64] = try decoder.optional("events") ?? []
        let lowers = stride(from: 0, to: ends.count, by: 2)
        guard ends.count.isMultiple(of: 2), lowers.allSatisfy({ ends[$0] <= ends[$0 + 1] }) else {
            throw RecordDamage(field: "events")
        }
        self.events = InfobipEventQueue(lowers.map { ends[$0]..<ends[$0 + 1] })
        self.sessions.all = try decoder.optional("sessions") ?? []
        self.snapshot = try decoder.optional("user")
    }
}

extension PersonScope.Barrier: RecordFields {
    private enum Name: String, RecordValue {
        case attach, detach, look
    }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("number", self.number)
        switch self.origin {
        case .app: encoder.write("app", flag: true)
        case .login(let id): encoder.write("login", id)
        case .restore: break
        }
        switch self {
        case .detach: encoder.write("do", Name.detach)
        case .look: encoder.write("do", Name.look)
        case .attach(let attach):
            encoder.write("do", Name.attach)
            encoder.write("of", attach.personalization.identity)
            encoder.write("says", attach.personalization.attributes)
            encoder.write("options", attach.personalization.options.rawValue)
        }
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let number: UInt64 = try decoder.read("number")
        let isOfApp = try decoder.flag("app")
        let login: UUID? = try decoder.optional("login")
        let origin = login.map { PersonScope.Origin.login($0) } ?? (isOfApp ? .app : .restore)
        switch try decoder.read("do") as Name {
        case .detach: self = .detach(number, origin)
        case .look: self = .look(number)
        case .attach:
            let personalization = InfobipCall.Personalization(
                identity: try decoder.read("of"),
                attributes: try decoder.optional("says"),
                options: .init(rawValue: try decoder.read("options"))
            )
            self = .attach(.init(number: number, personalization: personalization, origin: origin))
        }
    }
}

extension InfobipEdits: RecordValue where Changes: RecordFields {}

extension InfobipEdits: RecordFields where Changes: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("is", self.changes)
        encoder.write("at", Dictionary(self.numbers.map { ($0.key.text, $0.value) }) { $1 })
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let changes: Changes = try decoder.read("is")
        var numbers: [InfobipField: UInt64] = [:]
        for (text, number): (String, UInt64) in try decoder.read("at") as [String: UInt64] {
            numbers[try InfobipField(text: text)] = number
        }
        self.init(changes, numbers: numbers)
    }
}

extension InfobipField {
    private static let standard: [String: InfobipField] = [
        "ext": .externalUserID, "first": .firstName, "middle": .middleName, "last": .lastName, "gender": .gender,
        "birthday": .birthday, "phones": .phones, "emails": .emails, "tags": .tags,
        "user": .applicationUserID, "primary": .isPrimary, "enabled": .isPushRegistrationEnabled,
    ]

    fileprivate var text: String {
        if case .custom(let key) = self { return "custom." + key }
        return Self.standard.first { $0.value == self }?.key ?? ""
    }

    fileprivate init(text: String) throws(RecordDamage) {
        if text.hasPrefix("custom.") {
            self = .custom(String(text.dropFirst("custom.".count)))
        } else {
            guard let field = Self.standard[text] else { throw RecordDamage(field: text) }
            self = field
        }
    }
}

extension InfobipPushToken: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("token", self.token)
        encoder.write("service", self.service)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(token: decoder.read("token"), service: decoder.read("service"))
    }
}

extension InfobipSessions.Session: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("start", self.start)
        encoder.write("end", self.end)
        encoder.write("reported", flag: self.isStartReported)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            start: decoder.read("start"),
            end: decoder.read("end"),
            isStartReported: decoder.flag("reported")
        )
    }
}

extension StoredInfobipEvent: StoredRecord {
    static var subject: String { "an Infobip event" }
    var expectedSize: Int { self.element.count + 32 }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("n", self.ordinal)
        encoder.write("json", bytes: self.element)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.ordinal = try decoder.read("n")
        guard let element = try decoder.bytes("json") else { throw RecordDamage(field: "json") }
        self.element = element
    }
}
