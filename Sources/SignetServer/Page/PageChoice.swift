//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import SignetEmulator
import SignetTransport

/// Which project of the visitors' interface and which application of the people's a page looks at.
struct PageChoice: Sendable {
    let visitors: EmulatedVisitors
    let people: EmulatedPeople

    /// The first of each.
    init(_ emulator: Emulator) {
        self.visitors = emulator.visitors
        self.people = emulator.people
    }

    /// What a query names; the first of each where it names none, nil where there is none of the name.
    init?(_ query: [String: String], of emulator: Emulator) {
        let first = PageChoice(emulator)
        guard let visitors = query["project"].map({ emulator.visitors(in: $0) }) ?? first.visitors,
            let people = query["application"].map({ emulator.people(in: $0) }) ?? first.people
        else { return nil }
        self.visitors = visitors
        self.people = people
    }

    /// What there is to choose among, each once and in the order of the configuration, and what is chosen.
    func writeMembers(to writer: inout JSONWriter, of configuration: EmulatorConfiguration) {
        writer.member("project", self.visitors.apiKey)
        writer.member("projects", .array(Self.names(configuration.visitorProjects.map(\.apiKey))))
        writer.member("application", self.people.code)
        writer.member("applications", .array(Self.names(configuration.applications.map(\.code))))
    }

    private static func names(_ names: [String]) -> [JSONValue] {
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }.map(JSONValue.string)
    }
}
#endif
