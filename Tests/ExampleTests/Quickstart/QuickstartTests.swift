// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetTestSupport
import SignetTrace
import Testing

@testable import quickstart

@Suite struct QuickstartTests {
    @Test func helpIsASuccess() async {
        #expect(await Quickstart.run(["--help"]) == .success)
    }

    @Test func aCommandLineWithoutSenseExitsWith64() async {
        let code = await Quickstart.run(["--jason", "x"])
        #expect(code == .badUsage)
        #expect(code.rawValue == 64)
    }

    @Test func aBadTraceExitsWith2() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = folder + "/bad.jsonl"
            try Data("{}\n".utf8).write(to: URL(filePath: path))
            let code = await Quickstart.run([path, "--json", folder + "/report.json"])
            #expect(code == .unusable)
            #expect(code.rawValue == 2)
            #expect(!FileManager.default.fileExists(atPath: folder + "/report.json"))
        }
    }

    @Test func aTraceThatIsNotThereExitsWith2() async {
        #expect(await Quickstart.run(["/no/such/trace.jsonl"]) == .unusable)
    }

    #if !SIGNET_EMULATOR_SERVER
    @Test func aPageThatTheBuildDoesNotHaveExitsWith2() async throws {
        #expect(await Quickstart.run(["--serve", "/no/such/trace.jsonl"]) == .unusable)
        #expect(try #require(LivePage.missing).contains("swift run --traits Tool quickstart --serve"))
    }
    #endif

    @Test func theReportIsWritten() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let trace = folder + "/trace.jsonl"
            let header = """
                {"start":0,"strategy":"link","sessionTimeout":60,"identityPriority":["customerid"],\
                "uniqueIdentities":[],"loginIdentities":["customerid"]}
                """
            try Data(header.utf8).write(to: URL(filePath: trace))
            #expect(await Quickstart.run([trace, "--json", folder + "/report.json"]) == .success)
            let report = try String(contentsOf: URL(filePath: folder + "/report.json"), encoding: .utf8)
            #expect(report.contains(#""lost":0}"#))
            #expect(await Quickstart.run([trace, "--json", folder + "/no/such/folder/report.json"]) == .failure)
        }
    }
}
