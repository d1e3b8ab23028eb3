// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// Decides whether a request may go out now.
///
/// Each lane limits its concurrent requests, and an endpoint that asked for a pause gets none.
///
/// An identity endpoint that asks one installation for a pause pauses that installation alone: one throttled visitor
/// does not keep others from logging in. When it asks several installations within a short time, and a good part of the
/// calls, the pause is for the workspace.
struct DispatchStateMachine: Sendable {
    /// Requests of one lane share a limit, so that uploads never delay a login.
    enum Lane: Sendable, Hashable {
        case identity
        case alias
        case events

        /// Returns the lane of an endpoint.
        init(_ route: Route) {
            switch route {
            case .identify, .login, .logout, .search, .modify: self = .identity
            case .alias: self = .alias
            case .events, .bulkEvents: self = .events
            }
        }
    }

    /// The next action for a request.
    enum Admission: Sendable, Hashable {
        /// Send it.
        case send
        /// Wait until this number is called.
        case wait(Int)
        /// The endpoint asked for a pause that lasts this much longer.
        case throttled(Duration)
    }

    /// The requests that a pause applies to.
    enum Scope: Hashable {
        /// Identity requests of all installations.
        case identity
        /// Requests to this endpoint.
        case endpoint(String)
        /// Requests of this installation to this endpoint.
        case installation(InstallationID, endpoint: String)
    }

    /// The number of installations asked for a pause that makes it a pause of the workspace.
    static let installationsOfAWorkspace = 3
    /// The time within which they are asked.
    static let timeOfAWorkspace = Duration.seconds(10)
    /// At least one of so many identity requests is asked for a pause.
    ///
    /// On a server with a hundred requests a second, three that are refused say nothing about the others.
    static let requestsToOneAsked = 4

    private let limits: [Lane: Int]
    private var inFlight: [Lane: Int] = [:]
    private var waiting: [Lane: WaiterQueue] = [:]
    private(set) var pausedUntil: [Scope: Duration] = [:]
    /// The number of pauses that starts the removal of expired ones.
    private var pausesToTidy = 64
    /// Times at which installations were last asked for a pause, oldest first, within `timeOfAWorkspace`; and the number of answers then.
    private var asked: [(installation: InstallationID, at: Duration, answers: Int)] = []
    /// The number of identity requests that were answered.
    private var answers = 0
    private var nextNumber = 0

    /// Makes a machine without requests in flight.
    ///
    /// - Parameter limits: The most concurrent requests of each lane; 1 for a lane that is missing.
    init(limits: [Lane: Int]) {
        self.limits = limits
    }

    /// Admits a request, queues it, or rejects it because of a pause.
    ///
    /// - Parameters:
    ///   - route: The endpoint.
    ///   - installation: The installation that sends the request; nil if it belongs to no single installation.
    ///   - now: The uptime.
    /// - Returns: The next action.
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

    /// Ends a request.
    ///
    /// - Returns: The number of the request that goes out in its place.
    mutating func finished(_ route: Route) -> Int? {
        let lane = Lane(route)
        if let next = self.waiting[lane]?.popFirst() { return next }
        self.inFlight[lane, default: 1] -= 1
        return nil
    }

    /// Counts an answer; call it before ``throttled(_:of:until:isAccelerating:now:)``.
    mutating func answered(_ route: Route) {
        if Lane(route) == .identity { self.answers += 1 }
    }

    /// Removes a waiting request.
    ///
    /// - Returns: True if it was still waiting; false if it has been called meanwhile and must report its end.
    mutating func leave(_ number: Int, _ route: Route) -> Bool {
        self.waiting[Lane(route)]?.remove(number) ?? false
    }

    /// Returns the rest of an endpoint's pause; nil if there is none.
    ///
    /// A request that has waited must ask again: the pause may have begun meanwhile.
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

    /// Ends the pause of an endpoint for all installations.
    mutating func endPause(of route: Route) {
        self.pausedUntil[.endpoint(route.name)] = nil
    }

    /// Pauses an endpoint for all installations.
    mutating func pause(_ route: Route, until: Duration) {
        self.pause(.endpoint(route.name), until: until)
    }

    /// Records the pause that an endpoint asked for in its answer.
    ///
    /// - Parameters:
    ///   - route: The endpoint.
    ///   - installation: The installation that sent the request; nil if it belongs to no single installation.
    ///   - until: The end of the pause.
    ///   - isAccelerating: True if the limit is that of acceleration alone. Identity requests go on then: they come
    ///     from people, who do not accelerate as a queue does.
    ///   - now: The uptime.
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
        self.asked.append((installation, now, self.answers))
        guard self.asked.count >= Self.installationsOfAWorkspace, let first = self.asked.first,
            self.answers - first.answers < self.asked.count * Self.requestsToOneAsked
        else { return }
        self.pause(.identity, until: until)
    }

    private mutating func pause(_ scope: Scope, until: Duration) {
        self.pausedUntil[scope] = max(until, self.pausedUntil[scope] ?? until)
    }

    /// Removes expired pauses; installations that never ask again would leave theirs behind.
    private mutating func tidy(now: Duration) {
        guard self.pausedUntil.count >= self.pausesToTidy else { return }
        self.pausedUntil = self.pausedUntil.filter { $0.value > now }
        self.pausesToTidy = max(64, self.pausedUntil.count * 2)
    }
}
