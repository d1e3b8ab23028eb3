// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT && SIGNET_EMULATOR_SERVER
import Signet
import SignetEmulator
import SignetServer
import SignetTransport
import Testing

import class Foundation.FileManager
import struct Foundation.UUID

/// What a runtime compresses arrives whole at a server, by any transport.
@Suite struct CompressedEventsTests {
    @Test(arguments: [SignetConfiguration.Events.UploadMode.single, .bulk])
    func compressedEventsOfARuntimeArriveWhole(mode: SignetConfiguration.Events.UploadMode) async throws {
        let emulator = Emulator()
        let folder = FileManager.default.temporaryDirectory.path + "/signet-gzip-\(UUID())"
        defer {
            do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record("\(error)") }
        }
        try await EmulatorServer(emulator).serve { url async throws in
            var configuration = SignetConfiguration(
                apiKey: "us1-emulated",
                secret: "emulated-secret",
                directory: folder
            )
            configuration.baseURL = try ServerURL(url)
            // It runs on the clock of the machine, which may be busy.
            configuration.identity.requestTimeout = .seconds(600)
            configuration.events.requestTimeout = .seconds(600)
            configuration.shutdownLimit = .seconds(600)
            configuration.events.compression = .gzip
            configuration.events.uploadMode = mode
            try await withSignet(configuration, transport: AsyncHTTPClientTransport()) { signet in
                let visitor = try await signet.open("a")
                _ = try await visitor.login([.customerID: "anna"])
                for number in 0..<200 { try visitor.log(.custom("seen \(number), übergroß")) }
                try await signet.upload(within: .seconds(600))
                #expect(signet.statistics.eventsDeadLettered == 0 && signet.statistics.eventsLost == 0)
            }
            let exchanges = try #require(try await HTTPConnection.send(.get, "/_signet/exchanges", to: url)).json
            let upload = try #require(
                exchanges.array?.first { $0["path"]?.string?.hasSuffix("events") == true }?["number"]?.number?.int64
            )
            let shown = try #require(try await HTTPConnection.send(.get, "/_signet/exchanges/\(upload)", to: url)).json
            #expect(shown["requestBody"]?.string?.contains("environment") == true)
        }
        let anna = try #require(emulator.users().first { $0.identities.values.contains(["anna"]) })
        let names = emulator.events(of: anna.mpid).compactMap(\.name).filter { $0.hasPrefix("seen") }
        #expect(names == (0..<200).map { "seen \($0), übergroß" })
        #expect(emulator.refusedBatches().isEmpty)
    }
}
#endif
