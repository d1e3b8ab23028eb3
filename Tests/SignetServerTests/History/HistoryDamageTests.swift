// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetLock
import SignetModel
import SignetServer
import SignetTransport
import Testing

import struct Foundation.Data
import class Foundation.FileManager
import class Foundation.ProcessInfo
import struct Foundation.URL
import struct Foundation.UUID

/// A history with a hole must not be told as if it were whole: all who come after it would be somebody else.
@Suite struct HistoryDamageTests {
    private static func request(_ path: String, _ body: String, _ more: [(String, String)] = []) -> TransportRequest {
        var headers = HTTPHeaders()
        for (name, value) in [("Content-Type", "application/json")] + more { headers.append(name: name, value: value) }
        let url = "http://emulator\(path)"
        return TransportRequest(method: .post, url: url, headers: headers, body: Array(body.utf8))
    }

    private static func identify(_ customer: String, _ history: EmulatorHistory) async -> Int {
        let request = Self.request("/v1/identify", Requests.identity(customer), [Requests.basic])
        return await history.emulator.handle(request).status
    }

    @Test func aDamagedFolderIsRefusedTheFirstTimeAndEachTimeAfter() async throws {
        try await Self.withFolder { folder in
            let first = try EmulatorHistory(directory: folder, configuration: EmulatorConfiguration())
            for number in 0..<20 { #expect(await Self.identify("c-\(number)", first) == 200) }
            first.close()
            var isDamaged = false
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let url = URL(filePath: folder + "/" + name)
                var bytes = Array(try Data(contentsOf: url))
                guard let place = bytes.firstRange(of: Array("c-7".utf8)) else { continue }
                bytes[place.lowerBound] ^= 1
                try Data(bytes).write(to: url)
                isDamaged = true
            }
            #expect(isDamaged)
            for _ in 0..<3 {
                let error = #expect(throws: EmulatorServerError.self) {
                    try EmulatorHistory(directory: folder, configuration: EmulatorConfiguration())
                }
                #expect(error?.code == .invalidHistory)
            }
        }
    }

    @Test func whenTheDiskFailsNothingIsTakenAnyMore() async throws {
        try await Self.withFolder { folder in
            let told = Locked<[EmulatorServerError]>([])
            let configuration = EmulatorConfiguration(mpids: .counting(from: 1))
            let history = try EmulatorHistory(directory: folder, configuration: configuration) { error in
                told.withLock { $0.append(error) }
            }
            #expect(await Self.identify("c-1", history) == 200)
            // As a full disk does: it takes nothing, and what was there is there.
            history.close()
            for customer in ["c-2", "c-3"] {
                let request = Self.request("/v1/identify", Requests.identity(customer), [Requests.basic])
                let response = await history.emulator.handle(request)
                #expect(response.status == 507)
                #expect(try JSONReader.read(response.body)["errors"]?.array?.count == 1)
            }
            #expect(history.isBroken)
            #expect(told.withLock { $0.map(\.code) } == [.storage])
            #expect(!history.emulator.users().contains { $0.identities.values.contains(["c-3"]) })
            let again = try EmulatorHistory(directory: folder, configuration: configuration)
            defer { again.close() }
            #expect(again.emulator.users().count == 1)
        }
    }

    @Test func whenTheDiskFailsThePageSaysSoOfTheCriteria() async throws {
        try await Self.withFolder { folder in
            let history = try EmulatorHistory(directory: folder, configuration: EmulatorConfiguration())
            let before = history.emulator.iterable.project.criteria
            history.close()
            try await EmulatorServer(history).serve { url async throws in
                let body = #"{"criteria":"{}"}"#
                let json = [("Content-Type", "application/json")]
                // The first finds out that the disk has failed, the second is told after an event has found out.
                for _ in 0..<2 {
                    let answer = try await HTTPConnection.send(.put, "/_signet/criteria", body, headers: json, to: url)
                    #expect(answer?.status == 507)
                    #expect(await Self.identify("c-1", history) == 507)
                }
            }
            #expect(history.emulator.iterable.project.criteria == before)
        }
    }

    @Test func whatAVisitorMayDoWithoutATokenIsToldAgainWithoutOne() async throws {
        try await Self.withFolder { folder in
            var project = EmulatedIterableProject(requiresTokens: true)
            project.checksSpareTokens = true
            var configuration = EmulatorConfiguration()
            configuration.iterableProjects = [project]
            let first = try EmulatorHistory(directory: folder, configuration: configuration)
            let session = try #require(Requests.all.first { $0.path == "/api/unknownuser/events/session" })
            let request = Self.request(session.path, session.body, [("Api-Key", "emulated-project")])
            #expect(await first.emulator.handle(request).status == 200)
            first.close()
            let second = try EmulatorHistory(directory: folder, configuration: configuration)
            defer { second.close() }
            #expect(second.emulator.iterable.unknownUsers() == first.emulator.iterable.unknownUsers())
            #expect(second.emulator.iterable.unknownUsers().count == 1)
        }
    }

    @Test func numbersGoOnAsTheFolderBeganThem() async throws {
        try await Self.withFolder { folder in
            let sequences = [MPIDSequence.random(seed: 77), .random(seed: 78), .counting(from: 5)]
            for (turn, sequence) in sequences.enumerated() {
                let configuration = EmulatorConfiguration(mpids: sequence)
                let history = try EmulatorHistory(directory: folder, configuration: configuration)
                #expect(await Self.identify("c-\(turn)", history) == 200)
                let expected = Emulator(EmulatorConfiguration(mpids: .random(seed: 77)))
                for number in 0...turn {
                    let request = Self.request("/v1/identify", Requests.identity("c-\(number)"), [Requests.basic])
                    _ = await expected.handle(request)
                }
                #expect(history.emulator.users().map(\.mpid) == expected.users().map(\.mpid), "turn \(turn)")
                history.close()
            }
        }
    }

    @Test(arguments: [0, 1, 2, 3]) func aFolderOfOtherRulesIsRefused(rule: Int) async throws {
        try await Self.withFolder { folder in
            try EmulatorHistory(directory: folder, configuration: EmulatorConfiguration()).close()
            var other = EmulatorConfiguration()
            switch rule {
            case 0: other.allowsKeyOnly = true
            case 1: other.aliasDelay = .zero
            case 2: other.limits.jsonDepth = 7
            default: other.iterableProjects.append(EmulatedIterableProject(apiKey: "hidden-key"))
            }
            let error = #expect(throws: EmulatorServerError.self) {
                try EmulatorHistory(directory: folder, configuration: other)
            }
            #expect(error?.code == .invalidHistory)
            #expect(error?.message.contains("hidden-key") == false)
        }
    }

    /// What was accepted stays accepted: a secret may be rotated, and asked for from some day on.
    @Test func tokensOfAnotherSecretWereAcceptedInTheirDay() async throws {
        try await Self.withFolder { folder in
            func open(_ secret: Secret, requiresTokens: Bool) throws -> EmulatorHistory {
                var configuration = EmulatorConfiguration()
                configuration.iterableProjects = [
                    EmulatedIterableProject(secret: secret, requiresTokens: requiresTokens)
                ]
                configuration.applications = [
                    EmulatedInfobipApplication(secret: secret, requiresTokens: requiresTokens)
                ]
                return try EmulatorHistory(directory: folder, configuration: configuration)
            }
            func track(_ user: String, _ token: String?, _ history: EmulatorHistory) async -> Int {
                var headers = [("Api-Key", "emulated-project")]
                if let token { headers.append(("Authorization", "Bearer \(token)")) }
                let event = #"{"userId":"\#(user)","preferUserId":true,"eventName":"e"}"#
                return await history.emulator.handle(Self.request("/api/events/track", event, headers)).status
            }
            func users(_ history: EmulatorHistory) -> Int { history.emulator.iterable.users().count }

            let open0 = try open("any", requiresTokens: false)
            #expect(await track("a", nil, open0) == 200)
            open0.close()
            for (number, secret) in ["one", "two"].enumerated() {
                let history = try open(Secret(secret), requiresTokens: true)
                #expect(users(history) == number + 1)
                #expect(await track("b\(number)", "not a token", history) == 401)
                let token = history.emulator.iterable.signToken(for: .userID("b\(number)"))
                #expect(await track("b\(number)", token, history) == 200)
                history.close()
            }
            let last = try open("three", requiresTokens: true)
            #expect(users(last) == 3)
            last.close()
        }
    }

    @Test func criteriaOfTheSecondProjectAreThereAfterARestart() async throws {
        try await Self.withFolder { folder in
            var configuration = EmulatorConfiguration()
            configuration.iterableProjects = [EmulatedIterableProject(), EmulatedIterableProject(apiKey: "second")]
            let first = try EmulatorHistory(directory: folder, configuration: configuration)
            try await EmulatorServer(first).serve { url async throws in
                let answer = try await HTTPConnection.send(
                    .put,
                    "/_signet/criteria?project=second",
                    #"{"criteria":"{\"count\":0,\"x\":1}"}"#,
                    headers: [("Content-Type", "application/json")],
                    to: url
                )
                #expect(answer?.status == 200)
            }
            first.close()
            let second = try EmulatorHistory(directory: folder, configuration: configuration)
            defer { second.close() }
            #expect(second.emulator.iterable.project.criteria == EmulatedIterableProject.noCriteria)
            #expect(second.emulator.iterable(in: "second")?.project.criteria == #"{"count":0,"x":1}"#)
        }
    }

    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/signet-damage-\(UUID())"
        defer {
            do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record("\(error)") }
        }
        try await body(folder)
    }
}
#endif
