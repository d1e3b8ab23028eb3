// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetTestSupport
import SignetTrace
import Testing

@testable import quickstart

/// The installations that the quickstart draws.
@Suite struct StoryChoiceTests {
    private static func story(
        _ installation: String,
        _ kinds: [Story.Mark.Kind],
        endings: [Story.Visit.End] = [.timeout],
        flags: [(Story.Flag.Kind, String?)] = []
    ) -> Story {
        Story(
            installation: installation,
            visits: endings.enumerated().map { Story.Visit(begin: Int64($0), end: Int64($0), ending: $1) },
            marks: kinds.enumerated().map { Story.Mark(at: Int64($0), kind: $1) },
            flags: flags.enumerated().map { Story.Flag(at: Int64($0), kind: $1.0, customer: $1.1) }
        )
    }

    private static let stories = [
        Self.story("dull", [.screen, .event]),
        Self.story("buys-first", [.purchase, .login]),
        Self.story("buys", [.login, .purchase]),
        Self.story("killed-outside", [.kill]),
        Self.story("killed", [.kill], endings: [.launch, .timeout]),
        Self.story("known", [], flags: [(.first, nil), (.known, "a")]),
        Self.story("shared", [], flags: [(.other, "b"), (.other, nil), (.other, "c"), (.other, "b")]),
        Self.story("elsewhere", [], flags: [(.other, "a")]),
    ]

    @Test func eachReasonHasAStoryOfItsOwn() {
        let chosen = StoryChoice.choose(from: Self.stories)
        #expect(chosen.map(\.story.installation) == ["buys", "killed", "known", "shared", "elsewhere"])
        #expect(chosen.map(\.reason) == StoryChoice.Reason.allCases)
    }

    @Test func theOrderOfTheStoriesDoesNotMatter() {
        #expect(StoryChoice.choose(from: Self.stories.reversed()) == StoryChoice.choose(from: Self.stories))
    }

    @Test func aStoryIsShownOnceAndTheEasiestToReadIsTaken() {
        let marks: [Story.Mark.Kind] = [.login, .purchase]
        let readable = Self.story("z", marks + Array(repeating: .screen, count: 10))
        let long = Self.story("a", marks + Array(repeating: .screen, count: 90))
        let scattered = Self.story(
            "b",
            marks + Array(repeating: .screen, count: 10),
            endings: Array(repeating: .timeout, count: 9)
        )
        #expect(StoryChoice.choose(from: [long, scattered, readable]).map(\.story.installation) == ["z"])
        let both = Self.story("one", [.login, .purchase, .kill], endings: [.launch])
        #expect(StoryChoice.choose(from: [both]).map(\.reason) == [.purchase])
    }

    @Test func aReplayTellsTheStoryOfItsInstallation() async throws {
        let day = """
            {"trace":1,"start":1000000000000,"strategy":"conversion","sessionTimeout":60,\
            "identityPriority":["customerid","device_application_stamp"],\
            "uniqueIdentities":["customerid"],"loginIdentities":["customerid"]}
            {"at":0,"installation":"i-1","do":"launch","version":"1.0","build":"1"}
            {"at":2000,"installation":"i-1","do":"login","identities":{"customerid":"c-1"}}
            {"at":3000,"installation":"i-1","do":"purchase","transaction":"t-1","total":19.9,"currency":"EUR","products":[]}
            {"at":4000,"installation":"i-1","do":"kill"}
            {"at":9000,"installation":"i-1","do":"launch","version":"1.0","build":"1"}
            """
        let trace = try TraceReader.read(Array(day.utf8), named: "inline")
        let outcome = try await withTemporaryFolder { try await Replay(trace).run(in: $0) }
        let start: Int64 = 1_000_000_000_000
        #expect(
            Story.all(trace, outcome) == [
                Story(
                    installation: "i-1",
                    visits: [
                        Story.Visit(begin: start, end: start + 3000, ending: .launch),
                        Story.Visit(begin: start + 9000, end: start + 9000, ending: .open),
                    ],
                    marks: [
                        Story.Mark(at: start + 2000, kind: .login), Story.Mark(at: start + 3000, kind: .purchase),
                        Story.Mark(at: start + 4000, kind: .kill),
                    ],
                    flags: [
                        Story.Flag(at: start, kind: .first, customer: nil),
                        Story.Flag(at: start + 2000, kind: .known, customer: "c-1"),
                    ]
                )
            ]
        )
    }

    @Test func theBundledDayHasThreeToFiveStories() async throws {
        let path = try Trace.bundledDay()
        let trace = try TraceReader.read(path)
        let outcome = try await withTemporaryFolder { try await Replay(trace).run(in: $0) }
        let chosen = StoryChoice.choose(from: Story.all(trace, outcome))
        #expect((3...5).contains(chosen.count))
        #expect(Set(chosen.map(\.story.installation)).count == chosen.count)
        let lines = Picture(chosen, .unicode).description.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= StoryDrawing.width })
    }
}
