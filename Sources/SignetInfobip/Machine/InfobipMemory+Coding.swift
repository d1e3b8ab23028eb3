// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

extension InfobipMemory {
    /// Version 1: a JSON object, so that a later version can add members.
    private static let version: Int64 = 1

    /// The bytes on disk.
    func encoded() -> [UInt8] {
        var object: JSONObject = [
            "v": .number(JSONNumber(Self.version)), "code": .string(self.application),
            "me": self.installation.known.record, "scopes": .array(self.scopes.map(\.record)),
            "number": Self.json(self.lastNumber), "event": Self.json(self.nextEvent),
        ]
        object["push"] = self.token?.record
        switch self.registration {
        case .none: break
        case .lost: object["registration"] = [:]
        case .active(let active):
            var record: JSONObject = ["id": .string(active.id), "at": .number(JSONNumber(active.at))]
            record["push"] = active.token?.record
            record["system"] = active.systemHash.map(JSONValue.string)
            object["registration"] = .object(record)
        }
        object["former"] = self.former.isEmpty ? nil : InfobipRecordJSON.strings(self.former)
        object["saveMe"] = self.installation.changes.record
        object["inexactMe"] = self.installation.isExact ? nil : true
        switch self.attachment {
        case .known(let id): object["known"] = Self.json(id)
        // Who is surely there is not known after a relaunch.
        case .moving(let to, _): object["moving"] = Self.json(to)
        }
        if !self.parked.isEmpty {
            let parked = self.parked.sorted { $0.value.id < $1.value.id }
            object["parked"] = .array(
                parked.map { ["of": $0.key.changes.record ?? .null, "has": $0.value.record] }
            )
        }
        object["followed"] = self.followed.map { .string($0.uuidString) }
        return JSONValue.object(object).encoded()
    }

    /// Reads the bytes on disk; nil if they are something else.
    ///
    /// - Throws: `newerFormat` for a record of a later version.
    init?(_ bytes: [UInt8]) throws(SignetError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes, limits: JSONLimits(bytes: 1 << 26, depth: 64, values: 1 << 22))
        } catch {
            return nil
        }
        guard let version = value["v"]?.number?.int64 else { return nil }
        guard version <= Self.version else {
            throw SignetError(
                .newerFormat,
                "A newer version of Signet wrote an Infobip record (format \(version)). Use that version."
            )
        }
        guard version == Self.version, let application = value["code"]?.string, let me = value["me"],
            let scopes = value["scopes"]?.array?.compactMap({ PersonScope(record: $0) }), !scopes.isEmpty,
            let lastNumber = Self.number(value["number"]), let nextEvent = Self.number(value["event"])
        else { return nil }
        self.init(application: application)
        self.installation.known = InfobipInstallation(record: me)
        self.installation.changes = InfobipInstallationChanges(record: value["saveMe"])
        self.installation.isExact = !(value["inexactMe"]?.bool ?? false)
        self.scopes = scopes
        self.lastNumber = lastNumber
        self.nextEvent = nextEvent
        self.token = InfobipPushToken(record: value["push"])
        if let record = value["registration"] {
            self.registration = .lost
            if let id = record["id"]?.string, let at = record["at"]?.number?.int64 {
                let token = InfobipPushToken(record: record["push"])
                self.registration = .active(.init(id: id, token: token, systemHash: record["system"]?.string, at: at))
            }
        }
        self.former = InfobipRecordJSON.strings(value["former"])
        if let id = Self.number(value["known"]) {
            self.attachment = .known(id)
            guard self.index(of: id) != nil else { return nil }
        } else {
            guard let id = Self.number(value["moving"]), let index = self.index(of: id),
                !self.scopes[index].barriers.isEmpty
            else { return nil }
            self.attachment = .moving(to: id, from: nil)
        }
        for record in value["parked"]?.array ?? [] {
            let name = InfobipIdentity(record: record["of"])
            if !name.isEmpty, let scope = record["has"].flatMap(PersonScope.init(record:)) { self.parked[name] = scope }
        }
        self.followed = value["followed"]?.string.flatMap(UUID.init(uuidString:))
    }

    fileprivate static func json(_ number: UInt64) -> JSONValue {
        .number(JSONNumber(Int64(clamping: number)))
    }

    fileprivate static func number(_ value: JSONValue?) -> UInt64? {
        value?.number?.int64.flatMap { UInt64(exactly: $0) }
    }
}

extension PersonScope {
    fileprivate var record: JSONValue {
        var object: JSONObject = ["id": InfobipMemory.json(self.id)]
        if case .named(let identity) = self.claim { object["claim"] = identity.changes.record ?? [:] }
        if !self.barriers.isEmpty { object["barriers"] = .array(self.barriers.map(\.record)) }
        object["save"] = self.edits.record
        if !self.own.isEmpty { object["own"] = InfobipRecordJSON.strings(self.own.map(\.text).sorted()) }
        if !self.events.isEmpty {
            object["events"] = .array(
                self.events.ranges.map { [InfobipMemory.json($0.lowerBound), InfobipMemory.json($0.upperBound)] }
            )
        }
        if !self.sessions.all.isEmpty { object["sessions"] = .array(self.sessions.all.map(\.record)) }
        if let snapshot { object["user"] = snapshot.record ?? [:] }
        object["inexact"] = self.isExact ? nil : true
        return .object(object)
    }

