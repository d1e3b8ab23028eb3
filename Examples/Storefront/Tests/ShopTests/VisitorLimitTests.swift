// SPDX-License-Identifier: Apache-2.0

import Configuration
import Logging
import Shop
import Signet
import SignetWebVisitors
import Testing

/// The limit of new visitors as the environment says it.
@Suite(.timeLimit(.minutes(5))) struct VisitorLimitTests {
    private static func limit(_ environment: [String: String], _ signet: SignetRuntime) throws -> VisitorLimit {
        let provider = EnvironmentVariablesProvider(environmentVariables: environment)
        let config = ConfigReader(provider: provider)
        let logger = Logger(label: "shop") { _ in SwiftLogNoOpLogHandler() }
        return try WebVisitors.shop(signet, .development, config: config, logger: logger).configuration.limit
    }

    @Test func theEnvironmentSaysHowManyComeEachSecond() async throws {
        try await OpenShop.visit { shop async throws in
            let standard = try Self.limit([:], shop.signet)
            #expect(standard.perSecond == 20 && standard.burst == 200)
            let own = try Self.limit(["VISITOR_LIMIT": "1000"], shop.signet)
            #expect(own.perSecond == 1000 && own.burst == 10_000)
        }
    }

    @Test func whatIsNoLimitIsAnErrorAndNotTheDefault() async throws {
        try await OpenShop.visit { shop async throws in
            for text in ["many", "0", "-1", "\(Int.max)"] {
                #expect(throws: (any Error).self) { try Self.limit(["VISITOR_LIMIT": text], shop.signet) }
            }
        }
    }
}
