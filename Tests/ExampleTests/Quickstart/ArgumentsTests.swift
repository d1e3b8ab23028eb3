// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import quickstart

@Suite struct ArgumentsTests {
    @Test func withoutArgumentsItIsTheBundledDay() throws {
        let arguments = try Arguments([])
        #expect(arguments.trace == nil)
        #expect(arguments.json == nil)
        #expect(!arguments.wantsHelp)
    }

    @Test(arguments: [["t", "--json", "j"], ["--json", "j", "t"], ["--json=j", "t"], ["--json", "j", "--", "t"]])
    func aTraceAndAReportAreNamedInAnyOrder(words: [String]) throws {
        let arguments = try Arguments(words)
        #expect(arguments.trace == "t")
        #expect(arguments.json == "j")
    }

    @Test(arguments: [["--help"], ["-h"], ["t", "--help"]])
    func helpIsAskedFor(words: [String]) throws {
        #expect(try Arguments(words).wantsHelp)
    }

    @Test(arguments: [["--visitors"], ["--visitors", "t"], ["t", "--json", "j", "--visitors"]])
    func visitorsAreAskedFor(words: [String]) throws {
        #expect(try Arguments(words).activatesVisitors)
        #expect(try !Arguments(["--", "--visitors"]).activatesVisitors)
    }

    @Test(
        arguments: [
            (["--serve"], 8765), (["--serve", "0"], 0), (["--serve=9000"], 9000), (["--serve", "day.jsonl"], 8765),
            (["--serve", "81", "--visitors"], 81), ([], nil),
        ] as [([String], Int?)]
    )
    func aPortMayFollowTheWishForAPage(words: [String], port: Int?) throws {
        #expect(try Arguments(words).port == port)
    }

    @Test func afterTwoDashesNothingIsAnOption() throws {
        #expect(try Arguments(["--", "--json"]).trace == "--json")
    }

    @Test(arguments: [
        ["--json"], ["--json", ""], ["--json="], ["--json", "a", "--json", "b"], ["a", "b"], ["--jsonn", "a"], ["-x"],
        [""], ["--serve="], ["--serve=x"], ["--serve", "65536"], ["--serve", "--serve"],
    ])
    func whatMakesNoSenseIsRefused(words: [String]) {
        #expect(throws: Arguments.Fault.self) { try Arguments(words) }
    }
}
