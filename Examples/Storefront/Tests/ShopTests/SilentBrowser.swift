// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A browser that begins a request and says nothing more; its connection stays open as long as the process.
enum SilentBrowser {
    struct Failure: Error {
        let code: Int32
    }

    static func beginRequest(on port: Int) throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let socket = socket(AF_INET, kind, 0)
        guard socket >= 0 else { throw Failure(code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { connect(socket, $0.baseAddress, socklen_t(bytes.count)) }
        }
        guard isConnected == 0 else { throw Failure(code: errno) }
        let head = Array("POST /login HTTP/1.1\r\nHost: shop\r\nContent-Length: 100\r\n\r\n".utf8)
        guard write(socket, head, head.count) == head.count else { throw Failure(code: errno) }
    }
}
