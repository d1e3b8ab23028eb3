// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// What is on disk of contexts, and what a kill leaves of it.
@Suite(.watched) struct ContextStorageTests {
    private let scene: ContextScene

    init() throws {
        self.scene = try ContextScene()
    }

    private func records(_ signet: EmulatedSignet) throws -> Int {
        try signet.runtime.context.store.keys(withPrefix: StateKey.ownContexts).count
    }

    @Test func equalContextsOfManyTakeTheRoomOfOne() async throws {
        try await self.scene.process().run { signet in
            var handles: [Installation] = []
            for number in 0..<100 {
                let id = InstallationID("v\(number)")
                handles.append(
                    try await signet.runtime.open(id, identify: .none, context: ContextScene.context(number % 2))
                )
            }
            #expect(try self.records(signet) == 2)
        }
    }

    /// They wait for a user, so that they are in the journal.
    @Test func whatNoEventAndNoInstallationUsesIsRemoved() async throws {
        let signet = try self.scene.process()
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(1))
            try visitor.setContext(ContextScene.context(2))
            try visitor.log(.custom("e"))
            for number in 3...9 { try visitor.setContext(ContextScene.context(number)) }
            #expect(try self.records(signet) == 9)
            try signet.runtime.context.sweepContexts()
            // That of the begin of the session, that of the event, and the one of now.
            #expect(try self.records(signet) == 3)
            _ = try await visitor.login([.customerID: "c-1"])
            try await signet.runtime.upload()
        }
        #expect(self.scene.origins["e"] == [.visitor(2)])
        try await self.scene.process().run { signet in
            try signet.runtime.context.sweepContexts()
            #expect(try self.records(signet) == 1)
            try await signet.runtime.open("v", identify: .none).log(.custom("later"))
            try await signet.runtime.upload()
        }
        #expect(self.scene.origins["later"] == [.visitor(9)])
    }

    @Test func aDamagedRecordCostsTheContextOnly() async throws {
        try await self.scene.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: ContextScene.context(1))
            _ = try await visitor.login([.customerID: "c-1"])
            try visitor.log(.custom("e"))
            let store = signet.runtime.context.store
            for key in try store.keys(withPrefix: StateKey.ownContexts) { try store.remove(key) }
            try await signet.runtime.upload()
            #expect(signet.runtime.statistics.damagedRecords > 0)
        }
        #expect(self.scene.origins["e"] == [.server])
    }

    /// The name of each event says under which context it was logged.
    @Test func afterAKillAtAnyStepEachEventHasItsContext() async throws {
        let images = try KillImages(of: self.scene.folder.path)
        let signet = try self.scene.process { images.watch(&$0) }
        let visitor = try await signet.runtime.open("v", identify: .none)
        images.begin()
        for number in 1...6 {
            try visitor.setContext(ContextScene.context(number))
            try visitor.log(.custom("e\(number)"))
            if number % 3 == 0 {
                // Due again each time.
                try visitor.setContext(ContextScene.context(100 + number))
                _ = try signet.runtime.context.ownContexts.sweep(now: .zero) { used throws(SignetError) in
                    try signet.runtime.context.noteLoggedContexts(&used)
                }
            }
        }
        let steps = images.end()
        #expect(steps > 12)
        var most = 0
        for step in TestScale.steps(steps, every: 3) {
            let scene = try ContextScene()
            let image = images.path(step)
            try await scene.process(in: image).run { signet in
                let visitor = try await signet.runtime.open("v", identify: .none)
                try signet.runtime.context.sweepContexts()
                _ = try await visitor.login([.customerID: "c-1"])
                try await signet.runtime.upload()
            }
            let found = scene.origins.filter { $0.key.hasPrefix("e") }
            for (name, origins) in found {
                #expect(origins == [.visitor(Int(name.dropFirst()) ?? 0)], "step \(step), \(name)")
            }
            most = max(most, found.count)
        }
        #expect(most >= 5)
    }
}
