// SPDX-License-Identifier: Apache-2.0

#if Tool
import SignetEmulator
import SignetServer
import SignetTransport
import Testing

import class Foundation.FileManager
import struct Foundation.UUID

/// The folder of an emulator that forgets old events lets go of them too, and of nothing else.
@Suite struct HistoryCompactionTests {
    private static func workspace(keeping limit: Int?) -> EmulatorConfiguration {
        var configuration = EmulatorConfiguration(mpids: .counting(from: 1))
        configuration.keptEvents = limit
        configuration.aliasDelay = .zero
        return configuration
    }

    private static func post(_ path: String, _ body: String, to history: EmulatorHistory) async -> Int {
        var headers = HTTPHeaders()
        for field in [("Content-Type", "application/json"), Requests.basic] {
            headers.append(name: field.0, value: field.1)
        }
        let url = "http://emulator\(path)"
        let request = TransportRequest(method: .post, url: url, headers: headers, body: Array(body.utf8))
        return await history.emulator.handle(request).status
    }

    private static func batch(_ id: String, mpid: Int, note: String, more: String = "") -> String {
        #"{"environment":"development","source_request_id":"\#(id)","mpid":\#(mpid),"user_attributes":{"note":"\#(note)"},\#(more)"#
            + #""events":[{"event_type":"custom_event","data":{"event_name":"\#(id)","custom_event_type":"other"}}]}"#
    }

    private static func expectSame(_ lhs: Emulator, _ rhs: Emulator, _ comment: Comment) {
        #expect(lhs.users() == rhs.users(), comment)
        #expect(lhs.batches() == rhs.batches(), comment)
        #expect(lhs.users().map { lhs.events(of: $0.mpid) } == rhs.users().map { rhs.events(of: $0.mpid) }, comment)
        #expect(lhs.aliases() == rhs.aliases(), comment)
        #expect(lhs.requestCounts() == rhs.requestCounts(), comment)
        #expect(lhs.ledger().totals == rhs.ledger().totals, comment)
    }

    private static func bytes(of folder: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            return sum + ((attributes[.size] as? Int) ?? 0)
        }
    }

    @Test func whatIsForgottenGoesFromTheFolderAndNothingElseDoes() async throws {
        try await Self.withFolder { folder in
            let first = try EmulatorHistory(directory: folder, configuration: Self.workspace(keeping: 10))
            for customer in ["anna", "ben"] {
                #expect(await Self.post("/v1/identify", Requests.identity(customer), to: first) == 200)
            }
            for number in 0..<300 {
                // Some come for a user that nobody told of before, and some for whom the identities lead to.
                let mpid = number % 100 == 50 ? 1000 + number : number % 2 + 1
                let consent = #""consent_state":{"gdpr":{"x":{"consented":true,"timestamp_unixtime_ms":\#(number)}}},"#
                let more = number % 7 == 0 ? consent : ""
                let batch = Self.batch("b\(number)", mpid: mpid, note: "n\(number)", more: more)
                #expect(await Self.post("/v2/events", batch, to: first) == 202)
                if number % 60 == 0 {
                    let other = Requests.batch("o\(number)", customer: "carl \(number)")
                    #expect(await Self.post("/v2/bulkevents", "[\(other)]", to: first) == 202)
                    #expect(await Self.post("/v2/events", batch, to: first) == 202)
                    #expect(await Self.post("/v2/events", "{}", to: first) == 400)
                }
            }
            first.close()

            let second = try EmulatorHistory(directory: folder, configuration: Self.workspace(keeping: 10))
            #expect(second.restoredRequests > 300)
            Self.expectSame(first.emulator, second.emulator, "as it was")
            #expect(second.emulator.batches().count == 10)
            #expect(await Self.post("/v2/events", Self.batch("later", mpid: 2, note: "later"), to: second) == 202)
            #expect(await Self.post("/v1/login", Requests.identity("dora"), to: second) == 200)
            second.close()

            for turn in 0..<2 {
                let third = try EmulatorHistory(directory: folder, configuration: Self.workspace(keeping: 10))
                #expect(third.restoredRequests < 50, "\(third.restoredRequests)")
                Self.expectSame(second.emulator, third.emulator, "turn \(turn)")
                third.close()
            }
        }
    }

    @Test func aFolderDoesNotGrowWithoutEnd() async throws {
        try await Self.withFolder { folder in
            let history = try EmulatorHistory(directory: folder, configuration: Self.workspace(keeping: 10))
            let note = String(repeating: "x", count: 4000)
            var most = 0
            for number in 0..<8000 {
                let batch = Self.batch("b\(number)", mpid: number % 5 + 1, note: "\(note) \(number)")
                #expect(await Self.post("/v2/events", batch, to: history) == 202)
                if number.isMultiple(of: 500) { most = max(most, try Self.bytes(of: folder)) }
            }
            history.close()
            // 34 MB were told; files are of 8 MiB.
            #expect(most < 26 << 20, "\(most)")
            let again = try EmulatorHistory(directory: folder, configuration: Self.workspace(keeping: 10))
            defer { again.close() }
            Self.expectSame(history.emulator, again.emulator, "after all")
        }
    }

    @Test func withoutALimitEverythingIsKept() async throws {
        try await Self.withFolder { folder in
            for turn in 1...2 {
                let history = try EmulatorHistory(directory: folder, configuration: Self.workspace(keeping: nil))
                #expect(history.restoredRequests == (turn - 1) * 100)
                for number in 0..<100 {
                    _ = await Self.post("/v2/events", Self.batch("\(turn) \(number)", mpid: 1, note: "x"), to: history)
                }
                #expect(history.emulator.batches().count == turn * 100)
                history.close()
            }
        }
    }

    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/signet-compaction-\(UUID())"
        defer {
            do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record("\(error)") }
        }
        try await body(folder)
    }
}
#endif
