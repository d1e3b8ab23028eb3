// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The numeric addresses of host names.
///
/// `getaddrinfo` may wait for a name server for many seconds; libpq would do so on the thread that has all connections.
enum HostLookUp {
    /// The failure of a look-up, in the words of the system.
    struct Failure: Error, Sendable {
        let message: String
    }

    /// Finds the numeric addresses of a host, the best first; waits.
    typealias Function = @Sendable (_ host: String) -> Result<[String], Failure>

    /// The number of addresses that an attempt to connect walks through.
    private static let limit = 16

    /// Asks the system.
    static let system: Function = { host in Self.ask(host, 0) }

    /// True for a number such as 10.0.0.1 or ::1, which needs no look-up.
    static func isNumber(_ host: String) -> Bool {
        // It never asks a name server.
        if case .success = Self.ask(host, AI_NUMERICHOST) { true } else { false }
    }

    /// True for a numeric address of this machine.
    static func isLoopback(_ number: String) -> Bool {
        number == "::1" || (number.hasPrefix("127.") && number.allSatisfy { $0 == "." || $0.isNumber })
    }

    private static func ask(_ host: String, _ flags: Int32) -> Result<[String], Failure> {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else {
            return .failure(Failure(message: gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"))
        }
        defer { freeaddrinfo(list) }
        var numbers: [String] = []
        var next = list
        while let entry = next?.pointee, numbers.count < Self.limit {
            next = entry.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let status = getnameinfo(
                entry.ai_addr,
                entry.ai_addrlen,
                &text,
                socklen_t(text.count),
                nil,
                0,
                NI_NUMERICHOST
            )
            guard status == 0 else { continue }
            let number = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if !numbers.contains(number) { numbers.append(number) }
        }
        return numbers.isEmpty ? .failure(Failure(message: "it has no address")) : .success(numbers)
    }
}

/// The look-ups under way, and the connections that wait for them: one thread a host, however many connections wait.
struct LookUpQueue {
    private var waiting: [Int: Set<Int>] = [:]
    /// Attempts that have failed, by address: each begins with the next number of the host.
    private var failures: [Int: Int] = [:]

    /// Notes a connection that waits for an address.
    ///
    /// - Returns: True if the look-up must be started.
    mutating func wait(_ connection: Int, for address: Int) -> Bool {
        let isFirst = self.waiting[address] == nil
        self.waiting[address, default: []].insert(connection)
        return isFirst
    }

    /// The connection was given up.
    mutating func giveUp(_ connection: Int) {
        // A look-up goes on without one that waits, and keeps its place: its thread still stands.
        for address in self.waiting.keys { self.waiting[address]?.remove(connection) }
    }

    /// Takes the connections that waited for an address, whose look-up has ended.
    mutating func end(_ address: Int) -> [Int] {
        self.waiting.removeValue(forKey: address).map { $0.sorted() } ?? []
    }

    /// An attempt to connect to an address has failed.
    mutating func failed(_ address: Int) {
        self.failures[address, default: 0] += 1
    }

    /// The numbers of a host in the order for the next attempt: a number that swallows everything must not be the first for ever.
    func order(_ numbers: [String], of address: Int) -> [String] {
        guard !numbers.isEmpty else { return [] }
        let start = self.failures[address, default: 0] % numbers.count
        return Array(numbers[start...] + numbers[..<start])
    }
}
#endif
