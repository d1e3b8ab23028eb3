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
            "me": self.profile.record, "events": Self.json([self.events.lowerBound, self.events.upperBound]),
        ]
        object["push"] = self.token?.record
        if let registration {
            var record: JSONObject = ["id": .string(registration.id), "at": .number(JSONNumber(registration.at))]
            record["push"] = registration.token?.record
            record["system"] = registration.systemHash.map(JSONValue.string)
            object["registration"] = .object(record)
        }
        object["former"] = self.former.isEmpty ? nil : InfobipRecordJSON.strings(self.former)
        object["user"] = self.user.record
        object["save"] = self.userChanges.record
        object["farewell"] = self.farewell.record
        object["introduction"] = self.introduction?.changes.record
        object["saveMe"] = self.installationChanges.record
        object["depersonalize"] = [
            .string(self.depersonalization.status.rawValue), .bool(self.depersonalization.isRequested),
            .number(JSONNumber(Int64(self.depersonalization.failures))),
        ]
        object["somebody"] = self.isPersonalized ? true : nil
        object["recovery"] = self.recovery == .none ? nil : .string(self.recovery.rawValue)
        object["doubt"] = self.doubt == .none ? nil : .string(self.doubt.rawValue)
        object["doubtMe"] = self.isInfobipDoubted ? true : nil
        if !self.unanswered.isEmpty { object["unanswered"] = .array(self.unanswered.map(\.record)) }
        object["leaving"] = self.leaving == 0 ? nil : .number(JSONNumber(Int64(clamping: self.leaving)))
        object["departed"] = self.departed?.changes.record
        if !self.untold.isEmpty { object["untold"] = Self.json([self.untold.lowerBound, self.untold.upperBound]) }
        object["doubted"] = self.doubted.map { .number(JSONNumber(Int64(clamping: $0))) }
        if !self.sessions.left.isEmpty { object["left"] = .array(self.sessions.left.map(\.record)) }
        if !self.sessions.all.isEmpty { object["sessions"] = .array(self.sessions.all.map(\.record)) }
        object["followed"] = self.followed.map { .string($0.uuidString) }
        object["linked"] = self.linked?.record
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
        guard let application = value["code"]?.string, let me = value["me"],
            let events = value["events"]?.array?.compactMap({ $0.number?.int64.flatMap { UInt64(exactly: $0) } }),
            events.count == 2, events[0] <= events[1],
            let parts = value["depersonalize"]?.array, parts.count == 3,
            let status = parts[0].string.flatMap(Depersonalization.Status.init), let isRequested = parts[1].bool,
            let failures = parts[2].number?.int64.flatMap({ Int(exactly: $0) })
        else { return nil }
        self.init(application: application)
        self.profile = InfobipInstallation(record: me)
        self.events = events[0]..<events[1]
        self.depersonalization = .init(status: status, isRequested: isRequested, failures: failures)
        self.token = InfobipPushToken(record: value["push"])
        if let record = value["registration"] {
            guard let id = record["id"]?.string, let at = record["at"]?.number?.int64 else { return nil }
            let token = InfobipPushToken(record: record["push"])
            self.registration = Registration(id: id, token: token, systemHash: record["system"]?.string, at: at)
        }
        self.former = InfobipRecordJSON.strings(value["former"])
        self.user = InfobipUser(record: value["user"])
        self.userChanges = InfobipUserChanges(record: value["save"])
        self.farewell = InfobipUserChanges(record: value["farewell"])
        self.introduction = Self.identity(value["introduction"])
        self.installationChanges = InfobipInstallationChanges(record: value["saveMe"])
        self.isPersonalized = value["somebody"]?.bool ?? false
        self.recovery = value["recovery"]?.string.flatMap(Recovery.init) ?? .none
        self.doubt = value["doubt"]?.string.flatMap(Doubt.init) ?? .none
        self.isInfobipDoubted = value["doubtMe"]?.bool ?? false
        self.unanswered = value["unanswered"]?.array?.map(Unanswered.init(record:)) ?? []
        self.sessions.all = value["sessions"]?.array?.compactMap { InfobipSessions.Session(record: $0) } ?? []
        self.sessions.left = value["left"]?.array?.compactMap { InfobipSessions.Session(record: $0) } ?? []
        self.leaving = value["leaving"]?.number?.int64.flatMap { UInt64(exactly: $0) } ?? 0
        self.departed = Self.identity(value["departed"])
        let untold = value["untold"]?.array?.compactMap { $0.number?.int64.flatMap { UInt64(exactly: $0) } } ?? []
        if untold.count == 2, untold[0] <= untold[1] { self.untold = untold[0]..<untold[1] }
        self.doubted = value["doubted"]?.number?.int64.flatMap { UInt64(exactly: $0) }
        self.followed = value["followed"]?.string.flatMap(UUID.init(uuidString:))
        self.linked = Linked(record: value["linked"])
    }

    fileprivate static func identity(_ record: JSONValue?) -> InfobipIdentity? {
        let user = InfobipUser().applying(InfobipUserChanges(record: record))
        return user.hasIdentity ? user.identity : nil
    }

    private static func json(_ numbers: [UInt64]) -> JSONValue {
        .array(numbers.map { .number(JSONNumber(Int64(clamping: $0))) })
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

extension InfobipMemory.Linked {
    fileprivate var record: JSONValue {
        var object: JSONObject = ["id": .string(self.id.uuidString)]
        object["is"] = self.identity?.changes.record
        object["old"] = self.old.record
        return .object(object)
    }

    fileprivate init?(record: JSONValue?) {
        guard let id = record?["id"]?.string.flatMap(UUID.init(uuidString:)) else { return nil }
        let old = InfobipUserChanges(record: record?["old"])
        self.init(id: id, identity: InfobipMemory.identity(record?["is"]), old: old)
    }
}

extension InfobipMemory.Unanswered {
    fileprivate var record: JSONValue {
        var object = JSONObject()
        object["says"] = self.said.record
        object["known"] = self.known.record
        object["old"] = self.old.record
        return .object(object)
    }

    fileprivate init(record: JSONValue) {
        self.init(
            said: InfobipUserChanges(record: record["says"]),
            known: InfobipUserChanges(record: record["known"]),
            old: InfobipUserChanges(record: record["old"])
        )
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
