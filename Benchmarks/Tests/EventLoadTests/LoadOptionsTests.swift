// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import event_load

@Suite struct LoadOptionsTests {
    private static func options(only: [String]) -> LoadOptions {
        var options = LoadOptions()
        (options.events, options.seconds) = (nil, nil)
        options.only = only
        return options
    }

    @Test func aSeriesIsChosenByAllTexts() {
        #expect(Self.options(only: []).includes("bulk, HTTP sink"))
        #expect(Self.options(only: ["bulk", "HTTP"]).includes("bulk, HTTP sink"))
        #expect(!Self.options(only: ["bulk", "process"]).includes("bulk, HTTP sink"))
    }

    @Test func whatChoosesNothingIsToldWithTheNames() throws {
        let options = Self.options(only: ["typo"])
        #expect(!options.includes("bulk, HTTP sink"))
        let complaint = try #require(options.complaint(measured: ["floors"]))
        for name in ["--only", "'bulk, HTTP sink'", "'floors'"] {
            #expect(complaint.contains(name), "\(name) in \(complaint)")
        }
    }

    @Test func whatChoosesSomethingIsNoMistake() {
        #expect(Self.options(only: ["bulk"]).complaint(measured: ["floors", "bulk, HTTP sink"]) == nil)
        #expect(Self.options(only: []).complaint(measured: []) == nil)
    }

    @Test func checkNamesItsScenariosWhenNoneIsChosen() throws {
        func command(only text: String) -> CheckCommand {
            var command = CheckCommand()
            command.write = false
            command.failsBeyond = nil
            command.options = Self.options(only: [text])
            return command
        }
        try command(only: "recovery").validate()
        let error = try #require(throws: (any Error).self) { try command(only: "typo").validate() }
        for scenario in CheckedScenario.all { #expect("\(error)".contains(scenario.name)) }
    }
}
