// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

@testable import SignetInfobip

/// Tries everything that can happen to the machine in a small world: each call at each moment, each fault of the network,
/// each thing that other devices do at the service, and a kill.
struct InfobipSearch {
    enum Call: String, CaseIterable {
        case save, event, fetch
        case ann, bob, forceAnn, forceBob, annSaying
        case depersonalize
        /// The data of people who have left is erased.
        case forgetLeft
    }

    enum Fault: String, CaseIterable {
        /// The request does not arrive, or its answer is lost, or it cannot be sent at all.
        case unsent, lostBefore, lostAfter
        /// The service refuses it, or has lost the registration.
        case refused, expired
        /// Another device logs this one out, or renames the person, before it arrives.
        case loggedOut, renamed
    }

    struct Budget: Hashable {
        var calls: Int
        var faults: Int
        var kills: Int
    }

    /// A state of the world.
    struct World {
        var machine: InfobipStateMachine
        var service = MiniInfobip()
        /// The scope of each value and event at its call; personalizes' values, too.
        var stamps: [PersonScope.ID] = []
        /// The names that the app has given in a scope.
        var names: [PersonScope.ID: Set<String>] = [:]
        /// Values that have arrived, or were refused.
        var settled: Set<Int> = []
        /// Values of personalizes, which nobody keeps when those fail.
        var said: Set<Int> = []
        /// Values that were saved.
        var isSaved: Set<Int> = []
        /// The last change of the person that the app has asked for, and its outcome.
        var wish: String?
        var isLoggedOut = false
        var budget: Budget
        var trace: [String] = []
        var violation: String?

        mutating func fail(_ text: String) {
            if self.violation == nil { self.violation = text }
        }
    }

    private struct Key: Hashable {
        let memory: InfobipMemory
        let operation: InfobipStateMachine.Operation?
        let waiting: [InfobipCallers.Event]
        let attempts: Set<InfobipOperation.Attempt>
        let isPaused: Bool
        let service: MiniInfobip
        let stamps: [PersonScope.ID]
        let wish: String?
        let isLoggedOut: Bool
        let budget: Budget
    }

    var calls = Call.allCases
    var faults = Fault.allCases
    /// The most states; a longer search stops.
    var limit = Int.max
    private(set) var states = 0
    private(set) var violations: [String] = []
    private var seen: Set<Int> = []

    static let token = InfobipPushToken(token: "aa", service: "APNS")
    static let error = SignetError(.serverFailure, "no")

    static func start(_ budget: Budget) -> World {
        var memory = InfobipMemory(application: "a")
        memory.token = Self.token
        return World(machine: InfobipStateMachine(restoring: memory, systemHash: ("h", "h")), budget: budget)
    }

    init() {}

    /// Searches; violations hold the way to each.
    mutating func run(_ budget: Budget, from worlds: [World]? = nil) {
        var stack = worlds ?? [Self.start(budget)]
        while let world = stack.popLast(), self.violations.count < 3, self.states < self.limit {
            for next in self.next(after: world) {
                if let violation = next.violation {
                    self.violations.append(violation + ": " + next.trace.joined(separator: ", "))
                    continue
                }
                guard self.seen.insert(Self.key(of: next)).inserted else { continue }
                self.states += 1
                stack.append(next)
            }
        }
    }

    static func key(of world: World) -> Int {
        Key(
            memory: world.machine.memory,
            operation: world.machine.inFlight?.operation,
            waiting: world.machine.callers.waiting.map(\.event),
            attempts: world.machine.attempts,
            isPaused: world.machine.backOff.pausedUntil != nil,
            service: world.service,
            stamps: world.stamps,
            wish: world.wish,
            isLoggedOut: world.isLoggedOut,
            budget: world.budget
        ).hashValue
    }

    // MARK: - What can happen

