// SPDX-License-Identifier: Apache-2.0

/// What one event costs one thread at least: nanoseconds on the wall and of the processor.
struct Cost: Sendable {
    let wall: Double
    let processor: Double

    /// Measures a loop.
    ///
    /// - Parameters:
    ///   - count: How many events the loop works on.
    ///   - body: The whole loop.
    /// - Returns: The mean of one event.
    static func of(_ count: Int, _ body: () throws -> Void) rethrows -> Cost {
        let began = Nanoseconds.now
        let worked = Nanoseconds.ofThread
        try body()
        let processor = Nanoseconds.ofThread - worked
        let wall = Nanoseconds.now - began
        return Cost(wall: Double(wall) / Double(count), processor: Double(processor) / Double(count))
    }
}
