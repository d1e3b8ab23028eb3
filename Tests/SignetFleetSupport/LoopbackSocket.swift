// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Sockets of 127.0.0.1.
package enum LoopbackSocket {
    package struct Failure: Error {
        package let number: Int32
    }

    private static func withAddress<Result>(
        _ port: Int,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// A socket that listens on a port that was free.
    ///
    /// The port is bound by its number: the socket keeps it while it does not listen.
    package static func listen() throws -> (socket: Int32, port: Int) {
        let (socket, port) = try Self.bound()
        guard Self.listen(socket) else {
            let failure = Failure(number: errno)
            close(socket)
            throw failure
        }
        return (socket, port)
    }

    /// A socket that has a port and does not listen.
    fileprivate static func bound() throws -> (socket: Int32, port: Int) {
        for _ in 0..<20 {
            let port = try Self.freePort()
            let socket = Self.stream()
            if Self.withAddress(port, { bind(socket, $0, $1) }) == 0 { return (socket, port) }
            close(socket)
        }
        throw Failure(number: errno)
    }

    /// Listens with a socket that has its port.
    package static func listen(_ socket: Int32) -> Bool {
        Glibc.listen(socket, 256) == 0
    }

    /// A port that is free at this moment, for a server that takes it by its number.
    ///
    /// Below the ports that systems give to outgoing connections: thousands of those are made while a server starts.
    package static func freePort() throws -> Int {
        for _ in 0..<200 {
            let port = Int.random(in: 10_000..<32_768)
            let socket = Self.stream()
            defer { close(socket) }
            if Self.withAddress(port, { bind(socket, $0, $1) }) == 0 { return port }
        }
        throw Failure(number: errno)
    }

    package static func connect(_ port: Int) -> Int32? {
        let socket = Self.stream()
        guard Self.withAddress(port, { Glibc.connect(socket, $0, $1) }) == 0 else {
            close(socket)
            return nil
        }
        return socket
    }

    /// Ends a connection from the next `close` on with a reset; wakes who reads from it.
    package static func resetAtClose(_ socket: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        shutdown(socket, Int32(SHUT_RD))
    }

    /// Reads what is there, at least a byte; nothing at the end.
    package static func read(_ socket: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : []
    }

    /// Writes all bytes; false if the peer is gone.
    @discardableResult
    package static func write(_ bytes: some Sequence<UInt8>, to socket: Int32) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func stream() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }
}

/// A port that refuses connections for as long as this lives.
///
/// A port that was free a moment ago may belong to another test's server, which takes the connection and does not answer.
package final class DeadPort: Sendable {
    package let number: Int
    private let socket: Int32

    package init() throws {
        let (socket, port) = try LoopbackSocket.bound()
        (self.socket, self.number) = (socket, port)
    }

    deinit {
        close(self.socket)
    }
}
#endif
