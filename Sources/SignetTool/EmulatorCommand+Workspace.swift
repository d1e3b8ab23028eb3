//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

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
            throw ValidationError("--strategy is one of \(names).")
        }
        let parts = self.key.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw ValidationError("--key is KEY:SECRET, neither of them empty.") }
        return EmulatorConfiguration(
            apiKey: parts[0],
            secret: Secret(parts[1]),
            strategy: strategy,
            priority: try self.priorityTypes() ?? EmulatorConfiguration.documentedPriority
        )
    }

    private func priorityTypes() throws -> [IdentityType]? {
        try self.priority?.split(separator: ",").map { name in
            guard let type = IdentityName.identityType(wireName: String(name)) else {
                throw ValidationError("--priority: there is no identity type \(name).")
            }
            return type
        }
    }

    /// Says where it listens.
    func announce(_ url: String, _ server: EmulatorServer, _ history: EmulatorHistory?) {
        let configuration = server.emulator.configuration
        let restored = history?.restoredRequests ?? 0
        guard !self.json else {
            Terminal.say([
                "url": .string(url), "key": .string(configuration.apiKey),
                "restored": .number(JSONNumber(Int64(restored))),
            ])
            return
        }
        Terminal.say("The platform listens on \(url)")
        if self.showsPage { Terminal.say("  live page      \(url)/") }
        Terminal.say("  workspace      \(configuration.apiKey), strategy \(configuration.strategy.rawValue)")
        Terminal.say("  visitors       project \(server.emulator.visitors.apiKey)")
        Terminal.say("  people         application \(configuration.applications.first?.code ?? "none")")
        if history != nil { Terminal.say("  state          goes on after \(restored) requests") }
        Terminal.say("Ctrl-C ends it.")
    }

    private var showsPage: Bool { !self.hidesPage }
}
#endif
