//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetWire

/// Decides whether a request may go out now: so many at once on each lane, and none to an endpoint that asked for a pause.
struct DispatchStateMachine: Sendable {
    /// Requests of one lane share a limit, so that uploads never hold up a login.
    enum Lane: Sendable, Hashable {
        case identity
        case alias
        case events

        /// The lane of an endpoint.
        init(_ route: Route) {
            switch route {
            case .identify, .login, .logout, .search, .modify: self = .identity
            case .alias: self = .alias
            case .events, .bulkEvents: self = .events
            }
        }
    }

    /// What to do with a request.
    enum Admission: Sendable, Hashable {
        /// Send it.
        case send
        /// Wait until this number is called.
        case wait(Int)
        /// The endpoint asked for a pause that lasts this much longer.
        case throttled(Duration)
    }

    private let limits: [Lane: Int]
    private var inFlight: [Lane: Int] = [:]
    private var waiting: [Lane: TurnQueue] = [:]
    private var pausedUntil: [String: Duration] = [:]
    private var nextNumber = 0

    /// Makes a machine with nothing under way.
    ///
    /// - Parameter limits: How many requests of a lane are under way at once; 1 where nothing is said.
    init(limits: [Lane: Int]) {
        self.limits = limits
    }

    /// A request wants to go out.
    mutating func admit(_ route: Route, now: Duration) -> Admission {
        if let remaining = self.pause(of: route, now: now) { return .throttled(remaining) }
        let lane = Lane(route)
        guard self.inFlight[lane, default: 0] >= self.limits[lane, default: 1] else {
            self.inFlight[lane, default: 0] += 1
            return .send
        }
        defer { self.nextNumber += 1 }
        self.waiting[lane, default: TurnQueue()].append(self.nextNumber)
        return .wait(self.nextNumber)
    }

    /// A request has ended.
    ///
    /// - Returns: The one that goes out in its place.
    mutating func finished(_ route: Route) -> Int? {
        let lane = Lane(route)
        if let next = self.waiting[lane]?.popFirst() { return next }
        self.inFlight[lane, default: 1] -= 1
        return nil
    }

    /// A request no longer wants to go out.
    ///
    /// - Returns: Whether it was still waiting; false when it has been called meanwhile and must report its end.
    mutating func leave(_ number: Int, _ route: Route) -> Bool {
        self.waiting[Lane(route)]?.remove(number) ?? false
    }

    /// How long an endpoint still wants to be left alone; nil when it does not.
    ///
    /// To be asked again by a request that has waited: the pause may have been asked for meanwhile.
    mutating func pause(of route: Route, now: Duration) -> Duration? {
        guard let until = self.pausedUntil[route.name] else { return nil }
        if until > now { return until - now }
        self.pausedUntil[route.name] = nil
        return nil
    }

    /// An endpoint asks for a pause.
    mutating func pause(_ route: Route, until: Duration) {
        self.pausedUntil[route.name] = max(until, self.pausedUntil[route.name] ?? until)
    }
}
