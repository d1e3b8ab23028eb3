// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetJournal
import SignetModel
import SignetTransport

/// A record of the journal: the stamp has the time and the kind, the payload the rest.
enum HistoryRecord: Sendable {
    /// The workspace, always the first record.
    case workspace(JSONValue)
    case request(TransportRequest)
    /// New criteria of the project with this key.
    case criteria(String, project: String)

    // Criteria may be larger than requests.
    private static let limits = JSONLimits(bytes: 1 << 30, depth: 128, values: 100_000_000)

    private enum Kind: UInt8 {
        case workspace = 1
        case request = 2
        case criteria = 3
    }

    /// Returns eight bytes of time, most significant first, and the kind.
    func stamp(at time: Int64) -> [UInt8] {
        let kind: Kind =
            switch self {
            case .workspace: .workspace
            case .request: .request
            case .criteria: .criteria
            }
        return (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) } + [kind.rawValue]
    }

    var payload: [UInt8] {
        switch self {
        case .workspace(let value): value.encoded()
        case .criteria(let text, let project):
            (["project": .string(project), "criteria": .string(text)] as JSONValue).encoded()
        case .request(let request): Self.encode(request)
        }
    }

    /// Reads a record; nil for invalid bytes.
    static func read(stamp: [UInt8], payload: [UInt8]) -> (time: Int64, record: HistoryRecord)? {
        guard stamp.count == 9, let kind = Kind(rawValue: stamp[8]) else { return nil }
        let time = stamp.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        switch kind {
        case .criteria:
            guard let value = Self.json(payload), let project = value["project"]?.string,
                let criteria = value["criteria"]?.string
            else { return nil }
            return (time, .criteria(criteria, project: project))
        case .workspace:
            return Self.json(payload).map { (time, .workspace($0)) }
        case .request:
            return Self.decode(payload).map { (time, .request($0)) }
        }
    }

    // A line of JSON without line breaks, a line break, and the unchanged body.
    private static func encode(_ request: TransportRequest) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method", request.method.rawValue)
        writer.member("url", request.url)
        writer.key("headers")
        writer.beginArray()
        for field in request.headers where !Self.isSecret(field) {
            writer.string(field.name)
            writer.string(field.value)
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes + [0x0A] + request.body
    }

    // Basic credentials contain the workspace's secret, and signatures are made with it.
    private static func isSecret(_ field: HTTPHeaders.Field) -> Bool {
        switch field.name.lowercased() {
        case "authorization": field.value.lowercased().hasPrefix("basic ")
        case "x-mp-signature": true
        default: false
        }
    }

    private static func decode(_ payload: [UInt8]) -> TransportRequest? {
        guard let end = payload.firstIndex(of: 0x0A), let head = Self.json(Array(payload[..<end])),
            let method = head["method"]?.string.flatMap(TransportRequest.Method.init(rawValue:)),
            let url = head["url"]?.string, let texts = head["headers"]?.array?.compactMap(\.string),
            texts.count.isMultiple(of: 2)
        else { return nil }
        var headers = HTTPHeaders()
        for position in stride(from: 0, to: texts.count, by: 2) {
            headers.append(name: texts[position], value: texts[position + 1])
        }
        return TransportRequest(
            method: method,
            url: url,
            headers: headers,
            body: Array(payload[(end + 1)...]),
            responseLimit: .max
        )
    }

    private static func json(_ bytes: [UInt8]) -> JSONValue? {
        JSONReader.value(bytes, limits: Self.limits)
    }
}

/// The settings that decide the outcome of requests: the first record of a folder.
enum HistoryWorkspace {
    /// Returns the MPID sequence of an existing folder; nil for an empty folder.
    ///
    /// The folder's sequence overrides the current configuration: another one would change the MPIDs of all users.
    static func numbers(of journal: Journal) throws(StorageError) -> MPIDSequence? {
        guard let first = try journal.frames(after: 0, limit: 1).first,
            case .workspace(let workspace)? = HistoryRecord.read(stamp: first.stamp, payload: first.payload)?.record
        else { return nil }
        return workspace["numbers"]?.string.flatMap(MPIDSequence.init(name:))
    }

    /// Returns the record of a workspace, with hashes in place of keys.
    static func json(of configuration: EmulatorConfiguration) -> JSONValue {
        func names(_ types: [IdentityType]) -> JSONValue {
            .array(types.map { .string($0.wireName) })
        }
        return [
            "format": 1, "keyHash": Self.hash(configuration.apiKey),
            "strategy": .string(configuration.strategy.rawValue), "priority": names(configuration.priority),
            "unique": names(configuration.uniqueIdentities.sorted()),
            "login": names(configuration.loginIdentities.sorted()),
            "immutable": names(configuration.immutableIdentities.sorted()),
            "numbers": .string(configuration.mpids.name),
            "projects": .array(configuration.iterableProjects.map { Self.hash($0.apiKey) }),
            "applications": .array(configuration.applications.map { Self.hash($0.code) }),
            "allowsKeyOnly": .bool(configuration.allowsKeyOnly),
            "aliasDelay": .string("\(configuration.aliasDelay)"),
            "ephemeral": .string("\(configuration.ephemeralRule)"), "limits": .string("\(configuration.limits)"),
        ]
    }

    private static func hash(_ key: String) -> JSONValue {
        .string(Hexadecimal.encode(Array(SHA256.hash(Array(key.utf8)).prefix(8))))
    }
}
#endif
