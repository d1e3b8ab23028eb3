// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
import CSignetPostgres
import Signet
import SignetModel

/// The settings of a connection: the URL, and what the store adds to it.
///
/// Every value is a ``Secret``, because a password may stand in more than one place of a URL.
struct ConnectionParameters: Sendable {
    /// One address of the server; nil is libpq's default.
    struct Address: Sendable, Hashable {
        var host: String?
        var number: String?
        var port: String?

        /// False if a part of a password has become the host or the port, because its `@` or `/` was not encoded.
        var isPlausible: Bool {
            let host = (self.host ?? "").dropFirst()
            return !host.contains("@") && (self.port ?? "").utf8.allSatisfy { (0x30...0x39).contains($0) }
        }

        /// True for a Unix socket and for this machine.
        var isLocal: Bool {
            switch self.number ?? self.host {
            case nil, "": false
            case .some(let name):
                name.hasPrefix("/") || name.hasPrefix("@") || name == "localhost" || name == "::1"
                    || (name.hasPrefix("127.") && name.allSatisfy { $0 == "." || $0.isNumber })
            }
        }
    }

    /// The addresses, in the order of the URL; at least one.
    let addresses: [Address]
    private let values: [String: Secret]

    /// Reads a URL, or `keyword=value` pairs.
    ///
    /// - Throws: `invalidArgument` without a part of the URL: it may be the password.
    init(_ url: Secret) throws(SharedStoreError) {
        var parsed = try url.withExposed(Self.parse).get()
        self.addresses = try Self.addresses(
            hosts: parsed.removeValue(forKey: "host"),
            numbers: parsed.removeValue(forKey: "hostaddr"),
            ports: parsed.removeValue(forKey: "port")
        )
        if !self.addresses.allSatisfy(\.isLocal) {
            // Without a host libpq looks elsewhere for one; over a socket it takes no notice of `sslmode`.
            if parsed["sslmode"].map({ $0 != "verify-full" }) ?? false {
                throw SharedStoreError(
                    .invalidArgument,
                    "the URL's sslmode does not check who the server is: leave it out, or use verify-full and sslrootcert"
                )
            }
            parsed["sslmode"] = "verify-full"
        }
        for (keyword, value) in Self.additions where parsed[keyword] == nil { parsed[keyword] = value }
        parsed["target_session_attrs"] = "read-write"
        self.values = parsed.mapValues { Secret($0) }
    }

    /// Settings that a URL may leave out.
    ///
    /// The calls have limits of their own; these find connections that died in silence.
    private static let additions = [
        "application_name": "signet", "client_encoding": "UTF8", "tcp_user_timeout": "5000", "keepalives_idle": "10",
        "keepalives_interval": "5", "keepalives_count": "3",
    ]

    /// The password, to be taken out of messages.
    var password: Secret? {
        self.values["password"]
    }

    /// The keywords and values for one address.
    func withKeywords<Result>(
        _ address: Address,
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result? {
        var keywords: [ContiguousArray<CChar>] = []
        var values: [ContiguousArray<CChar>] = []
        for (keyword, value) in [("host", address.host), ("hostaddr", address.number), ("port", address.port)] {
            guard let value else { continue }
            keywords.append(keyword.utf8CString)
            values.append(value.utf8CString)
        }
        for (keyword, value) in self.values {
            keywords.append(keyword.utf8CString)
            values.append(value.withExposed { $0.utf8CString })
        }
        return Self.withPointers(keywords) { keywords in Self.withPointers(values) { body(keywords, $0) } ?? nil }
            ?? nil
    }

    private static func withPointers<Result>(
        _ texts: [ContiguousArray<CChar>],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result? {
        let all = ContiguousArray(texts.joined())
        return all.withUnsafeBufferPointer { all in
            guard let base = all.baseAddress else { return nil }
            var pointers: [UnsafePointer<CChar>?] = []
            var offset = 0
            for text in texts {
                pointers.append(base + offset)
                offset += text.count
            }
            pointers.append(nil)
            return pointers.withUnsafeBufferPointer { pointers in pointers.baseAddress.map(body) }
        }
    }

    private static func parse(_ url: String) -> Result<[String: String], SharedStoreError> {
        guard !url.utf8.contains(0), let options = PQconninfoParse(url, nil) else {
            return .failure(SharedStoreError(.invalidArgument, "the URL of the database cannot be read"))
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return .success(values)
    }

    private static func addresses(
        hosts: String?,
        numbers: String?,
        ports: String?
    ) throws(SharedStoreError) -> [Address] {
        let lists = [hosts, numbers, ports].map {
            $0?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let count = max(lists[0]?.count ?? 1, lists[1]?.count ?? 1)
        var addresses: [Address] = []
        for index in 0..<count {
            var address = Address()
            if let hosts = lists[0] {
                guard hosts.count == count else { throw Self.uneven }
                address.host = hosts[index]
            }
            if let numbers = lists[1] {
                guard numbers.count == count else { throw Self.uneven }
                address.number = numbers[index]
            }
            if let ports = lists[2] {
                guard ports.count == count || ports.count == 1 else { throw Self.uneven }
                address.port = ports.count == 1 ? ports[0] : ports[index]
            }
            guard address.isPlausible else { throw Self.misread }
            addresses.append(address)
        }
        return addresses
    }

    /// A part of a password may stand for the host or the port: nothing of it is told.
    private static let misread = SharedStoreError(
        .invalidArgument,
        "the URL's host or port cannot be one: write @ and / in a password as %40 and %2F"
    )

    private static let uneven = SharedStoreError(
        .invalidArgument,
        "the URL has not as many ports and addresses as hosts"
    )
}

extension ConnectionParameters: CustomStringConvertible, CustomReflectable {
    /// The addresses alone.
    var description: String {
        self.addresses.map { ($0.host ?? $0.number ?? "default") + ($0.port.map { ":" + $0 } ?? "") }.joined(
            separator: ","
        )
    }

    /// A mirror without children.
    var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
#endif
