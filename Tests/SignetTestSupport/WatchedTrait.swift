// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Ends a hung test, and says what it waited for.
///
/// See ``Watchdog``.
package struct WatchedTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    @concurrent package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await function() }
                group.addTask { try await Watchdog.shared.watch("\(test.id)") }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }
}

extension Trait where Self == WatchedTrait {
    /// Ends a hung test, and says what it waited for.
    ///
    /// There is no limit in seconds: a slow or busy machine fails no test. See ``Watchdog``.
    package static var watched: WatchedTrait { WatchedTrait() }
}
