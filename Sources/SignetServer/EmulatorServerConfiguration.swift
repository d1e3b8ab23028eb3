//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
/// Where an ``EmulatorServer`` listens, and how much it takes.
public struct EmulatorServerConfiguration: Sendable {
    /// The address to listen on.
    public var host: String
    /// The port to listen on; 0 is any that is free.
    public var port: Int
    /// Names, beside `localhost` and addresses, that a `Host` header may have.
    ///
    /// Any other name is refused: a page of a stranger's can have its own name point to this machine (DNS rebinding), but
    /// cannot have the browser say another name.
    public var hostNames: Set<String> = []
    /// The most bytes of a request's body that are read; beyond them the answer is 413.
    ///
    /// The limits of the emulated services are below it; the emulator refuses what is beyond them as they do.
    public var bodyBytes = 2 << 20
    /// The most bytes of a request's header fields.
    public var headerBytes = 32 << 10
    /// How long a client may take to send its header fields, and how long a connection may be idle.
    public var headerTime = Duration.seconds(30)
    /// How long a client may take to send its body.
    public var bodyTime = Duration.seconds(30)
    /// How long a client may take nothing of an answer that is ready for it.
    public var answerTime = Duration.seconds(30)
    /// How long a connection that ends still takes what its client sends, and forgets it, so that the client can read the
    /// last answer.
    public var lingerTime = Duration.seconds(2)
    /// How long faults may hold a request; then the connection is closed.
    public var longestWait = Duration.seconds(600)
    /// The most connections at a time; further ones wait until one is closed.
    public var connections = 4096
    /// Whether the live page is there.
    public var showsPage = true
    /// How many requests and answers the live page remembers.
    public var rememberedExchanges = 500
    /// How many bytes of them it remembers.
    public var rememberedBytes = 8 << 20

    /// Describes a server that only this machine reaches.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port to listen on; 0 is any that is free.
    public init(host: String = "127.0.0.1", port: Int = 0) {
        self.host = host
        self.port = port
    }
}
#endif
