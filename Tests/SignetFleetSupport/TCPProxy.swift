// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import SignetLock

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Passes bytes on between clients and a server of this machine, or does to them what networks do.
package final class TCPProxy: Sendable {
    /// What happens to connections and bytes from now on.
    package enum Mode: Sendable, Hashable {
        case passes
        /// New connections are refused; those that are there are reset.
        case refuses
        /// Connections are accepted and stay, and no byte passes: a partition. Bytes wait, and pass with the next mode.
        case holds
        /// Connections are accepted and stay; bytes vanish. With the next mode, connections that lost some are reset.
        case swallows
        /// Each piece of a reply waits so long.
        case delaysReplies(Duration)
        /// Replies vanish after so many more bytes, of all connections together; requests pass.
        case dropsReplies(after: Int)
        /// The connection is reset where its next reply would come; requests pass.
        case resetsReplies
    }

    package let port: Int
    private let core: Core

    /// Listens on a port of its own.
    package init(to server: Int) throws {
        let (listener, port) = try LoopbackSocket.listen()
        self.port = port
        self.core = Core(listener, server)
        let core = self.core
        TCPLink.thread { core.accept() }
    }

    deinit {
        self.core.end()
    }

    package func set(_ mode: Mode) {
        self.core.set(mode)
    }

    /// Resets the connections that are there; the mode stays.
    package func resetAll() {
        self.core.resetAll()
    }

    /// The number of bytes of replies that came from the server since the last ``set(_:)``, passed on or not.
    package var replyBytes: Int {
        self.core.replyBytes
    }

    /// The number of connections that are there.
    package var connectionCount: Int {
        self.core.connectionCount
    }
}

/// What threads of a proxy share; it lives as long as one of them.
private final class Core: Sendable, TCPLinkRules {
    private struct State {
        var mode = TCPProxy.Mode.passes
        var hasEnded = false
        var links: [Int: TCPLink] = [:]
        var nextLink = 0
        var replyBytes = 0
    }

    private let listener: Int32
    private let server: Int
    private let state = Locked(State())
    private let reopened = TCPLink.Signal()

    init(_ listener: Int32, _ server: Int) {
        (self.listener, self.server) = (listener, server)
    }

    var replyBytes: Int { self.state.withLock { $0.replyBytes } }
    var connectionCount: Int { self.state.withLock { $0.links.count } }

    func accept() {
        while true {
            let generation = self.reopened.generation
            let client = Glibc.accept(self.listener, nil, nil)
            if client >= 0 {
                self.begin(client)
                continue
            }
            // The listener was shut down: it is opened again, or the proxy has ended.
            self.reopened.wait(after: generation)
            if self.state.withLock({ $0.hasEnded }) { break }
        }
        close(self.listener)
    }

    private func begin(_ client: Int32) {
        guard let upstream = LoopbackSocket.connect(self.server) else {
            LoopbackSocket.resetAtClose(client)
            close(client)
            return
        }
        let link = TCPLink(client, upstream)
        let number = self.state.withLock { state -> Int? in
            guard !state.hasEnded, state.mode != .refuses else { return nil }
            state.nextLink += 1
            state.links[state.nextLink] = link
            return state.nextLink
        }
        guard let number else {
            link.reset()
            link.close()
            return
        }
        link.run(self) { _ = self.state.withLock { $0.links.removeValue(forKey: number) } }
    }

    func set(_ mode: TCPProxy.Mode) {
        let (old, links) = self.state.withLock { state in
            defer {
                state.mode = mode
                state.replyBytes = 0
            }
            return (state.mode, Array(state.links.values))
        }
        for link in links {
            if mode == .refuses || link.hasLost { link.reset() }
            link.changed.signal()
        }
        guard old != mode else { return }
        if mode == .refuses { shutdown(self.listener, Int32(SHUT_RDWR)) }
        if old == .refuses, LoopbackSocket.listen(self.listener) { self.reopened.signal() }
    }

    func resetAll() {
        for link in self.state.withLock({ Array($0.links.values) }) { link.reset() }
    }

    func end() {
        let links = self.state.withLock { state in
            state.hasEnded = true
            return Array(state.links.values)
        }
        for link in links { link.reset() }
        shutdown(self.listener, Int32(SHUT_RDWR))
        self.reopened.signal()
    }

    func verdict(on count: Int, isReply: Bool) -> TCPLink.Verdict {
        self.state.withLock { state in
            let before = state.replyBytes
            if isReply { state.replyBytes += count }
            switch state.mode {
            case .passes, .refuses: return .pass(count)
            case .holds:
                // It is asked again.
                state.replyBytes = before
                return .waitForChange
            case .swallows: return .pass(0)
            case .delaysReplies(let delay): return isReply ? .passAfter(delay) : .pass(count)
            case .dropsReplies(let limit): return isReply ? .pass(min(count, max(0, limit - before))) : .pass(count)
            case .resetsReplies: return isReply ? .reset : .pass(count)
            }
        }
    }
}
#endif
