//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Cleans up when a signal ends the process: Ctrl-C, an administrator, a terminal that was closed.
///
/// The work may wait for a reader of its output then, for ever: it is not waited for.
final class Interruption: Sendable {
    private let hasCome = Atomic(false)

    /// Runs a body; a signal that comes meanwhile runs the cleanup and ends the process as it would have.
    static func guarding<Result>(
        cleanup: @escaping @Sendable () -> Void,
        _ body: (Interruption) throws -> Result
    ) rethrows -> Result {
        let interruption = Interruption()
        let watch = interruption.watch(cleanup)
        defer { watch.end() }
        return try body(interruption)
    }

    /// The same for a body that waits.
    static func guarding<Result>(
        isolation: isolated (any Actor)? = #isolation,
        cleanup: @escaping @Sendable () -> Void,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let watch = Interruption().watch(cleanup)
        defer { watch.end() }
        return try await body()
    }

    /// Does not come back once a signal has come: what the body would make now, the cleanup would not find.
    func check() {
        while self.hasCome.load(ordering: .sequentiallyConsistent) { pause() }
    }

    private struct Watch {
        let signals: [Int32]
        let sources: [any DispatchSourceSignal]

        func end() {
            for number in self.signals { _ = signal(number, SIG_DFL) }
            for source in self.sources { source.cancel() }
        }
    }

    private func watch(_ cleanup: @escaping @Sendable () -> Void) -> Watch {
        let queue = DispatchQueue(label: "signet-interruption")
        // One that was ignored before, as nohup(1) has it, stays so.
        let signals = [SIGINT, SIGTERM, SIGHUP].filter { !Self.isIgnored($0) }
        let sources = signals.map { number in
            #if canImport(Darwin)
            // There, the source only sees what nothing else is done with.
            _ = signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                self.hasCome.store(true, ordering: .sequentiallyConsistent)
                cleanup()
                Self.end(by: number)
            }
            source.resume()
            return source
        }
        return Watch(signals: signals, sources: sources)
    }

    private static func end(by number: Int32) {
        _ = signal(number, SIG_DFL)
        // The threads of Dispatch block signals.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        let before = signal(number, SIG_IGN)
        _ = signal(number, before)
        return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
#endif
