// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import Testing

@testable import SignetInfobip

/// Every registration and attachment, with one scope and with two, and everything that can happen: what is done, and what is next.
@Suite struct InfobipTableTests {
    enum Stage: String, CaseIterable {
        /// There was no registration yet.
        case new
        /// The service has nobody, or ann.
        case nobody, ann
        /// Bob was called for without force, and there was no answer.
        case attaching
        /// Ann is still there, and leaves; or bob comes in her place.
        case leaving, forcing
        /// The same, without an answer.
        case left, forced
        /// Ann's registration was lost; or it was while she leaves.
        case lost, lostLeaving
    }

    enum Event: String, CaseIterable {
        case save, event, fetch, personalize, force, depersonalize
        case done, unsent, unanswered, refused, gone
    }

    private static func scene(_ stage: Stage) -> InfobipScene {
        var scene = InfobipScene(of: [.nobody, .attaching, .new].contains(stage) ? nil : "ann")
        switch stage {
        case .new:
            var memory = InfobipMemory(application: "a")
            memory.token = InfobipScene.token
            return InfobipScene(memory)
        case .nobody, .ann: break
        case .attaching:
            scene.personalize("bob")
            scene.unanswered()
        case .leaving: scene.call(.depersonalize)
        case .forcing: scene.personalize("bob", forces: true)
        case .left:
            scene.call(.depersonalize)
            scene.unanswered()
        case .forced:
            scene.personalize("bob", forces: true)
            scene.next()
            _ = scene.machine.end(scene.machine.callers.waiting.map(\.ticket), .failure(.cancelled))
            scene.unanswered()
        case .lost:
            scene.call(.fetchInstallation)
            scene.gone()
        case .lostLeaving:
            scene.call(.depersonalize)
            scene.gone()
        }
        // Nobody waits any more.
        _ = scene.machine.end(scene.machine.callers.waiting.map(\.ticket), .failure(.cancelled))
        return scene
    }

    private static func apply(_ event: Event, to scene: inout InfobipScene) -> String {
        switch event {
        case .save: return scene.save("A")
        case .event:
            scene.event()
            return "store, save"
        case .fetch: return scene.call(.fetchUser)
        case .personalize: return scene.personalize("bob")
        case .force: return scene.personalize("carl", forces: true)
        case .depersonalize: return scene.call(.depersonalize)
        case .done: return scene.answer()
        case .unsent: return scene.unsent()
        case .unanswered: return scene.unanswered()
        case .refused: return scene.refused()
        case .gone: return scene.gone()
        }
    }

    @Test func everyCellOfTheTableHolds() {
        var rows: [String] = []
        for stage in Stage.allCases {
            for event in Event.allCases {
                var scene = Self.scene(stage)
                let actions = Self.apply(event, to: &scene)
                let state = scene.text
                rows.append("\(stage) | \(event) | \(actions) | \(state) | \(scene.next())")
            }
        }
        let expected = InfobipTable.rows.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        #expect(rows.count == expected.count)
        var isSame = true
        for (row, expected) in zip(rows, expected) where row != expected {
            Issue.record("\(row)\nexpected: \(expected)")
            isSame = false
        }
        if !isSame || rows.count != expected.count { print(rows.joined(separator: "\n")) }
    }
}
