// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
/// The address and limits of an ``EmulatorServer``.
public struct EmulatorServerConfiguration: Sendable {
    /// The address to listen on.
    public var host: String
    /// The port to listen on; 0 selects a free port.
    public var port: Int
    /// The names that a `Host` header may have beside `localhost` and IP addresses.
    ///
    /// Any other name is refused: a foreign page can point its own name to this machine (DNS rebinding), but it cannot make
    /// the browser send another name.
    public var hostNames: Set<String> = []
    /// The maximum size of a request's body, in bytes; beyond it the answer is 413.
    ///
    /// The limits of the emulated services are lower; the emulator refuses larger requests as the services do.
    public var bodyBytes = 2 << 20
    /// The maximum size of a request's header fields, in bytes.
    public var headerBytes = 32 << 10
    /// The time limit for a client to send its header fields, and for an idle connection.
    public var headerTime = Duration.seconds(30)
    /// The time limit for a client to send its body.
    public var bodyTime = Duration.seconds(30)
    /// The time limit for a client that reads nothing of a pending answer.
    public var answerTime = Duration.seconds(30)
    /// The time for which an ending connection discards the client's input, so that the client can read the last answer.
    public var lingerTime = Duration.seconds(2)
    /// The maximum time for which faults may hold a request; then the connection is closed.
    public var longestWait = Duration.seconds(600)
    /// The maximum number of simultaneous connections; further ones wait until one is closed.
    public var connections = 4096
    /// The live page is served while this is true.
    public var showsPage = true
    /// The maximum number of requests, with their answers, that the live page keeps.
    public var rememberedExchanges = 500
    /// The maximum size of these requests and answers, in bytes.
    public var rememberedBytes = 8 << 20

    /// Describes a server, which by default is reachable only from this machine.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port to listen on; 0 selects a free port.
    public init(host: String = "127.0.0.1", port: Int = 0) {
        self.host = host
        self.port = port
    }
}
#endif
