// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A request of Iterable's API, read without the state of the project.
struct IterableRequest: Sendable {
    let route: EmulatorRoute
    let headers: HTTPHeaders
    /// The call, or the refusal of its body; an authorization error is reported first.
    let call: Result<IterableCall, Refusal>
    /// The body, if it is JSON.
    let body: JSONValue?

    init(_ request: TransportRequest, route: EmulatorRoute, target: RequestTarget, limits: EmulatorLimits) {
        self.route = route
        self.headers = request.headers
        var body: JSONValue?
        do throws(Refusal) {
            self.call = .success(try Self.call(request, route: route, target: target, limits: limits, body: &body))
        } catch {
            self.call = .failure(error.renamed(body == nil ? "BadJsonBody" : "BadParams"))
        }
        self.body = body
    }

    private static func call(
        _ request: TransportRequest,
        route: EmulatorRoute,
        target: RequestTarget,
        limits: EmulatorLimits,
        body: inout JSONValue?
    ) throws(Refusal) -> IterableCall {
        if route == .criteria {
            return .criteria
        }
        if route == .remoteConfiguration {
            for name in ["platform", "systemVersion", "SDKVersion"] {
                guard target.query.contains(where: { $0.name == name && !$0.value.isEmpty }) else {
                    throw .badParameters("Query parameter '\(name)' is missing.")
                }
            }
            return .remoteConfiguration
        }
        let value = try RequestBody.read(request, limit: limits.iterableRequestBytes, limits: limits)
        body = value
        return try IterableCall(value, of: route)
    }

    /// `Sent-At`, in seconds; nil if it is missing or not a number.
    var sentAt: Int64? {
        self.only("Sent-At").flatMap(Int64.init)
    }

    /// The headers that are missing, repeated or not as documented, in the order of the documentation.
    ///
    /// The service refuses no request for them: one of the vendor's clients sends only the key.
    var headerFaults: [String] {
        let rules: [(name: String, holds: (String) -> Bool)] = [
            ("Content-Type", { $0.lowercased().hasPrefix("application/json") }),
            ("SDK-Platform", { !$0.isEmpty }),
            ("SDK-Version", { !$0.isEmpty }),
            ("Sent-At", { Int64($0).map { $0 > 0 } ?? false }),
            ("SDK-Request-Processor", { $0 == "Online" || $0 == "Offline" }),
        ]
        return rules.filter { rule in !(self.only(rule.name).map(rule.holds) ?? false) }.map(\.name)
    }

    /// Returns the value of a header that occurs exactly once.
    func only(_ name: String) -> String? {
        let values = self.headers.values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}