    fileprivate init?(record: JSONValue) {
        guard let id = InfobipMemory.number(record["id"]) else { return nil }
        self.init(id: id)
        if let claim = record["claim"] { self.claim = .named(InfobipIdentity(record: claim)) }
        for barrier in record["barriers"]?.array ?? [] {
            guard let barrier = Barrier(record: barrier) else { return nil }
            self.barriers.append(barrier)
        }
        self.edits = InfobipEdits(record: record["save"])
        self.own = Set(InfobipRecordJSON.strings(record["own"]).compactMap(InfobipField.init(text:)))
        self.events = InfobipEventQueue(
            record["events"]?.array?.compactMap { record in
                let ends = record.array?.compactMap { InfobipMemory.number($0) } ?? []
                return ends.count == 2 && ends[0] <= ends[1] ? ends[0]..<ends[1] : nil
            } ?? []
        )
        self.sessions.all = record["sessions"]?.array?.compactMap { InfobipSessions.Session(record: $0) } ?? []
        self.snapshot = record["user"].map { InfobipUser(record: $0) }
        self.isExact = !(record["inexact"]?.bool ?? false)
    }
}

extension PersonScope.Barrier {
    fileprivate var record: JSONValue {
        var object: JSONObject = ["number": InfobipMemory.json(self.number)]
        switch self.origin {
        case .app: object["by"] = "app"
        case .login(let id): object["by"] = .string(id.uuidString)
        case .restore: break
        }
        switch self {
        case .detach: object["is"] = "detach"
        case .look: object["is"] = "look"
        case .attach(let attach):
            let options = attach.personalization.options
            object["is"] = "attach"
            object["of"] = attach.personalization.identity.changes.record
            if let attributes = attach.personalization.attributes { object["says"] = attributes.changes.record ?? [:] }
            object["forces"] = options.forceDepersonalize ? true : nil
            object["lead"] = options.keepAsLead ? true : nil
            object["primary"] = options.setDeviceAsPrimary ? true : nil
        }
        return .object(object)
    }

    fileprivate init?(record: JSONValue) {
        guard let number = InfobipMemory.number(record["number"]) else { return nil }
        let origin: PersonScope.Origin =
            switch record["by"]?.string {
            case nil: .restore
            case "app": .app
            case let text?: UUID(uuidString: text).map { .login($0) } ?? .app
            }
        switch record["is"]?.string {
        case "detach": self = .detach(number, origin)
        case "look": self = .look(number)
        case "attach":
            let options = InfobipRoute.PersonalizeOptions(
                forceDepersonalize: record["forces"]?.bool ?? false,
                keepAsLead: record["lead"]?.bool ?? false,
                setDeviceAsPrimary: record["primary"]?.bool ?? false
            )
            let attributes = record["says"].map { InfobipAttributes(InfobipUserChanges(record: $0)) }
            let identity = InfobipIdentity(record: record["of"])
            guard !identity.isEmpty else { return nil }
            self = .attach(
                .init(
                    number: number,
                    personalization: .init(identity: identity, attributes: attributes, options: options),
                    origin: origin
                )
            )
        default: return nil
        }
    }
}

extension InfobipAttributes {
    /// The attributes that changes set.
    fileprivate init(_ changes: InfobipUserChanges) {
        self.init()
        self.firstName = changes.firstName.apply(to: nil)
        self.middleName = changes.middleName.apply(to: nil)
        self.lastName = changes.lastName.apply(to: nil)
        self.gender = changes.gender.apply(to: nil)
        self.birthday = changes.birthday.apply(to: nil)
        self.tags = changes.tags.apply(to: nil)
        self.customAttributes = changes.customAttributes
    }
}

extension InfobipEdits {
    fileprivate var record: JSONValue? {
        guard !self.isEmpty else { return nil }
        let numbers = Dictionary(self.numbers.map { ($0.key.text, $0.value) }) { $1 }
        return ["is": self.changes.record ?? [:], "at": InfobipRecordJSON.object(numbers) { InfobipMemory.json($0) }]
    }

    fileprivate init(record: JSONValue?) {
        var numbers: [InfobipField: UInt64] = [:]
        for (text, number) in InfobipRecordJSON.members(record?["at"], { InfobipMemory.number($0) }) {
            if let field = InfobipField(text: text) { numbers[field] = number }
        }
        self.init(InfobipUserChanges(record: record?["is"]), numbers: numbers)
    }
}

extension InfobipField {
    private static let standard: [String: InfobipField] = [
        "ext": .externalUserID, "first": .firstName, "middle": .middleName, "last": .lastName, "gender": .gender,
        "birthday": .birthday, "phones": .phones, "emails": .emails, "tags": .tags,
    ]

    fileprivate var text: String {
        if case .custom(let key) = self { return "custom." + key }
        return Self.standard.first { $0.value == self }?.key ?? ""
    }

    fileprivate init?(text: String) {
        if text.hasPrefix("custom.") {
            self = .custom(String(text.dropFirst("custom.".count)))
        } else {
            guard let field = Self.standard[text] else { return nil }
            self = field
        }
    }
}

extension InfobipIdentity {
    fileprivate init(record: JSONValue?) {
        self = InfobipUser().applying(InfobipUserChanges(record: record)).identity
    }
}

extension InfobipPushToken {
    fileprivate var record: JSONValue {
        [.string(self.token), .string(self.service)]
    }

    fileprivate init?(record: JSONValue?) {
        let texts = InfobipRecordJSON.strings(record)
        guard texts.count == 2 else { return nil }
        self.init(token: texts[0], service: texts[1])
    }
}

extension InfobipSessions.Session {
    fileprivate var record: JSONValue {
        [.number(JSONNumber(self.start)), .number(JSONNumber(self.end)), .bool(self.isStartReported)]
    }

    fileprivate init?(record: JSONValue) {
        guard let parts = record.array, parts.count == 3, let start = parts[0].number?.int64,
            let end = parts[1].number?.int64, let isStartReported = parts[2].bool
        else { return nil }
        self.init(start: start, end: end, isStartReported: isStartReported)
    }
}
