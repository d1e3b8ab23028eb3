// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// Facts 9, row 56: what an earlier run has left goes when nothing of a person is to be on disk any more, readable or not.
@Suite struct InfobipScrubTests {
    private static func scrub(_ configuration: inout ServiceSettings) {
        configuration.infobip?.persistsUserData = false
    }

    @Test func row56WhatWasSetAsideIsScrubbedToo() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            let key = StateKey.infobipMemory(it.core.identityState.number)
            try signet.runtime.context.store.put(Array("garbage of-ann".utf8), for: key)
        }
        // Set aside by a run that keeps everything.
        try await world.live { _, it in
            #expect(it.infobip.installation.pushRegistrationID == nil)
            let bytes = try allBytes(in: world.folder.path)
            #expect(bytes.contains("of-ann"))
        }
        // Also where nobody asks for the profile.
        let signet = try world.start(configure: Self.scrub)
        #expect(try !allBytes(in: world.folder.path).contains("of-ann"))
        await signet.runtime.shutdown()
    }

    @Test func row56WhatCannotBeReadIsScrubbedAtOnce() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            let key = StateKey.infobipMemory(it.core.identityState.number)
            try signet.runtime.context.store.put(Array("garbage of-ann".utf8), for: key)
        }
        let observer = RecordingObserver()
        try await world.live(observer: observer, configure: Self.scrub) { _, it in
            #expect(it.infobip.user == InfobipUser())
            #expect(observer.damages.count == 1)
            let bytes = try allBytes(in: world.folder.path)
            #expect(!bytes.contains("of-ann"))
        }
    }

    /// Damage that the start finds brings back the record before; of what is damaged later, that is still there.
    @Test(arguments: [false, true]) func row56WhatIsDamagedIsScrubbedWithWhatWasBeforeIt(isLate: Bool) async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            try await it.infobip.save { $0.firstName = .set("first-of-ann") }
            try await it.infobip.submit(InfobipEvent("event-of-ann"), .queued)
            try await it.infobip.save { $0.lastName = .set("damaged-of-ann") }
        }
        if !isLate { try Self.damage(world) }
        let signet = try world.start(configure: Self.scrub)
        if isLate { try Self.damage(world) }
        let it = try await signet.runtime.open("p", identify: .none)
        #expect(it.infobip.user == InfobipUser())
        #expect((it.infobip.installation.pushRegistrationID == nil) == isLate)
        #expect(try !allBytes(in: world.folder.path).contains("of-ann"))
        await signet.runtime.shutdown()
    }

    /// Changes a bit of each record that has the newest name.
    private static func damage(_ world: InfobipWorld) throws {
        let state = "\(world.folder.path)/state"
        var damaged = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: state) where name.hasSuffix(".log") {
            guard var file = FileManager.default.contents(atPath: "\(state)/\(name)") else { continue }
            var start = file.startIndex
            while let place = file.range(of: Data("damaged-of-ann".utf8), in: start..<file.endIndex) {
                file[place.lowerBound] ^= 1
                start = place.upperBound
                damaged += 1
            }
            try file.write(to: URL(fileURLWithPath: "\(state)/\(name)"))
        }
        #expect(damaged > 0)
    }
}
