// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// Which kind of client requests speak for.
@Suite struct ClientPlatformTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// What each identity request says of its client.
    private func told(_ configure: (inout SignetConfiguration) -> Void) async throws -> [String?] {
        let signet = try EmulatedSignet(in: self.folder.path, configure: configure)
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            _ = try await visitor.login([.customerID: "c"])
            _ = try await visitor.modify([.email: "a@example.com"])
            _ = try await visitor.logout()
        }
        return try signet.transport.exchanges.filter { ["login", "modify", "logout"].contains($0.endpoint) }
            .map { try JSONReader.read($0.request.body)["client_sdk"]?["platform"]?.string }
    }

    @Test func byDefaultItIsWhatTheProcessRunsOn() async throws {
        #expect(try await self.told { _ in } == Array(repeating: ClientPlatform.current.rawValue, count: 3))
    }

    @Test(arguments: ClientPlatform.allCases) func aServerMaySpeakForAnother(platform: ClientPlatform) async throws {
        #expect(
            try await self.told { $0.clientPlatform = platform } == Array(repeating: platform.rawValue, count: 3)
        )
    }
}
