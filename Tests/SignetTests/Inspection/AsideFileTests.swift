// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct Foundation.Data
import struct Foundation.URL

@testable import Signet

/// Events in a journal's file that was set aside.
@Suite(.watched) struct AsideFileTests {
    private static let path = "/var/lib/shop/signet/journal/0000000000000001.journal.aside"

    /// The bytes of a journal with ten events of an installation, the installation's number and its user.
    private static func journal() async throws -> (bytes: [UInt8], number: UInt32, mpid: MPID) {
        let folder = try TemporaryFolder()
        return try await EmulatedSignet(in: folder.path).run { signet in
            signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
            let visitor = try await signet.runtime.open("visitor", identify: .none)
            let mpid = try await visitor.login([.customerID: "c-1"]).user.mpid
            for number in 0..<10 { try visitor.log(.custom("event \(number)")) }
            let file = URL(fileURLWithPath: folder.path + "/journal/0000000000000001.journal")
            return (Array(try Data(contentsOf: file)), visitor.core.identityState.number, mpid)
        }
    }

    private static func names(_ file: AsideFile) -> [String] {
        file.events.compactMap { $0.json["data"]?["event_name"]?.string }.filter { $0.hasPrefix("event") }
    }

    @Test func whatIsWholeIsListedWithItsIDsAndWhatIsDamagedWithItsInstallation() async throws {
        var (bytes, number, mpid) = try await Self.journal()
        bytes.replaceSubrange(..<80, with: [UInt8](repeating: 0, count: 80))
        let whole = try AsideFile(bytes, path: Self.path)
        #expect(Self.names(whole) == (0..<10).map { "event \($0)" })
        #expect(whole.damage.isEmpty && !whole.isCopies && whole.installations == [number])
        #expect(Set(whole.events.compactMap(\.id)).count == whole.events.count)
        #expect(whole.events.allSatisfy { $0.milliseconds != nil && $0.kind != "unknown" })
        // The session began before anyone was known.
        #expect(whole.events.filter { $0.kind == "custom_event" }.allSatisfy { $0.mpid == mpid })
        let place = try #require(bytes.firstRange(of: Array("event 4".utf8)))
        bytes[place.lowerBound] ^= 1
        let damaged = try AsideFile(bytes, path: Self.path)
        #expect(Self.names(damaged) == [0, 1, 2, 3, 5, 6, 7, 8, 9].map { "event \($0)" })
        let lost = try #require(whole.events.first { $0.json["data"]?["event_name"]?.string == "event 4" })
        #expect(damaged.damage.map(\.sequence) == [lost.sequence])
        #expect(damaged.damage.map(\.installation) == [number] && damaged.damage.map(\.mpid) == [mpid])
        #expect(damaged.damage.allSatisfy { $0.offset > 80 && $0.count > 100 })
    }

    @Test func aFileOfSomethingElseIsRefused() {
        let error = #expect(throws: SignetError.self) { try AsideFile([], path: "/tmp/state/1.log.aside") }
        #expect(error?.code == .invalidArgument)
    }
}
