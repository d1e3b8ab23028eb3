//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import SignetEmulator
import SignetJournal
import SignetModel
import SignetTransport

/// What makes the same requests make the same users: the first record of a folder.
enum HistoryWorkspace {
    /// How the numbers of users are made in a folder that was begun; nil for an empty folder.
    ///
    /// They go on as they began, whatever the configuration of now says: others would call everybody something else.
    static func numbers(of journal: Journal) throws(StorageError) -> MPIDSequence? {
        guard let first = try journal.frames(after: 0, limit: 1).first,
            case .workspace(let workspace)? = HistoryRecord.read(stamp: first.stamp, payload: first.payload)?.record
        else { return nil }
        // Folders were begun before it was written down; then it was this one.
        return workspace["numbers"]?.string.flatMap(MPIDSequence.init(name:)) ?? Self.formerNumbers
    }

    /// The record for a workspace; of keys there are hashes.
    static func json(of configuration: EmulatorConfiguration) -> JSONValue {
        func names(_ types: [IdentityType]) -> JSONValue {
            .array(types.map { .string($0.wireName) })
        }
        var workspace: JSONObject = [
            "format": 1, "keyHash": Self.hash(configuration.apiKey),
            "strategy": .string(configuration.strategy.rawValue), "priority": names(configuration.priority),
            "unique": names(configuration.uniqueIdentities.sorted()),
            "login": names(configuration.loginIdentities.sorted()),
            "immutable": names(configuration.immutableIdentities.sorted()),
        ]
        // Folders were begun before there were others than these.
        let usual = EmulatorConfiguration()
        if configuration.mpids.name != Self.formerNumbers.name {
            workspace["numbers"] = .string(configuration.mpids.name)
        }
        let projects = configuration.iterableProjects.map(\.apiKey)
        if projects != usual.iterableProjects.map(\.apiKey) { workspace["projects"] = .array(projects.map(Self.hash)) }
        let applications = configuration.applications.map(\.code)
        if applications != usual.applications.map(\.code) {
            workspace["applications"] = .array(applications.map(Self.hash))
        }
        if configuration.allowsKeyOnly { workspace["allowsKeyOnly"] = true }
        if configuration.aliasDelay != usual.aliasDelay {
            workspace["aliasDelay"] = .string("\(configuration.aliasDelay)")
        }
        if configuration.ephemeralRule != .never { workspace["ephemeral"] = .string("\(configuration.ephemeralRule)") }
        if configuration.limits != usual.limits { workspace["limits"] = .string("\(configuration.limits)") }
        return .object(workspace)
    }

    /// A record, for people.
    static func text(_ workspace: JSONValue) -> String {
        String(decoding: workspace.encoded(), as: UTF8.self)
    }

    private static let formerNumbers = MPIDSequence.random(seed: 1)

    private static func hash(_ key: String) -> JSONValue {
        .string(Hexadecimal.encode(Array(SHA256.hash(Array(key.utf8)).prefix(8))))
    }
}
#endif
