// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import CSignetPostgres
import Signet
import SignetModel

/// The settings of a connection: the URL, and what the store adds to it.
///
/// Every value is a `Secret`, because a password may stand in more than one place of a URL.
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
        ///
        /// Without a host libpq uses a Unix socket, or localhost where there are none; `hostaddr` goes before `host`.
        var isLocal: Bool {
            if let number = self.number, !number.isEmpty { return HostLookUp.isLoopback(number) }
            guard let host = self.host, !host.isEmpty else { return true }
            return Self.isSocket(host) || host == "localhost" || HostLookUp.isLoopback(host)
        }

        /// The name to look up before a connection; nil for a number or a Unix socket.
        var name: String? {
            guard (self.number ?? "").isEmpty, let host = self.host, !host.isEmpty, !Self.isSocket(host),
                !HostLookUp.isNumber(host)
            else { return nil }
            return host
        }

        /// The address with the numbers of its name; the name stays, for the certificate.
        func with(_ numbers: [String]) -> Address {
            let names = [String](repeating: self.host ?? "", count: numbers.count)
            return Address(
                host: names.joined(separator: ","),
                number: numbers.joined(separator: ","),
                port: self.port
            )
        }

        private static func isSocket(_ host: String) -> Bool {
            host.hasPrefix("/") || host.hasPrefix("@")
        }
    }

    /// The addresses, in the order of the URL; at least one.
    let addresses: [Address]
    private let values: [String: Secret]

    /// Reads a URL, or `keyword=value` pairs.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - defaults: What libpq takes where the URL says nothing: of its environment variables, or built in.
    /// - Throws: `invalidArgument` without a part of the URL: it may be the password.
    init(_ url: Secret, defaults: [String: String] = Self.defaults) throws(SharedStoreError) {
        // libpq takes the line break at the end of a mounted file for a part of the database's name.
        if let fault = url.textFault {
            throw SharedStoreError(.invalidArgument, "the URL of the database \(fault.advice)")
        }
        var parsed = try url.withExposed(Self.parse).get()
        // Its file may name any host, and sslmode for it.
        guard parsed["service"] == nil, defaults["service"] == nil else {
            throw SharedStoreError(
                .invalidArgument,
                "a connection service is not used: remove `service` from the URL, unset PGSERVICE, and write the host into the URL"
            )
        }
        for keyword in ["host", "hostaddr", "port"] where (parsed[keyword] ?? "").isEmpty {
            parsed[keyword] = defaults[keyword]
        }
        self.addresses = try Self.addresses(
            hosts: parsed.removeValue(forKey: "host"),
            numbers: parsed.removeValue(forKey: "hostaddr"),
            ports: parsed.removeValue(forKey: "port")
        )
        if !self.addresses.allSatisfy(\.isLocal) {
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
        // libpq would ask a Kerberos server and wait, and a connection that it encrypts does without TLS.
        "gssencmode": "disable",
    ]

    /// The passwords, to be taken out of messages.
    var secrets: [Secret] {
        ["password", "sslpassword"].compactMap { self.values[$0] }
    }

    /// The numbers of a host to which a connection may go: of localhost only those of this machine, unless the server must prove itself.
    func trusted(_ numbers: [String], of address: Int) -> Result<[String], HostLookUp.Failure> {
        let mustProve = self.values["sslmode"]?.withExposed { $0 == "verify-full" } ?? false
        guard !mustProve else { return .success(numbers) }
        let own = numbers.filter(HostLookUp.isLoopback)
        return own.isEmpty
            ? .failure(HostLookUp.Failure(message: "it is not this machine; use sslmode=verify-full")) : .success(own)
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
        return .success(Self.values(options))
    }

    /// The settings that libpq takes from the environment, or that are built in.
    static var defaults: [String: String] {
        guard let options = PQconndefaults() else { return [:] }
        defer { PQconninfoFree(options) }
        return Self.values(options)
    }

    private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
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
        "the URL has not as many ports and addresses as hosts; PGHOSTADDR and PGPORT count where it has none"
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
