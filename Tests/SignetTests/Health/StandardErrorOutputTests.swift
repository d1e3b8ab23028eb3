// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

@Suite struct StandardErrorOutputTests {
    private static func pipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        #if canImport(Darwin)
        let outcome = Darwin.pipe(&ends)
        #elseif canImport(Musl)
        let outcome = Musl.pipe(&ends)
        #else
        let outcome = Glibc.pipe(&ends)
        #endif
        try #require(outcome == 0)
        return (ends[0], ends[1])
    }

    @Test func aLineEndsWithANewlineAndIsCutAtTheLimit() throws {
        let (reader, writer) = try Self.pipe()
        defer { for end in [reader, writer] { close(end) } }
        #expect(StandardErrorOutput.write("signet: short", to: writer))
        #expect(StandardErrorOutput.write(String(repeating: "x", count: 600), to: writer))
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(reader, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        #expect(text == "signet: short\n" + String(repeating: "x", count: 511) + "\n")
    }

    @Test func aReaderThatIsGoneEndsNoProcess() throws {
        let (reader, writer) = try Self.pipe()
        defer { close(writer) }
        close(reader)
        // Where SIGPIPE has its default, a write would be the end of this process.
        #expect(!StandardErrorOutput.write("signet: nobody reads", to: writer))
    }

    @Test func aReaderThatIsTooSlowIsNotWaitedFor() throws {
        let (reader, writer) = try Self.pipe()
        defer { for end in [reader, writer] { close(end) } }
        // A pipe has room for some lines, and never for a million.
        let line = String(repeating: "x", count: 511)
        var written = 0
        while written < 1_000_000, StandardErrorOutput.write(line, to: writer) { written += 1 }
        #expect(written > 0 && written < 1_000_000)
    }
}
