// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Scripted faults for requests in flight, in place of the network's and the platform's own.
///
/// At most one fault applies to each request through ``Emulator/transport``: the oldest of ``inject(_:on:times:)`` for
/// its route, else the one of ``injectAlways(_:on:)``, else none. It may be used from any task.
public final class FaultInjector: Sendable {
    private let plan = Locked(FaultPlan())

    init() {}

    /// Applies a fault to the next requests.
    ///
    /// - Parameters:
    ///   - fault: The fault to apply.
    ///   - route: The route of the requests; nil matches any.
    ///   - times: The number of requests, one after another; values below one have no effect.
    public func inject(_ fault: Fault, on route: EmulatorRoute? = nil, times: Int = 1) {
        self.plan.withLock { $0.inject(fault, on: route, times: times) }
    }

    /// Applies a fault to all requests, until ``clear()`` or until another one is set for the same route.
    ///
    /// - Parameters:
    ///   - fault: The fault to apply.
    ///   - route: The route of the requests; nil matches any route without a fault of its own.
    public func injectAlways(_ fault: Fault, on route: EmulatorRoute? = nil) {
        self.plan.withLock { $0.injectAlways(fault, on: route) }
    }

    /// Removes all faults that have not been applied.
    ///
    /// Requests that a gate holds stay held.
    public func clear() {
        self.plan.withLock { $0 = FaultPlan() }
    }

    /// The number of requests to which faults of ``inject(_:on:times:)`` are still to be applied.
    public var remaining: Int {
        self.plan.withLock { $0.remaining }
    }

    /// The active faults of ``injectAlways(_:on:)``, sorted by route; the one for any route comes first.
    package var standing: [(route: EmulatorRoute?, fault: Fault)] {
        self.plan.withLock { $0.standing }
            .sorted { ($0.key?.rawValue ?? "") < ($1.key?.rawValue ?? "") }
            .map { ($0.key, $0.value) }
    }

    /// True when no fault is set.
    package var isClear: Bool {
        self.plan.withLock { $0.isClear }
    }

    /// Takes the fault for a request; the route is nil for a request to an unknown path.
    func take(for route: EmulatorRoute?) -> Fault? {
        self.plan.withLock { $0.take(for: route) }
    }
}
