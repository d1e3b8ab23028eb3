// SPDX-License-Identifier: Apache-2.0

import Glibc
import Signet
import Synchronization

/// A thread that logs some thousand events a second while something else goes on, and times each call.
///
/// A thread of its own: tasks that wait for a turn would count as calls that wait.
final class Bystander: Sendable {
    private let installation: Installation
    private let isEnded = Atomic<Bool>(false)
    private let outcome = Lock<(histogram: Histogram, failure: (any Error)?)>((Histogram(), nil))

    private init(_ installation: Installation) {
        self.installation = installation
    }

    /// Logs while something goes on.
    ///
    /// - Parameters:
    ///   - installation: Where it logs.
    ///   - body: What goes on.
    /// - Returns: The result, and how long the calls of `log` took.
    /// - Throws: What the body or a call of `log` says.
    static func during<Result>(
        _ installation: Installation,
        _ body: () async throws -> Result
    ) async throws -> (Result, Histogram) {
        let bystander = Bystander(installation)
        let thread = try OSThread { bystander.log() }
        let result: Result
        do {
            result = try await body()
        } catch {
            bystander.isEnded.store(true, ordering: .relaxed)
            thread.join()
            throw error
        }
        bystander.isEnded.store(true, ordering: .relaxed)
        thread.join()
        let (histogram, failure) = bystander.outcome.withLock { $0 }
        if let failure { throw failure }
        return (result, histogram)
    }

    private func log() {
        var histogram = Histogram()
        var number = 0
        var failure: (any Error)?
        while failure == nil, !self.isEnded.load(ordering: .relaxed) {
            let event = SampleEvent.make(producer: 2, number: number)
            let began = Nanoseconds.now
            do {
                try self.installation.log(event)
                histogram.record(Nanoseconds.now - began)
            } catch {
                failure = error
            }
            number += 1
            usleep(100)
        }
        self.outcome.withLock { $0 = (histogram, failure) }
    }
}
