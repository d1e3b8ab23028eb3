// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import Foundation
import Signet
import SignetTestSupport
import SignetTesting
import SignetWire
import Testing

@Suite struct BodyCompressionTests {
    /// What gzip(1) makes of it.
    private static func expand(_ bytes: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let file = folder.path + "/body.gz"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", file]
        let pipe = try start(process) {
            let pipe = Pipe()
            process.standardOutput = pipe
            return pipe
        }
        let expanded = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return Array(expanded)
    }

    @Test(arguments: [0, 1, 100, 65_536, 300_000])
    func whatIsCompressedExpandsToItself(count: Int) throws {
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7 &* 31) }
        let compressed = SignetConfiguration.Events.Compression.gzip.encoder.encode(body)
        #expect(try Self.expand(compressed) == body)
        #expect(SignetConfiguration.Events.Compression.gzip.encoder.encode(body) == compressed)
    }

    @Test func whatCannotBeCompressedIsHardlyLonger() throws {
        var generator = SeededGenerator(seed: 7)
        let body = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let compressed = SignetConfiguration.Events.Compression.gzip.encoder.encode(body)
        #expect(compressed.count < body.count + 200)
        #expect(try Self.expand(compressed) == body)
    }

    @Test(arguments: [-5, 0, 1, 9, 100]) func everyLevelIsTakenAsTheNearestThatThereIs(level: Int) throws {
        let body = Array(String(repeating: "a day in a shop ", count: 100).utf8)
        #expect(try Self.expand(SignetConfiguration.Events.Compression.gzip(level: level).encoder.encode(body)) == body)
    }

    @Test func eventsAreCompressedAndIdentityIsNot() async throws {
        let folder = try TemporaryFolder()
        let configure: (inout SignetConfiguration) -> Void = { $0.events.compression = .gzip }
        let signet = try EmulatedSignet(in: folder.path, configure: configure)
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("a")
            _ = try await visitor.login([.customerID: "c-1"])
            try visitor.log(.custom("bought"))
        }
        let events = signet.transport.exchanges.filter { $0.endpoint == "events" }
        let others = signet.transport.exchanges.filter { $0.endpoint != "events" }
        #expect(!events.isEmpty && !others.isEmpty)
        #expect(events.allSatisfy { $0.request.headers["content-encoding"] == "gzip" })
        #expect(others.allSatisfy { $0.request.headers["content-encoding"] == nil })
        let bodies = try events.map { String(decoding: try Self.expand($0.request.body), as: UTF8.self) }
        #expect(bodies.contains { $0.contains("bought") })
    }
}
#endif
