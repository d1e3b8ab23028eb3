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

/// Which project of Iterable's API and which application of the people's a page looks at.
struct PageChoice: Sendable {
    let iterable: EmulatedIterable
    let infobip: EmulatedInfobip

    /// The first of each.
    init(_ emulator: Emulator) {
        self.iterable = emulator.iterable
        self.infobip = emulator.infobip
    }

    /// What a query names; the first of each where it names none, nil where there is none of the name.
    init?(_ query: [String: String], of emulator: Emulator) {
        let first = PageChoice(emulator)
        guard let iterable = query["project"].map({ emulator.iterable(in: $0) }) ?? first.iterable,
            let infobip = query["application"].map({ emulator.infobip(in: $0) }) ?? first.infobip
        else { return nil }
        self.iterable = iterable
        self.infobip = infobip
    }

    /// What there is to choose among, each once and in the order of the configuration, and what is chosen.
    func writeMembers(to writer: inout JSONWriter, of configuration: EmulatorConfiguration) {
        writer.member("project", self.iterable.apiKey)
        writer.member("projects", .array(Self.names(configuration.iterableProjects.map(\.apiKey))))
        writer.member("application", self.infobip.code)
        writer.member("applications", .array(Self.names(configuration.applications.map(\.code))))
    }

    private static func names(_ names: [String]) -> [JSONValue] {
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }.map(JSONValue.string)
    }
}
#endif
