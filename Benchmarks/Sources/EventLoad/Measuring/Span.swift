// SPDX-License-Identifier: Apache-2.0

/// What a piece of work took: time on the wall and of the processor.
struct Span: Sendable {
    /// Seconds from begin to end.
    let wall: Double
    /// Seconds that all threads of this process worked.
    let processor: Double

    /// Measures a piece of work.
    static func of<Result>(_ work: () async throws -> Result) async rethrows -> (Span, Result) {
        let began = Nanoseconds.now
        let worked = ProcessorTime.own
        let result = try await work()
        let processor = ProcessorTime.own - worked
        return (Span(wall: Double(Nanoseconds.now - began) / 1e9, processor: processor), result)
    }
}
