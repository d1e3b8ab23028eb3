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
        let waiting: [InfobipStateMachine.Waiting.Event]
        let attempts: Set<InfobipStateMachine.Attempt>
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

    private static func key(of world: World) -> Int {
        Key(
            memory: world.machine.memory,
            operation: world.machine.inFlight?.operation,
            waiting: world.machine.waiting.map(\.event),
            attempts: world.machine.attempts,
            isPaused: world.machine.pausedUntil != nil,
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
    private static func step(_ world: inout World) -> Bool {
        world.machine.clearPause()
        guard case .perform(_, let operation) = world.machine.next(now: .seconds(1 << 30), milliseconds: 0) else {
            return false
        }
        world.trace.append(Self.name(operation))
        switch operation {
        case .attach(_, let scope), .detach(let scope), .look(let scope):
            guard case .moving(to: scope, _) = world.machine.memory.attachment else {
                world.fail("invariant 4: a barrier goes out before it is on disk")
                break
            }
        case .saveUser(_, let scope, _), .sendEvents(_, let scope), .fetchUser(let scope):
            if world.machine.memory.attachment != .known(scope) { world.fail("invariant 3: data goes out for nobody known") }
        default: break
        }
        return true
    }

    private static func kill(_ world: inout World) {
        do {
            guard let memory = try InfobipMemory(world.machine.memory.encoded()) else { return world.fail("unreadable") }
            var expected = world.machine.memory
            if case .moving(let to, _) = expected.attachment { expected.attachment = .moving(to: to, from: nil) }
            if memory != expected { world.fail("what was written is not what is read") }
            world.machine = InfobipStateMachine(restoring: memory, systemHash: ("h", "h"))
        } catch {
            world.fail("unreadable")
        }
    }

    private static func call(_ call: Call, _ world: inout World) {
        let number = world.stamps.count
        var attributes: InfobipAttributes?
        func personalize(_ id: String, forces: Bool = false) -> InfobipCall {
            .personalize(
                .init(
                    identity: InfobipIdentity(externalUserID: id),
                    attributes: attributes,
                    options: .init(forceDepersonalize: forces)
                )
            )
        }
        var name: String?
        let before = world.machine.memory.last.id
        let beginning: InfobipStateMachine.CallBeginning
        var actions: [InfobipStateMachine.Action] = []
        switch call {
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

    // MARK: - The service

    /// The service reads a request.
    private static func arrive(
        _ operation: InfobipStateMachine.Operation,
        _ world: inout World
    ) -> InfobipStateMachine.Answer {
        if case .register = operation {
            world.service.register()
            return .installation(world.service.installation)
        }
        guard world.service.registration != nil else { return .lost(Self.error) }
        switch operation {
        case .saveUser(let edits, _, _):
            if let value = edits.changes.firstName.apply(to: nil).flatMap({ Int($0) }) {
                Self.judge(value, for: world.service.current, &world)
                world.service.save(value)
                world.settled.insert(value)
            }
            return .done
        case .attach(let attach, _):
            let personalization = attach.personalization
            let lead = personalization.options.forceDepersonalize ? MiniInfobip.Person() : world.service.current
            let value = personalization.attributes?.firstName.flatMap { Int($0) }
            let isDone = world.service.personalize(
                personalization.identity.externalUserID ?? "",
                forces: personalization.options.forceDepersonalize,
                value: value
            )
            guard isDone else { return .refused(.personalizationImpossible, rollsBackIdentity: false) }
            for value in lead.received where lead.names.isEmpty {
                Self.judge(value, for: world.service.current, isMerged: true, &world)
            }
            return .user(world.service.user)
        case .detach:
            world.service.depersonalize()
            return .done
        case .fetchUser, .look: return .user(world.service.user)
        case .sendEvents(let ordinals, let scope):
            world.service.take(ordinals.map { Int($0) })
            let names = world.names[scope] ?? []
            let found = world.service.current.names
            if !found.isEmpty, found.isDisjoint(with: names), !Self.isStamped(scope, in: world) { world.fail("an event of \(names) went to \(found)") }
            return .done
        case .fetchInstallation, .register: return .installation(world.service.installation)
        default: return .done
        }
    }

    /// Events are sent for the scope that is attached: its names are those of its own calls, or its claim's.
    private static func isStamped(_ scope: PersonScope.ID, in world: World) -> Bool {
        guard let index = world.machine.memory.index(of: scope) else { return false }
        guard case .named(let identity) = world.machine.memory.scopes[index].claim else { return false }
        return identity.externalUserID.map { world.service.current.names.contains($0) } ?? false
    }

    /// No value goes to anybody but whom it is of, and none comes after a newer one.
    private static func judge(_ value: Int, for person: MiniInfobip.Person, isMerged: Bool = false, _ world: inout World) {
        let names = world.names[world.stamps[value]] ?? []
        if !person.names.isEmpty {
            if person.names.isDisjoint(with: names) { world.fail("a value of \(names.sorted()) goes to \(person.names.sorted())") }
            if !isMerged, let newer = person.value, newer > value,
                !(world.names[world.stamps[newer]] ?? []).isDisjoint(with: names)
            {
                world.fail("value \(value) comes after \(newer)")
            }
        }
    }

    private static func answer(_ fault: Fault?, _ operation: InfobipStateMachine.Operation, _ world: inout World) {
        let number = world.machine.inFlight?.number ?? 0
        let answer: InfobipStateMachine.Answer
        switch fault {
        case nil: answer = Self.arrive(operation, &world)
        case .unsent: answer = .failed(Self.error, mayHaveHappened: false)
        case .lostBefore: answer = .failed(Self.error, mayHaveHappened: true)
        case .lostAfter:
            _ = Self.arrive(operation, &world)
            answer = .failed(Self.error, mayHaveHappened: true)
        case .refused: answer = .refused(SignetError(.rejected, "no"), rollsBackIdentity: false)
        case .expired:
            if world.service.registration != nil { world.service.expire() }
            answer = Self.arrive(operation, &world)
        case .loggedOut:
            if world.service.registration != nil { world.service.depersonalize() }
            world.isLoggedOut = true
            answer = Self.arrive(operation, &world)
        case .renamed:
            world.service.rename()
            answer = Self.arrive(operation, &world)
        }
        if fault == .refused, case .saveUser(let edits, _, _) = operation {
            world.settled.formUnion(edits.changes.firstName.apply(to: nil).flatMap { Int($0) }.map { [$0] } ?? [])
        }
        let wasLast = world.machine.memory.last.id
        if fault != nil, case .attach(let attach, wasLast) = operation, attach.isForced {
            // Its caller sees it fail: nobody comes, or whoever was there stays.
            world.wish = nil
        }
        if case .refused = answer, case .attach = operation { world.wish = nil }
        let actions = world.machine.finish(number, answer, now: .zero, milliseconds: 0, jitter: 0)
        Self.follow(actions, &world)
    }

    private static func follow(_ actions: [InfobipStateMachine.Action], _ world: inout World) {
        for action in actions {
            guard case .dropChanges = action else { continue }
            world.trace.append("drop")
        }
    }

    // MARK: - What must be so

    private static func check(_ world: inout World) {
        let memory = world.machine.memory
        if memory.scopes.isEmpty { world.fail("there is no scope") }
        if memory.scopes.count > 4 { world.fail("scopes pile up") }
        switch memory.attachment {
        case .known(let id):
            if memory.index(of: id) == nil { world.fail("the attached scope is gone") }
        case .moving(let to, let from):
            guard let index = memory.index(of: to) else { return world.fail("the scope to enter is gone") }
            if memory.scopes[index].barriers.isEmpty { world.fail("there is no barrier to do") }
            if let from, memory.index(of: from) == nil { world.fail("the scope of before is gone") }
        }
        for scope in memory.scopes.dropFirst() where scope.id != memory.last.id && scope.barriers.isEmpty {
            world.fail("an earlier scope has no way in")
        }
    }

    /// Everything has come to rest, and is as the app has asked for it.
    private static func checkRest(_ world: inout World) {
        if world.machine.hasWork(now: .seconds(1 << 30), milliseconds: 0) { return world.fail("there is no end to it") }
        if !world.machine.waiting.isEmpty { return world.fail("somebody waits for ever") }
        if world.machine.hasPendingChanges { return world.fail("changes are pending for ever") }
        let memory = world.machine.memory
        guard memory.scopes.count == 1, memory.isAttached else { return world.fail("the last scope is not attached") }
        guard world.service.registration != nil, !world.isLoggedOut else { return }
        let name = world.service.current.externalUserID
        switch memory.last.claim {
        case .anonymous:
            if name != nil { world.fail("\(name ?? "") is attached for nobody") }
        case .named(let identity):
            let isRenamed = name.map { $0 == (identity.externalUserID ?? "") + "2" } ?? false
            if name != identity.externalUserID, !isRenamed { world.fail("\(name ?? "nobody") is attached for \(identity.externalUserID ?? "-")") }
        }
        if let wish = world.wish, wish.isEmpty, name != nil { world.fail("\(name ?? "") is attached after a log-out") }
        Self.checkLoss(&world)
    }

    /// What was saved for somebody named has arrived, gives way to a newer value, or waits for them.
    private static func checkLoss(_ world: inout World) {
        let parked = world.machine.memory.parked.values.compactMap { $0.edits.changes.firstName.apply(to: nil) }
        for (value, scope) in world.stamps.enumerated() where !world.settled.contains(value) && !world.said.contains(value) {
            guard world.isSaved.contains(value), !parked.contains(String(value)) else { continue }
            let names = world.names[scope] ?? []
            let isReplaced = world.stamps.indices.contains { newer in
                let others = world.names[world.stamps[newer]] ?? []
                return newer > value && (world.isSaved.contains(newer) || world.said.contains(newer))
                    && (world.stamps[newer] == scope || !others.isDisjoint(with: names))
            }
            if isReplaced || names.isEmpty && scope != world.machine.memory.last.id { continue }
            world.fail("value \(value) of \(names.sorted()) is lost")
        }
    }

    private static func name(_ operation: InfobipStateMachine.Operation) -> String {
        switch operation {
        case .register: "register"
        case .saveUser(let edits, let scope, let isLast):
            "saveUser(\(edits.changes.firstName.apply(to: nil) ?? "-") of \(scope)\(isLast ? ", last" : ""))"
        case .attach(let attach, let scope):
            "attach(\(attach.personalization.identity.externalUserID ?? "-")\(attach.isForced ? ", forced" : "") of \(scope))"
        case .detach(let scope): "detach(\(scope))"
        case .look(let scope): "look(\(scope))"
        case .fetchUser: "fetchUser"
        case .sendEvents(_, let scope): "events(\(scope))"
        default: "other"
        }
    }
}
