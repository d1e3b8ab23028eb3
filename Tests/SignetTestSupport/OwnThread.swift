// SPDX-License-Identifier: Apache-2.0

import class Foundation.Thread

/// Does work that waits, such as for another process, on a thread of its own.
///
/// Swift's tasks have one thread for each processor. Two tests that hold both of a small machine let every other task stand still,
/// and a request beside them passes its limit though both its ends are quick.
package func ownThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
