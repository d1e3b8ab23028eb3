// SPDX-License-Identifier: Apache-2.0
import SignetTestSupport
import Testing

@testable import quickstart

@Suite struct AppActTests {
    @Test func thePlatformIsToldWhatTheAppDid() async throws {
        let told = try await withTemporaryFolder { try await AppAct().run(in: $0) }
        #expect(told.isAsPromised, "\(told)")
        #expect(told.description.contains("  initialized: is_upgrade"))
    }
}
