//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// What happens to requests on their way: scripted faults, in place of the network's and the platform's own.
///
/// Each request through ``Emulator/transport`` meets one fault at most: the oldest of ``inject(_:on:times:)`` that is meant for
/// its route, else the one of ``injectAlways(_:on:)``, else none. It may be used from any task.
public final class FaultInjector: Sendable {
    private let plan = Locked(FaultPlan())

    init() {}

    /// Lets the next requests meet a fault.
    ///
    /// - Parameters:
    ///   - fault: What they meet.
    ///   - route: Only requests of this kind; nil is any.
    ///   - times: How many requests meet it, one after another; none for less than one.
    public func inject(_ fault: Fault, on route: EmulatorRoute? = nil, times: Int = 1) {
        self.plan.withLock { $0.inject(fault, on: route, times: times) }
    }

    /// Lets all requests meet a fault, until ``clear()`` or until another one is set for the same route.
    ///
    /// - Parameters:
    ///   - fault: What they meet.
    ///   - route: Only requests of this kind, which goes before a fault for any; nil is any.
    public func injectAlways(_ fault: Fault, on route: EmulatorRoute? = nil) {
        self.plan.withLock { $0.injectAlways(fault, on: route) }
    }

    /// Forgets all faults that have not been met.
    ///
    /// Requests that a gate holds stay held.
    public func clear() {
        self.plan.withLock { $0 = FaultPlan() }
    }

    /// How many requests are still to meet a fault of ``inject(_:on:times:)``.
    public var remaining: Int {
        self.plan.withLock { $0.remaining }
    }

    /// The faults of ``injectAlways(_:on:)`` that hold, by routes; the one for any comes first.
    package var standing: [(route: EmulatorRoute?, fault: Fault)] {
        self.plan.withLock { $0.standing }
            .sorted { ($0.key?.rawValue ?? "") < ($1.key?.rawValue ?? "") }
            .map { ($0.key, $0.value) }
    }

    /// Whether no request meets a fault now.
    package var isClear: Bool {
        self.plan.withLock { $0.isClear }
    }

    /// What a request meets; the route is nil for a request that no route is for.
    func take(for route: EmulatorRoute?) -> Fault? {
        self.plan.withLock { $0.take(for: route) }
    }
}
