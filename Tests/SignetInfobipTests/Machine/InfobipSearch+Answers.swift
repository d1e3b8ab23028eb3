// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

@testable import SignetInfobip

// How the service answers, and what must be so.
extension InfobipSearch {
    // MARK: - The service

    /// The service reads a request.
    static func arrive(
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
            let lead =
                personalization.options.contains(.forceDepersonalize) ? MiniInfobip.Person() : world.service.current
            let value = personalization.attributes?.firstName.flatMap { Int($0) }
            let isDone = world.service.personalize(
                personalization.identity.externalUserID ?? "",
                forces: personalization.options.contains(.forceDepersonalize),
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
            if !found.isEmpty, found.isDisjoint(with: names), !Self.isStamped(scope, in: world) {
                world.fail("an event of \(names) went to \(found)")
            }
            return .done
        case .fetchInstallation, .register: return .installation(world.service.installation)
        default: return .done
        }
    }

    /// Events are sent for the scope that is attached: its names are those of its own calls, or its claim's.
    static func isStamped(_ scope: PersonScope.ID, in world: World) -> Bool {
        guard let index = world.machine.memory.people.index(of: scope) else { return false }
        guard case .named(let identity) = world.machine.memory.people.all[index].claim else { return false }
        return identity.externalUserID.map { world.service.current.names.contains($0) } ?? false
    }

    /// No value goes to anybody but whom it is of, and none comes after a newer one.
    static func judge(_ value: Int, for person: MiniInfobip.Person, isMerged: Bool = false, _ world: inout World) {
        let names = world.names[world.stamps[value]] ?? []
        if !person.names.isEmpty {
            if person.names.isDisjoint(with: names) {
                world.fail("a value of \(names.sorted()) goes to \(person.names.sorted())")
            }
            if !isMerged, let newer = person.value, newer > value,
                !(world.names[world.stamps[newer]] ?? []).isDisjoint(with: names)
            {
                world.fail("value \(value) comes after \(newer)")
            }
        }
    }

    static func answer(_ fault: Fault?, _ operation: InfobipStateMachine.Operation, _ world: inout World) {
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

    static func follow(_ actions: [InfobipStateMachine.Action], _ world: inout World) {
        for action in actions {
            guard case .dropChanges = action else { continue }
            world.trace.append("drop")
        }
    }

    // MARK: - What must be so

    static func check(_ world: inout World) {
        let memory = world.machine.memory
        for scope in memory.people.all {
            // What was asked for behind a personalize that has failed is done in the scope in its place.
            for case .attach(let attach) in scope.barriers where attach.origin == .app {
                guard let name = attach.personalization.identity.externalUserID else { continue }
                world.names[scope.id, default: []].insert(name)
            }
        }
        if memory.people.all.isEmpty { world.fail("there is no scope") }
        if memory.people.all.count > 4 { world.fail("scopes pile up") }
        switch memory.people.attachment {
        case .known(let id):
            if memory.people.index(of: id) == nil { world.fail("the attached scope is gone") }
        case .moving(let to, let from):
            guard let index = memory.people.index(of: to) else { return world.fail("the scope to enter is gone") }
            if memory.people.all[index].barriers.isEmpty { world.fail("there is no barrier to do") }
            if let from, memory.people.index(of: from) == nil { world.fail("the scope of before is gone") }
        }
        for scope in memory.people.all.dropFirst() where scope.id != memory.last.id && scope.barriers.isEmpty {
            world.fail("an earlier scope has no way in")
        }
    }

    /// Everything has come to rest, and is as the app has asked for it.
    static func checkRest(_ world: inout World) {
        if world.machine.hasWork(now: .seconds(1 << 30), milliseconds: 0) { return world.fail("there is no end to it") }
        if !world.machine.callers.waiting.isEmpty { return world.fail("somebody waits for ever") }
        if world.machine.hasPendingChanges { return world.fail("changes are pending for ever") }
        let memory = world.machine.memory
        guard memory.people.all.count == 1, memory.people.isAttached else {
            return world.fail("the last scope is not attached")
        }
        guard world.service.registration != nil, !world.isLoggedOut else { return }
        let name = world.service.current.externalUserID
        switch memory.last.claim {
        case .anonymous:
            if name != nil { world.fail("\(name ?? "") is attached for nobody") }
        case .named(let identity):
            let isRenamed = world.service.current.names.contains(identity.externalUserID ?? "")
            if name != identity.externalUserID, !isRenamed {
                world.fail("\(name ?? "nobody") is attached for \(identity.externalUserID ?? "-")")
            }
        }
        if let wish = world.wish, wish.isEmpty, name != nil { world.fail("\(name ?? "") is attached after a log-out") }
        Self.checkLoss(&world)
    }

    /// What was saved for somebody named has arrived, gives way to a newer value, or waits for them.
    static func checkLoss(_ world: inout World) {
        let parked = world.machine.memory.people.parked.values.compactMap { $0.edits.changes.firstName.apply(to: nil) }
        for (value, scope) in world.stamps.enumerated()
        where !world.settled.contains(value) && !world.said.contains(value) {
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

    static func name(_ operation: InfobipStateMachine.Operation) -> String {
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
