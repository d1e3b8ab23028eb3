// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Cleans up when a signal ends the process: Ctrl-C, an administrator, a closed terminal.
///
/// It does not wait for the work, which may then wait for a reader of its output for ever.
final class Interruption: Sendable {
    private let hasCome = Atomic(false)

    /// Runs a body; a signal during it runs the cleanup and ends the process as usual.
    static func guarding<Result>(
        cleanup: @escaping @Sendable () -> Void,
        _ body: (Interruption) throws -> Result
    ) rethrows -> Result {
        let interruption = Interruption()
        let watch = interruption.watch(cleanup)
        defer { watch.end() }
        return try body(interruption)
    }

    /// Does the same for an asynchronous body.
    static func guarding<Result>(
        isolation: isolated (any Actor)? = #isolation,
        cleanup: @escaping @Sendable () -> Void,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let watch = Interruption().watch(cleanup)
        defer { watch.end() }
        return try await body()
    }

    /// Never returns once a signal has come: the cleanup would miss files that the body makes later.
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
        // A signal that was ignored before, as nohup(1) does, stays ignored.
        let signals = [SIGINT, SIGTERM, SIGHUP].filter { !Self.isIgnored($0) }
        let sources = signals.map { number in
            #if canImport(Darwin)
            // On Darwin, the source only receives signals that have no other handler.
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
