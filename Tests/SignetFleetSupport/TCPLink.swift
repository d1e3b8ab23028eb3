// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Foundation
import SignetLock

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Decides about bytes that a ``TCPLink`` has read.
protocol TCPLinkRules: AnyObject, Sendable {
    func verdict(on count: Int, isReply: Bool) -> TCPLink.Verdict
}

/// One connection through a ``TCPProxy``: two threads, one for each direction.
final class TCPLink: Sendable {
    enum Verdict {
        /// The first bytes pass, the rest is lost.
        case pass(Int)
        case passAfter(Duration)
        /// Ask again when the mode has changed.
        case waitForChange
        case reset
    }

    /// Wakes threads that wait for a change.
    // Proof of the conformance: `changes` is read and written under the condition's lock alone.
    final class Signal: @unchecked Sendable {
        private let condition = NSCondition()
        private var changes = 0

        /// The number of changes; read before what a change may have made old.
        var generation: Int {
            self.condition.withLock { self.changes }
        }

        func signal() {
            self.condition.withLock {
                self.changes += 1
                self.condition.broadcast()
            }
        }

        /// Waits until there is a change after a generation, or a time is over.
        func wait(after generation: Int, _ limit: Duration? = nil) {
            let end = limit.map { Date(timeIntervalSinceNow: $0 / .seconds(1)) }
            self.condition.withLock {
                while self.changes == generation {
                    guard let end else {
                        self.condition.wait()
                        continue
                    }
                    guard self.condition.wait(until: end) else { break }
                }
            }
        }
    }

    let changed = Signal()
    private let client: Int32
    private let upstream: Int32
    private let state = Locked((pumps: 2, hasLost: false, isReset: false, isClosed: false))

    init(_ client: Int32, _ upstream: Int32) {
        (self.client, self.upstream) = (client, upstream)
    }

    /// True if bytes of it have vanished: what follows makes no sense to the peer.
    var hasLost: Bool {
        self.state.withLock { $0.hasLost }
    }

    /// Passes bytes on until one side ends, then closes both.
    func run(_ rules: any TCPLinkRules, atEnd: @escaping @Sendable () -> Void) {
        for isReply in [false, true] {
            Self.thread {
                self.pump(rules, isReply: isReply)
                let isLast = self.state.withLock { state in
                    state.pumps -= 1
                    return state.pumps == 0
                }
                guard isLast else { return }
                atEnd()
                self.close()
            }
        }
    }

    /// Both sides see a reset.
    func reset() {
        self.state.withLock { state in
            guard !state.isClosed else { return }
            state.isReset = true
            LoopbackSocket.resetAtClose(self.client)
            LoopbackSocket.resetAtClose(self.upstream)
        }
        self.changed.signal()
    }

    func close() {
        self.state.withLock { state in
            state.isClosed = true
            _ = Glibc.close(self.client)
            _ = Glibc.close(self.upstream)
        }
    }

    private func pump(_ rules: any TCPLinkRules, isReply: Bool) {
        let (from, to) = isReply ? (self.upstream, self.client) : (self.client, self.upstream)
        reading: while true {
            let bytes = LoopbackSocket.read(from)
            guard !bytes.isEmpty else { break }
            deciding: while true {
                let generation = self.changed.generation
                guard !self.state.withLock({ $0.isReset }) else { break reading }
                switch rules.verdict(on: bytes.count, isReply: isReply) {
                case .pass(let count):
                    if count < bytes.count { self.state.withLock { $0.hasLost = true } }
                    guard LoopbackSocket.write(bytes.prefix(count), to: to) else { break reading }
                    break deciding
                case .passAfter(let delay):
                    self.changed.wait(after: generation, delay)
                    guard LoopbackSocket.write(bytes, to: to) else { break reading }
                    break deciding
                case .waitForChange:
                    self.changed.wait(after: generation)
                case .reset:
                    self.reset()
                    break reading
                }
            }
        }
        // The other direction ends too; without a reset the peer gets what was written, and an end.
        let isReset = self.state.withLock { $0.isReset }
        for socket in [from, to] { shutdown(socket, Int32(isReset ? SHUT_RD : SHUT_RDWR)) }
    }

    /// A thread of its own: it waits all its life, and Dispatch has a limited number for everybody.
    static func thread(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread(body)
    }
}
#endif
