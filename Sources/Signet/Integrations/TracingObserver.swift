// SPDX-License-Identifier: Apache-2.0

#if TracingSupport
public import Tracing

/// Makes a span for each request that has ended, as a child of its caller's span.
///
/// `await installation.login(...)` inside a span gives that span a child `signet login`, also if the call had to wait
/// for its turn. Shared and automatic requests (deliveries of events, aliases, Iterable and Infobip data) get a span of
/// their own. Signet sends no trace id to the platform.
public struct TracingObserver: SignetObserver {
    private let tracer: any Tracer

    /// Makes an observer.
    ///
    /// - Parameter tracer: The tracer to use; by default the one that the process was started with.
    public init(tracer: any Tracer = InstrumentationSystem.tracer) {
        self.tracer = tracer
    }

    /// Makes the request's span, from its sending until now.
    public func requestFinished(_ report: RequestReport) {
        let end = DefaultTracerClock.now.nanosecondsSinceEpoch
        let nanoseconds = report.duration / .nanoseconds(1)
        // A wall clock that was set back in between may lie; a span does not end before it begins.
        let begin = end - min(end, nanoseconds.isFinite && nanoseconds > 0 ? UInt64(nanoseconds) : 0)
        let span = self.tracer.startSpan(
            "signet \(report.endpoint)",
            context: .current ?? .topLevel,
            ofKind: .client,
            at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: begin)
        )
        span.updateAttributes { attributes in
            attributes["signet.endpoint"] = report.endpoint
            if let status = report.status { attributes["http.response.status_code"] = status }
            if let failure = report.failure { attributes["error.type"] = "\(failure)" }
        }
        if report.failure != nil { span.setStatus(SpanStatus(code: .error)) }
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end))
    }
}
#endif
