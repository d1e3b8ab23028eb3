// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
import Dispatch
import SignetLock

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Passes bytes on between a store and its server; loses answers when told to.
final class LosingProxy: Sendable {
    /// What happens to the next answers.
    enum Mode: Sendable {
        case passesOn
        /// Answers vanish; the connection stays.
        case loses
        /// The connection breaks where the answer would come.
        case breaks
    }

    let port: Int
    private let listener: Int32
    private let mode = Locked(Mode.passesOn)

    init(to server: Int) throws {
        let (listener, port) = try LoopbackSocket.listen()
        (self.listener, self.port) = (listener, port)
        let mode = self.mode
        Self.thread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                guard let upstream = LoopbackSocket.connect(server) else {
                    close(client)
                    continue
                }
                Self.thread { Self.pump(client, upstream) { true } }
                Self.thread {
                    Self.pump(upstream, client) {
                        switch mode.withLock({ $0 }) {
                        case .passesOn: return true
                        case .loses: return false
                        case .breaks:
                            shutdown(client, Int32(SHUT_RDWR))
                            return false
                        }
                    }
                }
            }
        }
    }

    deinit {
        shutdown(self.listener, Int32(SHUT_RDWR))
        close(self.listener)
    }

    func set(_ mode: Mode) {
        self.mode.withLock { $0 = mode }
    }

    private static func pump(_ from: Int32, _ to: Int32, _ passes: () -> Bool) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(from, &bytes, bytes.count)
            guard count > 0 else { break }
            if passes() { _ = send(to, bytes, count, Int32(MSG_NOSIGNAL)) }
        }
        shutdown(from, Int32(SHUT_RDWR))
        shutdown(to, Int32(SHUT_RDWR))
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "proxy").async(execute: body)
    }
}
#endif
