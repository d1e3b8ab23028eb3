// SPDX-License-Identifier: Apache-2.0

import Foundation
import Signet
import SignetEmulator
import SignetTestSupport
import SignetTrace
import Testing

@testable import quickstart

@Suite struct ReplayTests {
    private static func header(_ strategy: String) -> String {
        """
        {"trace":1,"start":1000000000000,"strategy":"\(strategy)","sessionTimeout":60,\
        "identityPriority":["customerid","email","device_application_stamp"],\
        "uniqueIdentities":["customerid","email"],"loginIdentities":["customerid"]}
        """
    }

    // Session 1: 0 to 6000, ended in the background by the timeout at 66000. Session 2: begins at 70000, is left open by the
    // kill and ended by the next launch, at its last activity, 70000. Session 3: 80000 to 81000, ended by the timeout after
    // the quit. Session 4, of the second installation, stays open.
    private static let day = [
        #"{"at":0,"installation":"i-1","do":"launch","version":"1.0","build":"1"}"#,
        #"{"at":1000,"installation":"i-1","do":"screen","name":"Home"}"#,
        #"{"at":2000,"installation":"i-1","do":"login","identities":{"customerid":"c-1","email":"a@example.com"}}"#,
        #"{"at":3000,"installation":"i-1","do":"purchase","transaction":"t-1","total":19.9,"currency":"EUR","#
            + #""products":[{"id":"p","name":"P","price":9.95,"quantity":2}]}"#,
        #"{"at":4000,"installation":"i-1","do":"logout"}"#,
        #"{"at":5000,"installation":"i-1","do":"event","name":"Search","type":"search","attributes":{"hits":3}}"#,
        #"{"at":6000,"installation":"i-1","do":"background"}"#,
        #"{"at":70000,"installation":"i-1","do":"foreground"}"#,
        #"{"at":71000,"installation":"i-1","do":"kill"}"#,
        #"{"at":80000,"installation":"i-1","do":"launch","version":"1.0","build":"1"}"#,
        #"{"at":81000,"installation":"i-1","do":"background"}"#,
        #"{"at":82000,"installation":"i-1","do":"quit"}"#,
        #"{"at":82500,"installation":"i-2","do":"launch","version":"1.0","build":"1"}"#,
        #"{"at":82600,"installation":"i-2","do":"login","identities":{"customerid":"c-1"}}"#,
        #"{"at":82700,"installation":"i-2","do":"screen","name":"Home"}"#,
        #"{"at":82800,"installation":"i-2","do":"kill"}"#,
    ]

    private static func outcome(of lines: [String], strategy: String = "conversion") async throws -> ReplayOutcome {
        let text = ([Self.header(strategy)] + lines).joined(separator: "\n")
        let trace = try TraceReader.read(Array(text.utf8), named: "inline")
        return try await withTemporaryFolder { try await Replay(trace, mpids: .counting(from: 101)).run(in: $0) }
    }

    @Test func theReportOfASmallDayIsWhatAPersonComputes() async throws {
        let outcome = try await Self.outcome(of: Self.day)
        let expected = """
            {"users":[
            {"mpid":"101","isKnown":true,
            "identities":{"customerid":"c-1","device_application_stamp":"5875CD14-8AFE-8CC9-ACD7-99705C7D2D12",
            "email":"a@example.com"},
            "events":{"commerce_event":1,"screen_view":2,"session_start":1},"sessions":2,
            "sessionList":[{"begin":1000000000000,"end":1000000006000,"reason":"timeout","events":5}],
            "revenue":19.9},
            {"mpid":"102","isKnown":false,
            "identities":{"device_application_stamp":"6AF79A7B-30A6-822F-85A6-1EC48CAEF144"},
            "events":{"custom_event":1,"session_end":3,"session_start":2},"sessions":3,
            "sessionList":[{"begin":1000000000000,"end":1000000006000,"reason":"timeout","events":5},
            {"begin":1000000070000,"end":1000000070000,"reason":"launch","events":0},
            {"begin":1000000080000,"end":1000000081000,"reason":"timeout","events":0}],"revenue":0.0},
            {"mpid":"103","isKnown":false,
            "identities":{"device_application_stamp":"5875CD14-8AFE-8CC9-ACD7-99705C7D2D12"},
            "events":{"session_start":1},"sessions":1,"sessionList":[],"revenue":0.0}],
            "totals":{"events":{
            "logged":{"commerce_event":1,"custom_event":1,"screen_view":2,"session_end":3,"session_start":4},
            "received":{"commerce_event":1,"custom_event":1,"screen_view":2,"session_end":3,"session_start":4}},
            "sessionsBegun":4,"sessionsEnded":3,"sessionsOpen":1,"userChanges":5,"idsyncRequests":6,"lost":0}}
            """
        let report = String(decoding: JSONReport(outcome).bytes, as: UTF8.self)
        #expect(report == expected.replacing("\n", with: "") + "\n")
    }