    private func next(after world: World) -> [World] {
        var next: [World] = []
        func add(_ label: String, _ body: (inout World) -> Void) {
            var copy = world
            copy.trace.append(label)
            body(&copy)
            Self.check(&copy)
            next.append(copy)
        }
        if world.budget.calls > 0 {
            for call in self.calls {
                add(call.rawValue) { world in
                    world.budget.calls -= 1
                    Self.call(call, &world)
                }
            }
        }
        if let operation = world.machine.inFlight?.operation {
            add("done") { Self.answer(nil, operation, &$0) }
            if world.budget.faults > 0 {
                for fault in self.faults {
                    add("\(fault)") { world in
                        world.budget.faults -= 1
                        Self.answer(fault, operation, &world)
                    }
                }
            }
            if world.budget.kills > 0 {
                for isApplied in [false, true] {
                    add(isApplied ? "kill after arrival" : "kill before arrival") { world in
                        world.budget.kills -= 1
                        if isApplied { _ = Self.arrive(operation, &world) }
                        Self.kill(&world)
                    }
                }
            }
        } else {
            var copy = world
            if Self.step(&copy) {
                if copy.trace.count > 60 { copy.fail("there is no end to it") }
                next.append(copy)
            } else {
                Self.checkRest(&copy)
                if copy.violation != nil { next.append(copy) }
            }
        }
        return next
    }

    /// Begins the next request, after any pause; false if there is none.
    static func step(_ world: inout World) -> Bool {
        world.machine.backOff.clear()
        guard case .perform(_, let operation) = world.machine.next(now: .seconds(1 << 30), milliseconds: 0) else {
            return false
        }
        world.trace.append(Self.name(operation))
        switch operation {
        case .attach(_, let scope), .detach(let scope), .look(let scope):
            guard case .moving(to: scope, _) = world.machine.memory.people.attachment else {
                world.fail("invariant 4: a barrier goes out before it is on disk")
                break
            }
        case .saveUser(_, let scope, _), .sendEvents(_, let scope), .fetchUser(let scope):
            if world.machine.memory.people.attachment != .known(scope) {
                world.fail("invariant 3: data goes out for nobody known")
            }
        default: break
        }
        return true
    }

    static func kill(_ world: inout World) {
        guard let memory = InfobipMemory(world.machine.memory.encoded()) else { return world.fail("unreadable") }
        var expected = world.machine.memory
        expected.people.unanswered(mayHaveHappened: true)
        if memory != expected { world.fail("what was written is not what is read") }
        world.machine = InfobipStateMachine(restoring: memory, systemHash: ("h", "h"))
    }

    static func call(_ call: Call, _ world: inout World) {
        let number = world.stamps.count
        var attributes: InfobipAttributes?
        func personalize(_ id: String, forces: Bool = false) -> InfobipCall {
            .personalize(
                .init(
                    identity: InfobipIdentity(externalUserID: id),
                    attributes: attributes,
                    options: forces ? .forceDepersonalize : []
                )
            )
        }
        var name: String?
        let before = world.machine.memory.last.id
        let beginning: InfobipStateMachine.CallBeginning
        var actions: [InfobipStateMachine.Action] = []
        switch call {
        case .forgetLeft:
            // Nothing of them need arrive.
            for (value, scope) in world.stamps.enumerated() where scope != before { world.settled.insert(value) }
            Self.follow(world.machine.forgetLeft(), &world)
            return
        case .event:
            world.stamps.append(before)
            actions = world.machine.queue([], now: .zero)
            return
        case .save:
            var changes = InfobipUserChanges()
            changes.firstName = .set(String(number))
            (beginning, actions) = world.machine.begin(.saveUser(changes), now: .zero)
            world.stamps.append(before)
            world.isSaved.insert(number)
        case .fetch: (beginning, actions) = world.machine.begin(.fetchUser, now: .zero)
        case .depersonalize: (beginning, actions) = world.machine.begin(.depersonalize, now: .zero)
        case .ann, .bob, .forceAnn, .forceBob, .annSaying:
            let id = call == .bob || call == .forceBob ? "bob" : "ann"
            name = id
            if call == .annSaying {
                attributes = InfobipAttributes()
                attributes?.firstName = String(number)
            }
            let forces = call == .forceAnn || call == .forceBob
            (beginning, actions) = world.machine.begin(personalize(id, forces: forces), now: .zero)
            if call == .annSaying {
                world.stamps.append(world.machine.memory.last.id)
                world.said.insert(number)
            }
        }
        if case .ended(.failure) = beginning { name = nil }
        if let name {
            world.names[world.machine.memory.last.id, default: []].insert(name)
            world.wish = name
        }
        if call == .depersonalize { world.wish = "" }
        Self.follow(actions, &world)
    }

}
