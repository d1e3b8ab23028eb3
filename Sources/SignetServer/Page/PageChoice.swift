// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetTransport

/// The project of Iterable's API and the application of Infobip's API that a page shows.
struct PageChoice: Sendable {
    let iterable: EmulatedIterable
    let infobip: EmulatedInfobip

    /// Selects the first of each.
    init(_ emulator: Emulator) {
        self.iterable = emulator.iterable
        self.infobip = emulator.infobip
    }

    /// Selects the project and application in a query; the first of each by default, nil for an unknown name.
    init?(_ query: [String: String], of emulator: Emulator) {
        let first = PageChoice(emulator)
        guard let iterable = query["project"].map({ emulator.iterable(in: $0) }) ?? first.iterable,
            let infobip = query["application"].map({ emulator.infobip(in: $0) }) ?? first.infobip
        else { return nil }
        self.iterable = iterable
        self.infobip = infobip
    }

    /// Writes the selection, and the available names, each once and in the order of the configuration.
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
