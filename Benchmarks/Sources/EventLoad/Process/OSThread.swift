// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread of the operating system, outside of Swift's pool: what Dispatch, NIO or a C library call from.
struct OSThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private let id: pthread_t

    /// Starts a thread.
    init(_ body: @escaping @Sendable () -> Void) throws {
        var id = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let code = pthread_create(&id, nil, { OSThread.start($0) }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw LoadError("pthread_create: \(String(cString: strerror(code)))")
        }
        self.id = id
    }

    private static func start(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
    }

    /// Waits for its end; once.
    func join() {
        pthread_join(self.id, nil)
    }

    /// Lets nobody wait for it.
    func detach() {
        pthread_detach(self.id)
    }
}
