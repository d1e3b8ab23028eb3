// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A bare group commit, the floor of `durable`: tasks append with `write(2)`, one of them does `fdatasync(2)` for all.
///
/// Who leads lets the others go first once, so that a flush covers those that the one before has woken.
final class GroupCommit: Sendable {
    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Bool, any Error>
    }

    private struct State {
        var written: UInt64 = 0
        var synced: UInt64 = 0
        var isLed = false
        var waiters: [Waiter] = []
        var flushes = 0
    }

    private let file: CInt
    private let state = Lock(State())

    init(path: String) throws {
        self.file = try FileBytes.create(path)
    }

    deinit {
        close(self.file)
    }

    /// How often the disk was flushed.
    var flushes: Int {
        self.state.withLock { $0.flushes }
    }

    /// Appends a frame; when this returns, it survives a loss of power.
    func append(_ frame: [UInt8]) async throws {
        let number = try self.state.withLock { state throws in
            try frame.withUnsafeBytes { try FileBytes.write($0, to: self.file) }
            state.written += 1
            return state.written
        }
        guard try await self.mustLead(number) else { return }
        await Task.yield()
        try self.flush()
    }

    // Whether the caller is to flush; false when somebody else did.
    private func mustLead(_ number: UInt64) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            let answer: Bool? = self.state.withLock { state in
                if state.synced >= number { return false }
                if !state.isLed {
                    state.isLed = true
                    return true
                }
                state.waiters.append(Waiter(number: number, continuation: continuation))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func flush() throws {
        let covered = self.state.withLock { $0.written }
        let isFlushed = fdatasync(self.file) == 0
        let failure: LoadError? = isFlushed ? nil : LoadError(system: "fdatasync")
        let (done, next): ([Waiter], Waiter?) = self.state.withLock { state in
            state.flushes += 1
            if isFlushed { state.synced = covered }
            var done = state.waiters.filter { $0.number <= covered || !isFlushed }
            var left = state.waiters.filter { $0.number > covered && isFlushed }
            let next = left.popLast()
            state.waiters = left
            state.isLed = next != nil
            done.sort { $0.number < $1.number }
            return (done, next)
        }
        for waiter in done {
            if let failure {
                waiter.continuation.resume(throwing: failure)
            } else {
                waiter.continuation.resume(returning: false)
            }
        }
        next?.continuation.resume(returning: true)
        if let failure { throw failure }
    }
}
