// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TRACING
public import Tracing

/// Makes a span for each request that has ended, as a child of its caller's span.
///
/// Names and attributes follow OpenTelemetry's conventions for HTTP clients: the method and the template of the path, such as
/// `POST /v1/{mpid}/modify`, with `http.request.method`, `server.address`, `url.template`, `http.response.status_code` and
/// `error.type`; `signet.endpoint` and `signet.error` are ours.
///
/// `await installation.login(...)` inside a span gives that span a child `POST /v1/login`, also if the call had to wait
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
            "\(report.method.rawValue) \(report.urlTemplate)",
            context: .current ?? .topLevel,
            ofKind: .client,
            at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: begin)
        )
        span.updateAttributes { attributes in
            attributes["http.request.method"] = report.method.rawValue
            attributes["server.address"] = report.serverAddress
            attributes["url.template"] = report.urlTemplate
            attributes["signet.endpoint"] = report.endpoint
            if let status = report.status { attributes["http.response.status_code"] = status }
            if let type = report.errorType { attributes["error.type"] = type }
            if let failure = report.failure { attributes["signet.error"] = "\(failure)" }
        }
        if report.failure != nil { span.setStatus(SpanStatus(code: .error)) }
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end))
    }
}
#endif
