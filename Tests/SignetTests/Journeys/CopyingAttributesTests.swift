// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Copying attributes from the previous to the new user after a login, as the vendor's documentation shows.
@Suite(.watched) struct CopyingAttributesTests {
    private static let rules = EmulatorConfiguration(strategy: .link)

    @Test func theDocumentedExampleCopiesEverything() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path, emulator: Self.rules) { signet in
            let visitor = try await signet.runtime.open("v")
            _ = try await visitor.initialIdentifyResult()
            try await visitor.setAttributes([ReservedAttribute.city: "Berlin", "visits": 3])

            let result = try await visitor.login([.customerID: "c-1"])
            if let previous = result.previousUser {
                try await visitor.setAttributes(previous.attributes, of: result.user.mpid)
            }

            #expect(result.previousUser != nil)
            #expect(visitor.currentUser?.attributes == ["$City": "Berlin", "visits": 3])
        }
    }

    @Test func inOneLineItHitsTheUserOfTheResultWhoeverIsCurrentByThen() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path, emulator: Self.rules) { signet in
            let visitor = try await signet.runtime.open("v")
            let guest = try await visitor.initialIdentifyResult().user
            try await visitor.setAttributes(["tier": "none", "visits": 3])
            let result = try await visitor.login([.customerID: "c-1"])
            try await visitor.setAttributes(["Tier": "gold", "own": true], of: result.user.mpid)
            // Changed after the switch, and another switch: neither counts.
            try await visitor.setAttribute(99, for: "visits", of: guest.mpid)
            let third = try await visitor.login([.customerID: "c-3"]).user

            try await visitor.copyAttributes(after: result)

            #expect(visitor.user(result.user.mpid)?.attributes == ["Tier": "none", "visits": 3, "own": true])
            #expect(visitor.user(third.mpid)?.attributes == [:])
            #expect(visitor.user(guest.mpid)?.attributes == ["tier": "none", "visits": 99])
        }
    }

    @Test func withoutASwitchNothingIsCopied() async throws {
        let known = try await KnownInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setAttribute(1, for: "a")
            let result = try await visitor.login([.customerID: "c-1"])
            try await visitor.setAttribute(nil, for: "a")
            try await visitor.copyAttributes(after: result)
            #expect(visitor.currentUser?.attributes == [:])
        }
    }
}
