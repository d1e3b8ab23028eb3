// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

extension IterableMemory: StoredRecord {
    static var subject: String { "an Iterable visitor" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("first", self.first)
        encoder.write("next", self.next)
        encoder.write("low", self.low)
        encoder.write("reserved", self.reserved)
        encoder.write("turns", self.turns)
        encoder.write("consent", self.consentedAt)
        encoder.write("sessions", self.sessions)
        encoder.write("activation", self.activation)
        encoder.write("reservedID", self.reservedID)
        encoder.write("followed", self.followed)
        encoder.write("synced", self.synced)
        encoder.write("merge", self.nextMerge)
        encoder.write("push", self.pushToken)
        encoder.write("notify", self.allowsNotifications)
        encoder.write("paused", flag: self.pausesTokens)
        encoder.write("no400", self.refusals.isEmpty ? nil : self.refusals)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.first = try decoder.read("first")
        self.next = try decoder.read("next")
        self.low = try decoder.read("low")
        self.reserved = try decoder.read("reserved")
        self.turns = try decoder.read("turns")
        self.consentedAt = try decoder.optional("consent")
        self.sessions = try decoder.optional("sessions")
        self.activation = try decoder.optional("activation")
        self.reservedID = try decoder.optional("reservedID")
        self.followed = try decoder.optional("followed")
        self.synced = try decoder.optional("synced")
        self.nextMerge = try decoder.optional("merge")
        self.pushToken = try decoder.optional("push")
        self.allowsNotifications = try decoder.optional("notify")
        self.pausesTokens = try decoder.flag("paused")
        self.refusals = try decoder.optional("no400") ?? []
        guard self.low <= self.reserved, self.turns.dropLast().allSatisfy({ $0.end != nil }) else {
            throw RecordDamage(field: "turns")
        }
    }
}

extension IterableMemory.Activation: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("user", self.userID)
        encoder.write("criterion", self.criterion)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(userID: decoder.read("user"), criterion: decoder.read("criterion"))
    }
}

extension IterableMemory.Refusals: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("of", self.subject)
        encoder.write("status", self.status)
        encoder.write("count", self.count)
        encoder.write("before", self.before)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            subject: decoder.read("of"),
            status: decoder.read("status"),
            count: decoder.read("count"),
            before: decoder.read("before")
        )
    }
}

extension UnknownSessions: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("total", self.total)
        encoder.write("first", self.first)
        encoder.write("last", self.last)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(total: decoder.read("total"), first: decoder.read("first"), last: decoder.read("last"))
    }
}

extension IterableTurn: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        switch self.id {
        case .email(let email): encoder.write("email", email)
        case .userID(let userID): encoder.write("user", userID)
        }
        encoder.write("known", flag: self.isKnown)
        encoder.write("from", self.from)
        encoder.write("born", self.born)
        encoder.write("end", self.end)
        encoder.write("mpid", self.mpid)
        encoder.write("tasks", self.tasks)
        encoder.write("paused", flag: self.pausesTokens)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let email: String? = try decoder.optional("email")
        let id: IterableUserID = if let email { .email(email) } else { .userID(try decoder.read("user")) }
        let isKnown = try decoder.flag("known")
        try self.init(
            person: isKnown ? .known(id) : .unknown(userID: id.text),
            from: decoder.read("from"),
            born: decoder.read("born"),
            end: decoder.optional("end"),
            tasks: decoder.read("tasks"),
            mpid: decoder.optional("mpid"),
            pausesTokens: decoder.flag("paused")
        )
    }
}

extension IterableTask: RecordFields {
    private enum Name: String {
        case create, announce, awaitToken, merge, consent, register, disable, changeEmail
    }

    private var name: Name {
        switch self {
        case .create: .create
        case .announce: .announce
        case .awaitToken: .awaitToken
        case .merge: .merge
        case .consent: .consent
        case .register: .register
        case .disable: .disable
        case .changeEmail: .changeEmail
        }
    }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("do", self.name.rawValue)
        switch self {
        case .announce, .awaitToken: break
        case .create(let userID, let criterion):
            encoder.write("user", userID)
            encoder.write("criterion", criterion)
        case .merge(let source): encoder.write("user", source)
        case .consent(let at, let isKnown):
            encoder.write("at", at)
            encoder.write("known", flag: isKnown)
        case .register(let token, let allows):
            encoder.write("push", token)
            encoder.write("notify", allows)
        case .disable(let token, let source):
            encoder.write("token", token)
            encoder.write("user", source)
        case .changeEmail(let email): encoder.write("email", email)
        }
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self =
            switch Name(rawValue: try decoder.read("do")) {
            case .announce: .announce
            case .awaitToken: .awaitToken
            case .create: try .create(userID: decoder.read("user"), criterion: decoder.read("criterion"))
            case .merge: .merge(source: try decoder.read("user"))
            case .consent: try .consent(at: decoder.read("at"), isKnown: decoder.flag("known"))
            case .register: try .register(decoder.read("push"), allowsNotifications: decoder.optional("notify"))
            case .disable: try .disable(token: decoder.read("token"), of: decoder.optional("user"))
            case .changeEmail: .changeEmail(try decoder.read("email"))
            case nil: throw RecordDamage(field: "do")
            }
    }
}

extension IterablePushToken: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("token", self.token)
        encoder.write("platform", self.platform)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(token: decoder.read("token"), platform: decoder.read("platform"))
    }
}
