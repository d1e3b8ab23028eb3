// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TRACING
import Tracing
#endif

/// The trace of a call, kept until its request is sent, maybe in another task and after other calls.
///
/// Without `SIGNET_TRACING` it is empty.
package struct CallerTrace: Sendable {
    #if SIGNET_TRACING
    private let context: ServiceContext?

    /// The trace of the current task.
    package static var current: CallerTrace { CallerTrace(context: .current) }

    /// No trace: the work serves several callers, or none.
    package static var none: CallerTrace { CallerTrace(context: nil) }

    /// Performs a body as part of the trace.
    package func perform(_ body: () async -> Void) async {
        await ServiceContext.$current.withValue(self.context) { await body() }
    }
    #else
    package static var current: CallerTrace { CallerTrace() }
    package static var none: CallerTrace { CallerTrace() }

    package func perform(_ body: () async -> Void) async { await body() }
    #endif
}
