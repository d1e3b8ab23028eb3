// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import SignetEmulator
import SignetModel
import SignetServer
import SignetTransport

extension EmulatorCommand {
    /// The workspace that the options describe.
    func workspace() throws -> EmulatorConfiguration {
        guard let strategy = IdentityStrategy(rawValue: self.strategy) else {
            let names = IdentityStrategy.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--strategy must be one of \(names).")
        }
        let parts = self.key.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw ValidationError("--key must be KEY:SECRET; neither part may be empty.") }
        var configuration = EmulatorConfiguration(
            apiKey: parts[0],
            secret: Secret(parts[1]),
            strategy: strategy,
            priority: try self.priorityTypes() ?? EmulatorConfiguration.documentedPriority,
            // Clients remember MPIDs: those of an earlier emulator must not belong to another user today.
            mpids: .random(seed: .random(in: .min ... .max))
        )
        configuration.keptEvents = self.keep
        configuration.requestDateTolerance = self.requestDateTolerance.map { .seconds($0) }
        if !self.project.isEmpty {
            configuration.iterableProjects = try Self.pairs(self.project, "--project").map { key, secret in
                secret.map { EmulatedIterableProject(apiKey: key, secret: Secret($0), requiresTokens: true) }
                    ?? EmulatedIterableProject(apiKey: key)
            }
        }
        if !self.application.isEmpty {
            configuration.applications = try Self.pairs(self.application, "--application").map { code, secret in
                secret.map { EmulatedInfobipApplication(code: code, secret: Secret($0)) }
                    ?? EmulatedInfobipApplication(code: code)
            }
        }
        return configuration
    }

    // Parses names with or without a secret, each name once.
    private static func pairs(_ words: [String], _ option: String) throws -> [(name: String, secret: String?)] {
        var names: Set<String> = []
        return try words.map { word in
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard !parts.contains(""), names.insert(parts[0]).inserted else {
                throw ValidationError(
                    "\(option) must be NAME or NAME:SECRET; no part may be empty, and no name may repeat."
                )
            }
            return (parts[0], parts.count > 1 ? parts[1] : nil)
        }
    }

    private func priorityTypes() throws -> [IdentityType]? {
        try self.priority?.split(separator: ",").map { name in
            guard let type = IdentityName.identityType(wireName: String(name)) else {
                throw ValidationError("--priority: \(name) is not an identity type.")
            }
            return type
        }
    }

    /// Prints the address of the server.
    func announce(_ url: String, _ server: EmulatorServer, _ history: EmulatorHistory?) {
        let configuration = server.emulator.configuration
        let restored = history?.restoredRequests ?? 0
        if let warning = self.exposure { Terminal.complain(warning) }
        guard !self.json else {
            Terminal.say([
                "url": .string(url), "key": .string(configuration.apiKey),
                "restored": .number(JSONNumber(Int64(restored))),
            ])
            return
        }
        Terminal.say("The emulator listens on \(url)")
        if self.showsPage { Terminal.say("  live page      \(url)/") }
        Terminal.say("  workspace      \(configuration.apiKey), strategy \(configuration.strategy.rawValue)")
        let projects = configuration.iterableProjects.map(\.apiKey).joined(separator: ", ")
        let applications = configuration.applications.map(\.code).joined(separator: ", ")
        Terminal.say("  Iterable       project \(projects)")
        Terminal.say("  Infobip        application \(applications)")
        if history != nil { Terminal.say("  state          restored from \(restored) requests") }
        Terminal.say("Press Ctrl-C to end it.")
    }

    private var showsPage: Bool { !self.hidesPage }

    /// The warning to print when other machines can reach the live page; nil if they cannot.
    var exposure: String? {
        let isHere = self.host == "localhost" || self.host == "::1" || self.host.hasPrefix("127.")
        guard self.showsPage, !isHere else { return nil }
        return "Every machine that reaches \(self.host) can read all requests on the live page and set faults. "
            + "Use --no-page to remove the page."
    }
}
#endif