    @Test func whatTheStreamsShowedIsWhatAPersonComputes() async throws {
        let outcome = try await Self.outcome(of: Self.day)
        #expect(outcome.visitors.logins == 2)
        #expect(outcome.visitors.refusals == [:])
        #expect(outcome.users.arrivals == 2)
        #expect(outcome.users.switches == 2)
        #expect(outcome.users.turns == 1)
        #expect(outcome.sessions.lengths.sorted() == [.zero, .seconds(1), .seconds(6)])
        #expect(outcome.sessions.medianLength == .seconds(1))
        #expect(outcome.missed == 0)
        #expect(outcome.statistics.userChanges == 5)
        // The eleven of the trace and its sessions, and three identities that users got.
        #expect(outcome.statistics.eventsAccepted == 14)
        #expect(outcome.statistics.eventsDelivered == 14)
        #expect(outcome.platform.deadLetterBatches == 0)
    }

    @Test(arguments: ["default", "conversion", "link", "isolation", "best"])
    func eachStrategyReplaysWithoutLoss(strategy: String) async throws {
        let outcome = try await Self.outcome(of: Self.day, strategy: strategy)
        #expect(outcome.lost == 0)
        #expect(outcome.platform.received.values.reduce(0, +) == 11)
        #expect(outcome.visitors.refusals == [:])
    }

    @Test func aTimeoutThatIsNotOverEndsNoSession() async throws {
        let outcome = try await Self.outcome(
            of: [
                #"{"at":0,"installation":"i","do":"launch","version":"1.0","build":"1"}"#,
                #"{"at":1000,"installation":"i","do":"background"}"#,
                #"{"at":60999,"installation":"i","do":"foreground"}"#,
                #"{"at":62000,"installation":"i","do":"background"}"#,
                #"{"at":122000,"installation":"i","do":"foreground"}"#,
            ]
        )
        #expect(outcome.sessions.begun == 2)
        #expect(outcome.sessions.lengths == [.seconds(62)])
        #expect(outcome.sessionsOpen == 1)
    }

    @Test func aSessionThatAQuitLeftOpenEndsAtTheNextLaunchAtTheLatest() async throws {
        let outcome = try await Self.outcome(
            of: [
                #"{"at":0,"installation":"i","do":"launch","version":"1.0","build":"1"}"#,
                #"{"at":1000,"installation":"i","do":"background"}"#,
                #"{"at":2000,"installation":"i","do":"quit"}"#,
                #"{"at":3000,"installation":"i","do":"launch","version":"1.0","build":"1"}"#,
                #"{"at":4000,"installation":"i","do":"background"}"#,
                #"{"at":5000,"installation":"i","do":"quit"}"#,
            ]
        )
        #expect(outcome.sessions.lengths == [.seconds(1), .seconds(1)])
        #expect(outcome.sessionsOpen == 0)
        #expect(outcome.lost == 0)
    }

    // Under profile isolation the platform takes no login without a login identity.
    @Test func whatThePlatformRefusesIsCountedAndTheDayGoesOn() async throws {
        let outcome = try await Self.outcome(
            of: [
                #"{"at":0,"installation":"i","do":"launch","version":"1.0","build":"1"}"#,
                #"{"at":1,"installation":"i","do":"login","identities":{"google":"g"}}"#,
                #"{"at":2,"installation":"i","do":"screen","name":"Home"}"#,
            ],
            strategy: "isolation"
        )
        #expect(outcome.visitors.refusals.values.reduce(0, +) == 1)
        #expect(outcome.visitors.logins == 0)
        #expect(outcome.logged["screen_view"] == 1)
        #expect(outcome.lost == 0)
    }

    @Test func aLineThatSaysWhatNoAppMaySayIsABadLine() async throws {
        let error = await #expect(throws: TraceError.self) {
            try await Self.outcome(
                of: [
                    #"{"at":0,"installation":"i","do":"launch","version":"1.0","build":"1"}"#,
                    #"{"at":1,"installation":"i","do":"screen","name":"\#(String(repeating: "x", count: 257))"}"#,
                ]
            )
        }
        #expect(error?.file == "inline")
        #expect(error?.line == 3)
    }

    @Test func aTraceWithoutLinesIsAQuietDay() async throws {
        let outcome = try await Self.outcome(of: [])
        #expect(outcome.platform.users.isEmpty)
        #expect(outcome.logged == [:])
    }
}
