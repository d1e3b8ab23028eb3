// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import CSignetPostgres
import Signet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A pipe that ends a `poll` of the thread.
final class WakeSignal: Sendable {
    /// The end on which the thread waits.
    let reading: Int32
    private let writing: Int32

    init() throws(SharedStoreError) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
        let status = pipe(&ends)
        #else
        // In one step: another thread may start a process at any time.
        let status = pipe2(&ends, O_CLOEXEC | O_NONBLOCK)
        #endif
        guard status == 0 else {
            throw SharedStoreError(.unreachable, "no pipe for the thread of the connections: error \(errno)")
        }
        #if canImport(Darwin)
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        #endif
        (self.reading, self.writing) = (ends[0], ends[1])
    }

    deinit {
        _ = close(self.reading)
        _ = close(self.writing)
    }

    /// Wakes the thread; a full pipe wakes it too.
    func raise() {
        var byte: UInt8 = 1
        _ = write(self.writing, &byte, 1)
    }

    /// Takes the signals that were given.
    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(self.reading, &bytes, bytes.count) == bytes.count {}
    }
}

/// A thread of the system.
enum SystemThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Starts one that nobody joins.
    static func start(_ run: @escaping @Sendable () -> Void) throws(SharedStoreError) {
        let body = Unmanaged.passRetained(Body(run))
        #if canImport(Darwin)
        var thread: pthread_t?
        let status = pthread_create(
            &thread,
            nil,
            { body in
                Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
                return nil
            },
            body.toOpaque()
        )
        guard status == 0, let thread else {
            body.release()
            throw SharedStoreError(.unreachable, "no thread for the connections: error \(status)")
        }
        #else
        var thread = pthread_t()
        let status = pthread_create(
            &thread,
            nil,
            { body in
                if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
                return nil
            },
            body.toOpaque()
        )
        guard status == 0 else {
            body.release()
            throw SharedStoreError(.unreachable, "no thread for the connections: error \(status)")
        }
        #endif
        pthread_detach(thread)
    }
}
#endif
