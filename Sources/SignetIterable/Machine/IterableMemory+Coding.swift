// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport
import SignetWire

import struct FoundationEssentials.UUID

extension IterableMemory {
    /// Version 1: a JSON object, so that a later version can add members.
    private static let version: Int64 = 1

    /// The bytes on disk.
    func encoded() -> [UInt8] {
        var object: JSONObject = [
            "v": .number(JSONNumber(Self.version)),
            "first": .number(JSONNumber(Int64(clamping: self.first))),
            "next": .number(JSONNumber(Int64(clamping: self.next))),
            "low": .number(JSONNumber(Int64(clamping: self.low))),
            "until": .number(JSONNumber(Int64(clamping: self.reserved))),
            "turns": .array(self.turns.map(\.json)),
        ]
        object["consent"] = self.consentedAt.map { .number(JSONNumber($0)) }
        if let sessions {
            object["sessions"] = .array(
                [sessions.total, sessions.first, sessions.last].map { .number(JSONNumber($0)) }
            )
        }
        if let activation {
            object["activation"] = .array([.string(activation.userID), .string(activation.criterion)])
        }
        object["reserved"] = self.reservedID.map(JSONValue.string)
        object["followed"] = self.followed.map { .string($0.uuidString) }
        object["merge"] = self.nextMerge.map(JSONValue.string)
        object["push"] = self.pushToken?.json
        object["notify"] = self.allowsNotifications.map(JSONValue.bool)
        return JSONValue.object(object).encoded()
    }

    /// Reads the bytes on disk; nil when they are something else.
    ///
    /// - Throws: `newerFormat` for a record of a later version.
    init?(_ bytes: [UInt8]) throws(SignetError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes)
        } catch {
            return nil
        }
        guard let version = value["v"]?.number?.int64 else { return nil }
        guard version <= Self.version else {
            throw SignetError(
                .newerFormat,
                "A newer version of Signet wrote an Iterable record (format \(version)). Use that version."
            )
        }
        guard let first = value["first"]?.ordinal, let next = value["next"]?.ordinal,
            let low = value["low"]?.ordinal, let reserved = value["until"]?.ordinal, low <= reserved,
            let stored = value["turns"]?.array
        else { return nil }
        let turns = stored.compactMap { IterableTurn($0) }
        guard turns.count == stored.count, turns.dropLast().allSatisfy({ $0.end != nil }) else { return nil }
        self.init(turns: turns, first: first, next: next, low: low, reserved: reserved)
        self.consentedAt = value["consent"]?.number?.int64
        if let times = value["sessions"]?.array?.compactMap({ $0.number?.int64 }), times.count == 3 {
            self.sessions = .init(total: times[0], first: times[1], last: times[2])
        }
        if let texts = value["activation"]?.array?.compactMap(\.string), texts.count == 2 {
            self.activation = Activation(userID: texts[0], criterion: texts[1])
        }
        self.reservedID = value["reserved"]?.string
        self.followed = value["followed"]?.string.flatMap { UUID(uuidString: $0) }
        self.nextMerge = value["merge"]?.string
        self.pushToken = value["push"].flatMap { IterablePushToken($0) }
        self.allowsNotifications = value["notify"]?.bool
    }
}

extension IterableTurn {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "known": .bool(self.isKnown),
            "from": .number(JSONNumber(Int64(clamping: self.from))),
            "born": .number(JSONNumber(Int64(clamping: self.born))),
            "tasks": .array(self.tasks.map(\.json)),
        ]
        switch self.id {
        case .email(let email): object["email"] = .string(email)
        case .userID(let userID): object["user"] = .string(userID)
        }
        object["mpid"] = self.mpid.map { .number(JSONNumber($0.rawValue)) }
        object["end"] = self.end.map { .number(JSONNumber(Int64(clamping: $0))) }
        return .object(object)
    }

    fileprivate init?(_ json: JSONValue) {
        let email = json["email"]?.string.map(IterableUserID.email)
        guard let id = email ?? json["user"]?.string.map(IterableUserID.userID), let isKnown = json["known"]?.bool,
            let from = json["from"]?.ordinal, let born = json["born"]?.ordinal, let stored = json["tasks"]?.array
        else { return nil }
        let tasks = stored.compactMap { IterableTask($0) }
        guard tasks.count == stored.count else { return nil }
        self.init(
            id: id,
            isKnown: isKnown,
            from: from,
            born: born,
            end: json["end"]?.ordinal,
            tasks: tasks,
            mpid: json["mpid"]?.number?.int64.flatMap(MPID.init(rawValue:))
        )
    }
}

extension IterableTask {
    fileprivate var json: JSONValue {
        switch self {
        case .create(let userID, let criterion): ["create", .string(userID), .string(criterion)]
        case .announce: ["announce"]
        case .awaitToken: ["token"]
        case .merge(let source): ["merge", .string(source)]
        case .consent(let at, let isKnown): ["consent", .number(JSONNumber(at)), .bool(isKnown)]
        case .register(let token, let allows): ["register", token.json, allows.map(JSONValue.bool) ?? .null]
        case .disable(let token, let source): ["disable", .string(token), source.map(JSONValue.string) ?? .null]
        case .changeEmail(let email): ["email", .string(email)]
        }
    }

    fileprivate init?(_ json: JSONValue) {
        guard let parts = json.array, let name = parts.first?.string else { return nil }
        let second = parts.count > 1 ? parts[1] : .null
        let third = parts.count > 2 ? parts[2] : .null
        switch (name, second.string) {
        case ("announce", _): self = .announce
        case ("token", _): self = .awaitToken
        case ("create", let userID?):
            guard let criterion = third.string else { return nil }
            self = .create(userID: userID, criterion: criterion)
        case ("merge", let source?): self = .merge(source: source)
        case ("disable", let token?): self = .disable(token: token, of: third.string)
        case ("email", let email?): self = .changeEmail(email)
        case ("consent", _):
            guard let at = second.number?.int64, let isKnown = third.bool else { return nil }
            self = .consent(at: at, isKnown: isKnown)
        case ("register", _):
            guard let token = IterablePushToken(second) else { return nil }
            self = .register(token, allowsNotifications: third.bool)
        default: return nil
        }
    }
}

extension IterablePushToken {
    fileprivate var json: JSONValue {
        [.string(self.token), .string(self.platform)]
    }

    fileprivate init?(_ json: JSONValue) {
        guard let texts = json.array?.compactMap(\.string), texts.count == 2 else { return nil }
        self.init(token: texts[0], platform: texts[1])
    }
}

extension JSONValue {
    /// A number of a record; nil for anything else.
    fileprivate var ordinal: UInt64? {
        self.number?.int64.flatMap { UInt64(exactly: $0) }
    }
}
