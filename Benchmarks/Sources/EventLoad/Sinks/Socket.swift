// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A TCP connection on the loopback, with blocking calls.
struct Socket: Sendable {
    let descriptor: CInt

    /// Listens on a port of 127.0.0.1; 0 for any.
    ///
    /// - Returns: The socket and its port.
    static func listen(port: UInt16) throws -> (Socket, port: UInt16) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw LoadError(system: "socket") }
        var address = Self.loopback(port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard isBound == 0, Glibc.listen(descriptor, 64) == 0 else { throw LoadError(system: "bind") }
        var actual = length
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &actual) }
        }
        guard isKnown == 0 else { throw LoadError(system: "getsockname") }
        return (Socket(descriptor: descriptor), UInt16(bigEndian: address.sin_port))
    }

    /// Connects to a port of 127.0.0.1.
    static func connect(port: UInt16) throws -> Socket {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw LoadError(system: "socket") }
        var address = Self.loopback(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard isConnected == 0 else { throw LoadError(system: "connect") }
        let socket = Socket(descriptor: descriptor)
        socket.sendAtOnce()
        return socket
    }

    /// Waits for somebody to connect.
    func accept() throws -> Socket {
        let other = Glibc.accept(self.descriptor, nil, nil)
        guard other >= 0 else { throw LoadError(system: "accept") }
        let socket = Socket(descriptor: other)
        socket.sendAtOnce()
        return socket
    }

    /// Reads what has come.
    ///
    /// - Returns: How many bytes; 0 when the other side has ended.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = recv(self.descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            guard errno == EINTR else { throw LoadError(system: "recv") }
        }
    }

    /// Sends a head and a body with as few calls as the kernel takes.
    func send(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) throws {
        try self.send(head, flags: body.isEmpty ? 0 : CInt(MSG_MORE))
        try self.send(body, flags: 0)
    }

    private func send(_ bytes: UnsafeRawBufferPointer, flags: CInt) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.send(self.descriptor, rest.baseAddress, rest.count, flags | CInt(MSG_NOSIGNAL))
            if count < 0 {
                guard errno == EINTR else { throw LoadError(system: "send") }
                continue
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    func end() {
        close(self.descriptor)
    }

    private func sendAtOnce() {
        var one: CInt = 1
        setsockopt(
            self.descriptor,
            CInt(IPPROTO_TCP),
            TCP_NODELAY,
            &one,
            socklen_t(MemoryLayout<CInt>.size)
        )
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
