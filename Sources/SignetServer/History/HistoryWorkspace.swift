// SPDX-License-Identifier: Apache-2.0

#if Tool
import SignetEmulator
import SignetJournal
import SignetModel
import SignetTransport

/// The settings that decide the outcome of requests: the first record of a folder.
enum HistoryWorkspace {
    /// Returns the MPID sequence of an existing folder; nil for an empty folder.
    ///
    /// The folder's sequence overrides the current configuration: another one would change the MPIDs of all users.
    static func numbers(of journal: Journal) throws(StorageError) -> MPIDSequence? {
        guard let first = try journal.frames(after: 0, limit: 1).first,
            case .workspace(let workspace)? = HistoryRecord.read(stamp: first.stamp, payload: first.payload)?.record
        else { return nil }
        // Older folders do not record the sequence; they all use this one.
        return workspace["numbers"]?.string.flatMap(MPIDSequence.init(name:)) ?? Self.formerNumbers
    }

    /// Returns the record of a workspace, with hashes in place of keys.
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
        // Older folders have no record of these settings, so default values are left out.
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

    /// Returns a record as readable text.
    static func text(_ workspace: JSONValue) -> String {
        String(decoding: workspace.encoded(), as: UTF8.self)
    }

    private static let formerNumbers = MPIDSequence.random(seed: 1)

    private static func hash(_ key: String) -> JSONValue {
        .string(Hexadecimal.encode(Array(SHA256.hash(Array(key.utf8)).prefix(8))))
    }
}
#endif
