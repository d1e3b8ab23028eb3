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
        self.plan.withLock { $0.clear() }
    }

    /// The number of requests to which faults of ``inject(_:on:times:)`` are still to be applied.
    public var remaining: Int {
        self.plan.withLock { $0.remaining }
    }

    /// The faults that are still to be applied, in the order in which they were set.
    package var entries: [Entry] {
        self.plan.withLock { $0.entries }
    }

    /// Removes one of ``entries``.
    ///
    /// - Parameter number: The number of the entry.
    /// - Returns: False if there is no such entry: it was removed, replaced, or applied as often as it was set.
    package func remove(_ number: Int) -> Bool {
        self.plan.withLock { $0.remove(number) }
    }

    /// True when no fault is set.
    package var isClear: Bool {
        self.plan.withLock { $0.isClear }
    }

    /// Takes the fault for a request; the route is nil for a request to an unknown path.
    func take(for route: EmulatorRoute?) -> Fault? {
        self.plan.withLock { $0.take(for: route) }
    }

    /// A fault that is set, with the requests to which it applies.
    package struct Entry: Sendable {
        /// The requests of a route to which a fault applies.
        package enum Extent: Sendable, Hashable {
            /// All of them.
            case all
            /// The next ones: the number that is left, at least one.
            case next(Int)
            /// A share of them, from 0 to 1, drawn at random.
            case share(Double)
        }

        /// The unique number, from 1, in the order in which faults were set; none is used twice.
        package let number: Int
        /// The route; nil is any.
        package let route: EmulatorRoute?
        /// The fault.
        package let fault: Fault
        /// The requests of the route.
        package fileprivate(set) var extent: Extent
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
    /// In the order in which they were set.
    private(set) var entries: [FaultInjector.Entry] = []
    private var lastNumber = 0

    var remaining: Int {
        self.entries.reduce(0) { sum, entry in
            if case .next(let times) = entry.extent { sum + times } else { sum }
        }
    }

    var isClear: Bool {
        self.entries.isEmpty
    }

    mutating func inject(_ fault: FaultInjector.Fault, on route: EmulatorRoute?, times: Int) {
        guard times > 0 else { return }
        self.add(fault, on: route, .next(times))
    }

    mutating func injectAlways(_ fault: FaultInjector.Fault, on route: EmulatorRoute?) {
        self.entries.removeAll { $0.extent == .all && $0.route == route }
        self.add(fault, on: route, .all)
    }

    mutating func injectAlways(_ fault: FaultInjector.Fault, on route: EmulatorRoute?, share: Double) {
        self.add(fault, on: route, .share(share))
    }

    /// Removes an entry; returns false if there is none with this number.
    mutating func remove(_ number: Int) -> Bool {
        guard let index = self.entries.firstIndex(where: { $0.number == number }) else { return false }
        self.entries.remove(at: index)
        return true
    }

    /// Removes all entries; their numbers are not used again.
    mutating func clear() {
        self.entries = []
    }

    /// Takes the fault for a request; `point` draws a number from 0 up to 1, and is asked only if there are shares.
    mutating func take(
        for route: EmulatorRoute?,
        at point: () -> Double = { Double.random(in: 0..<1) }
    ) -> FaultInjector.Fault? {
        self.next(for: route) ?? self.drawn(for: route, at: point) ?? self.lasting(on: route) ?? self.lasting(on: nil)
    }

    private mutating func add(
        _ fault: FaultInjector.Fault,
        on route: EmulatorRoute?,
        _ extent: FaultInjector.Entry.Extent
    ) {
        self.lastNumber += 1
        self.entries.append(
            FaultInjector.Entry(number: self.lastNumber, route: route, fault: fault, extent: extent)
        )
    }

    private mutating func next(for route: EmulatorRoute?) -> FaultInjector.Fault? {
        for (index, entry) in self.entries.enumerated() where entry.route == nil || entry.route == route {
            guard case .next(let times) = entry.extent else { continue }
            if times > 1 {
                self.entries[index].extent = .next(times - 1)
            } else {
                self.entries.remove(at: index)
            }
            return entry.fault
        }
        return nil
    }

    private func drawn(for route: EmulatorRoute?, at point: () -> Double) -> FaultInjector.Fault? {
        var rest: Double?
        for entry in self.entries {
            guard case .share(let share) = entry.extent else { continue }
            let left = rest ?? point()
            rest = left
            guard entry.route == nil || entry.route == route else { continue }
            rest = left - share
            if left < share { return entry.fault }
        }
        return nil
    }

    private func lasting(on route: EmulatorRoute?) -> FaultInjector.Fault? {
        self.entries.last { $0.extent == .all && $0.route == route }?.fault
    }
}
