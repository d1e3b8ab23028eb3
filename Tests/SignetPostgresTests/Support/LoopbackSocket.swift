// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Sockets of 127.0.0.1.
enum LoopbackSocket {
    struct Failure: Error {
        let number: Int32
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
    static func listen() throws -> (socket: Int32, port: Int) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0, Self.withAddress(0, { bind(socket, $0, $1) }) == 0, Glibc.listen(socket, 64) == 0 else {
            throw Failure(number: errno)
        }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        return (socket, Int(in_port_t(bigEndian: address.sin_port)))
    }

    static func freePort() throws -> Int {
        let (socket, port) = try Self.listen()
        close(socket)
        return port
    }

    static func connect(_ port: Int) -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.withAddress(port, { Glibc.connect(socket, $0, $1) }) == 0 else {
            close(socket)
            return nil
        }
        return socket
    }
}
#endif
