// SPDX-License-Identifier: Apache-2.0

import SignetLock
public import SignetTransport

/// Scripted faults for requests in flight, in place of the network's and the platform's own.
///
/// At most one fault applies to each request through ``Emulator/transport``: the oldest of ``inject(_:on:times:)`` for
/// its route, else one that is for a share of the requests, else the one of ``injectAlways(_:on:)``, else none. It may be
/// used from any task.
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

    /// Applies a fault to a share of all requests, drawn at random, until ``clear()``.
    ///
    /// Several such faults add up: a request meets at most one of them, and shares beyond 1 have no effect.
    ///
    /// - Parameters:
    ///   - fault: The fault to apply.
    ///   - route: The route of the requests; nil matches any.
    ///   - share: The share of these requests, from 0 to 1.
    package func injectAlways(_ fault: Fault, on route: EmulatorRoute? = nil, share: Double) {
        self.plan.withLock { $0.injectAlways(fault, on: route, share: share) }
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

    /// The active faults that last, sorted by route; those for any route come first.
    ///
    /// The share is nil for a fault of all requests.
    package var standing: [(route: EmulatorRoute?, fault: Fault, share: Double?)] {
        let plan = self.plan.withLock { $0 }
        var all: [(route: EmulatorRoute?, fault: Fault, share: Double?)] = []
        for (route, fault) in plan.standing { all.append((route, fault, nil)) }
        for (route, fault, share) in plan.shares { all.append((route, fault, share)) }
        return all.sorted { ($0.route?.rawValue ?? "") < ($1.route?.rawValue ?? "") }
    }

    /// True when no fault is set.
    package var isClear: Bool {
        self.plan.withLock { $0.isClear }
    }

    /// Takes the fault for a request; the route is nil for a request to an unknown path.
    func take(for route: EmulatorRoute?) -> Fault? {
        self.plan.withLock { $0.take(for: route) }
    }

    /// A failure of one request.
    ///
    /// "Takes effect" means that the platform carries out the request, even if the client never receives the answer.
    public enum Fault: Sendable {
        /// Waits on the emulator's clock, then continues; takes no effect if cancelled during the wait.
        case delay(Duration)
        /// Waits until the gate opens, then continues; takes no effect if cancelled during the wait.
        case held(EmulatorGate)
        /// Takes effect at once; the answer waits until the gate opens.
        case replyHeld(EmulatorGate)
        /// The platform refuses with this status, with `Retry-After` in whole seconds if given; no effect.
        case status(Int, retryAfter: Duration? = nil)
        /// The platform refuses with this status, code and message, in the format of the interface; no effect.
        case refused(status: Int, code: String, message: String)
        /// The client receives this answer; no effect.
        case answer(TransportResponse)
        /// Takes effect; then the connection breaks with `notConnected`.
        case replyLost
        /// The connection is refused with `notConnected`; no effect.
        case connectionRefused
        /// The request fails with this error; no effect.
        case failure(TransportError)
        /// The answer never comes: the request waits until it is cancelled; no effect.
        case timeout
        /// Status 200 with this body; no effect.
        case garbage([UInt8])
        /// The answer is longer than the request allows: `responseTooLarge`; no effect.
        case hugeAnswer
        /// Takes effect; the client receives only the first half of the answer's body.
        case truncated
    }
}

/// The pending faults, and the choice of the fault for a request.
struct FaultPlan: Sendable {
    private var scripted: [(route: EmulatorRoute?, fault: FaultInjector.Fault, times: Int)] = []
    private(set) var shares: [(route: EmulatorRoute?, fault: FaultInjector.Fault, share: Double)] = []
    private(set) var standing: [EmulatorRoute?: FaultInjector.Fault] = [:]

    var remaining: Int {
        self.scripted.reduce(0) { $0 + $1.times }
    }

    var isClear: Bool {
        self.scripted.isEmpty && self.shares.isEmpty && self.standing.isEmpty
    }

    mutating func inject(_ fault: FaultInjector.Fault, on route: EmulatorRoute?, times: Int) {
        guard times > 0 else { return }
        self.scripted.append((route, fault, times))
    }

    mutating func injectAlways(_ fault: FaultInjector.Fault, on route: EmulatorRoute?) {
        self.standing[route] = fault
    }

    mutating func injectAlways(_ fault: FaultInjector.Fault, on route: EmulatorRoute?, share: Double) {
        self.shares.append((route, fault, share))
    }

    /// Takes the fault for a request; `point` draws a number from 0 up to 1, and is asked only if there are shares.
    mutating func take(
        for route: EmulatorRoute?,
        at point: () -> Double = { Double.random(in: 0..<1) }
    ) -> FaultInjector.Fault? {
        guard let index = self.scripted.firstIndex(where: { $0.route == nil || $0.route == route }) else {
            return self.drawn(for: route, at: point) ?? self.standing[route] ?? self.standing[nil]
        }
        let fault = self.scripted[index].fault
        if self.scripted[index].times > 1 {
            self.scripted[index].times -= 1
        } else {
            self.scripted.remove(at: index)
        }
        return fault
    }

    private func drawn(for route: EmulatorRoute?, at point: () -> Double) -> FaultInjector.Fault? {
        guard !self.shares.isEmpty else { return nil }
        var rest = point()
        for entry in self.shares where entry.route == nil || entry.route == route {
            rest -= entry.share
            if rest < 0 { return entry.fault }
        }
        return nil
    }
}
