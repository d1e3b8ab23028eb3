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
/// Each request through ``Emulator/transport`` meets one fault at most: the oldest of ``next(on:_:times:)`` that is meant for
/// its route, else the one of ``always(on:_:)``, else none. It may be used from any task.
public final class Weather: Sendable {
    private let forecast = Locked(Forecast())

    init() {}

    /// Lets the next requests meet a fault.
    ///
    /// - Parameters:
    ///   - route: Only requests of this kind; nil is any.
    ///   - fault: What they meet.
    ///   - times: How many requests meet it, one after another; none for less than one.
    public func next(on route: EmulatorRoute? = nil, _ fault: Fault, times: Int = 1) {
        self.forecast.withLock { $0.next(on: route, fault, times: times) }
    }

    /// Lets all requests meet a fault, until ``clear()`` or until another one is set for the same route.
    ///
    /// - Parameters:
    ///   - route: Only requests of this kind, which goes before a fault for any; nil is any.
    ///   - fault: What they meet.
    public func always(on route: EmulatorRoute? = nil, _ fault: Fault) {
        self.forecast.withLock { $0.always(on: route, fault) }
    }

    /// Forgets all faults that have not been met.
    ///
    /// Requests that a gate holds stay held.
    public func clear() {
        self.forecast.withLock { $0 = Forecast() }
    }

    /// How many requests are still to meet a fault of ``next(on:_:times:)``.
    public var remaining: Int {
        self.forecast.withLock { $0.remaining }
    }

    /// The faults of ``always(on:_:)`` that hold, by routes; the one for any comes first.
    package var standing: [(route: EmulatorRoute?, fault: Fault)] {
        self.forecast.withLock { $0.standing }
            .sorted { ($0.key?.rawValue ?? "") < ($1.key?.rawValue ?? "") }
            .map { ($0.key, $0.value) }
    }

    /// Whether no request meets a fault now.
    package var isClear: Bool {
        self.forecast.withLock { $0.isClear }
    }

    /// What a request meets; the route is nil for a request that no route is for.
    func take(for route: EmulatorRoute?) -> Fault? {
        self.forecast.withLock { $0.take(for: route) }
    }
}
