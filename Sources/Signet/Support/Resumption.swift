// SPDX-License-Identifier: Apache-2.0

/// A reader to resume later, so that no reader resumes under a lock.
package struct Resumption: Sendable {
    private let body: @Sendable () -> Void

    package init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Resumes the reader.
    ///
    /// Call it once, without holding a lock.
    package func resume() {
        self.body()
    }
}
