// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The sentence for an address that cannot be listened on.
enum ListenFailure {
    /// Describes the failure and a remedy.
    ///
    /// - Parameters:
    ///   - error: The error of the network library.
    ///   - configuration: The address.
    /// - Returns: One or two sentences, without the types and calls of the library.
    static func message(_ error: any Error, _ configuration: EmulatorServerConfiguration) -> String {
        let (host, port) = (configuration.host, configuration.port)
        if error is SocketAddressError {
            return "The host \(host) has no address. Give an address of this machine, such as 127.0.0.1."
        }
        guard let number = (error as? IOError)?.errnoCode else {
            return "The server cannot listen on \(host), port \(port): \(error)"
        }
        switch number {
        case EADDRINUSE:
            return
                "Port \(port) of \(host) is in use by another process. End that process, or choose another port: 0 selects "
                + "a free one."
        case EACCES:
            return "This user may not listen on port \(port) of \(host). Choose a port from 1024, or 0 for a free one."
        case EADDRNOTAVAIL:
            return "\(host) is no address of this machine. Listen on 127.0.0.1, or on 0.0.0.0 for all its addresses."
        default:
            return "The server cannot listen on \(host), port \(port): \(String(cString: strerror(number)))."
        }
    }
}
#endif
