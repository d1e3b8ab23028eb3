//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

/// Decides whether a request may go out now: so many at once on each lane, and none to an endpoint that asked for a pause.
///
/// An identity endpoint that asks one installation for a pause asks that installation alone: one visitor who is throttled
/// keeps nobody else from logging in. When it asks several of them at a time, it means the workspace (design, law 3).
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

    /// Whom a pause holds for.
    enum Scope: Hashable {
        /// Identity requests of all installations.
        case identity
        /// Requests to this endpoint.
        case endpoint(String)
        /// Requests of this installation to this endpoint.
        case installation(InstallationID, endpoint: String)
    }

    /// How many installations are asked for a pause until the workspace is meant.
    static let installationsOfAWorkspace = 3
    /// Within what time they are.
    static let timeOfAWorkspace = Duration.seconds(10)

    private let limits: [Lane: Int]
    private var inFlight: [Lane: Int] = [:]
    private var waiting: [Lane: WaiterQueue] = [:]
    private(set) var pausedUntil: [Scope: Duration] = [:]
    /// How many pauses there may be before those that are over are looked for.
    private var pausesToTidy = 64
    /// When installations were last asked for a pause, oldest first, no longer ago than `timeOfAWorkspace`.
    private var asked: [(installation: InstallationID, at: Duration)] = []
    private var nextNumber = 0

    /// Makes a machine with nothing under way.
    ///
    /// - Parameter limits: How many requests of a lane are under way at once; 1 where nothing is said.
    init(limits: [Lane: Int]) {
        self.limits = limits
    }

    /// A request wants to go out.
    ///
    /// - Parameters:
    ///   - route: Where to.
    ///   - installation: Whose; nil for one that is of no installation alone.
    ///   - now: Uptime.
    /// - Returns: What to do with it.
    mutating func admit(_ route: Route, of installation: InstallationID? = nil, now: Duration) -> Admission {
        if let remaining = self.pause(of: route, for: installation, now: now) { return .throttled(remaining) }
        let lane = Lane(route)
        guard self.inFlight[lane, default: 0] >= self.limits[lane, default: 1] else {
            self.inFlight[lane, default: 0] += 1
            return .send
        }
        defer { self.nextNumber += 1 }
        self.waiting[lane, default: WaiterQueue()].append(self.nextNumber)
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
    mutating func pause(of route: Route, for installation: InstallationID? = nil, now: Duration) -> Duration? {
        var scopes = [Scope.endpoint(route.name)]
        if Lane(route) == .identity { scopes.append(.identity) }
        if let installation { scopes.append(.installation(installation, endpoint: route.name)) }
        var remaining: Duration?
        for scope in scopes {
            guard let until = self.pausedUntil[scope] else { continue }
            if until > now {
                remaining = max(until - now, remaining ?? .zero)
            } else {
                self.pausedUntil[scope] = nil
            }
        }
        return remaining
    }

    /// An endpoint asks everybody for a pause.
    mutating func pause(_ route: Route, until: Duration) {
        self.pause(.endpoint(route.name), until: until)
    }

    /// An endpoint has answered a request with how long it wants to be left alone.
    ///
    /// - Parameters:
    ///   - route: Which one.
    ///   - installation: Whose request it was; nil for one that is of no installation alone.
    ///   - until: When the pause is over.
    ///   - isAccelerating: Whether the limit is that of acceleration alone. Identity requests go on then: they come from
    ///     people, who do not accelerate as a queue does.
    ///   - now: Uptime.
    mutating func throttled(
        _ route: Route,
        of installation: InstallationID?,
        until: Duration,
        isAccelerating: Bool = false,
        now: Duration
    ) {
        guard Lane(route) == .identity, let installation else { return self.pause(route, until: until) }
        guard !isAccelerating else { return }
        self.tidy(now: now)
        self.pause(.installation(installation, endpoint: route.name), until: until)
        self.asked.removeAll { $0.installation == installation || now - $0.at > Self.timeOfAWorkspace }
        self.asked.append((installation, now))
        if self.asked.count >= Self.installationsOfAWorkspace { self.pause(.identity, until: until) }
    }

    private mutating func pause(_ scope: Scope, until: Duration) {
        self.pausedUntil[scope] = max(until, self.pausedUntil[scope] ?? until)
    }

    /// Installations that never ask again would leave their pauses behind.
    private mutating func tidy(now: Duration) {
        guard self.pausedUntil.count >= self.pausesToTidy else { return }
        self.pausedUntil = self.pausedUntil.filter { $0.value > now }
        self.pausesToTidy = max(64, self.pausedUntil.count * 2)
    }
}
