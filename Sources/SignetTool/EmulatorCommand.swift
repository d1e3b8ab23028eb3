//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import ArgumentParser
import Logging
import ServiceLifecycle
import SignetEmulator
import SignetModel
import SignetServer
import UnixSignals

/// `signet emulator`.
struct EmulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulator",
        abstract: "Serves the emulated platform, with a live page at /.",
        discussion: """
            Speaks mParticle's IDSync v1 (identify, login, logout, search, modify, alias) and
            Events API v2 (single and bulk), Iterable's API for visitors, and Infobip's mobile
            API, on their documented paths, with or without the vendors' prefixes. Only this
            machine reaches it unless --host says otherwise: then anybody who reaches it sees on
            the live page what clients send, tokens too; --no-page leaves it out. Ctrl-C ends it.

            EXAMPLES
              signet emulator
              signet emulator --port 8080 --key us1-mine:my-secret --strategy isolation
              signet emulator --data emulated      goes on tomorrow from where it is today
              signet emulator --faults faults.json
              signet emulator --request-date-tolerance 300      old signatures are refused, as 401

            A faults file is a list of faults, as the live page sets them:
              [{"fault": "status", "status": 503, "retryAfter": 2, "times": 3},
               {"fault": "delay", "seconds": 0.5, "route": "identify"}]
            Without "times" a fault holds for all requests, without "route" for all paths.

            The last --keep events are remembered, and of the visitors' and the people's API the
            last --keep requests with their events; users, and what was told of them, always. From
            the folder of --data, requests whose events are forgotten go at the start, and when they
            are as much as the rest; what is left of them is in a checkpoint. The live page lists
            the last 500 requests, 8 MiB at most.

            EXIT CODES
              0 it was ended with Ctrl-C, 2 it cannot listen, or a file or folder is of no use,
              64 bad command line
            """
    )

    private static let shutdownSeconds = 5
    private static let mostKept = 1_000_000_000
    private static let longestTolerance = 1_000_000_000

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 is any that is free.")
    var port = 0

    @Option(help: "A name, beside localhost, that clients may call this machine by; may be given again.")
    var allowHost: [String] = []

    @Option(help: "The identity strategy: default, conversion, link, isolation or bestMatch.")
    var strategy: String = IdentityStrategy.default.rawValue

    @Option(help: "The identity types a user is looked up by, most important first: customerid,email,...")
    var priority: String?

    @Option(help: "The API key and the secret of the workspace, as KEY:SECRET.")
    var key: String = "us1-emulated:emulated-secret"

    @Option(help: "How many seconds the Date of a signature may be off, either way; any date does unless given.")
    var requestDateTolerance: Int?

    @Option(help: "A project of Iterable's API, as KEY, or as KEY:SECRET to need tokens; may be given again.")
    var project: [String] = []

    @Option(help: "An application of Infobip's API, as CODE or CODE:SECRET; may be given again.")
    var application: [String] = []

    @Option(help: "A folder that keeps the state across restarts.")
    var data: String?

    @Option(help: "How many events are remembered, the last ones; users are never forgotten.")
    var keep = 50_000

    @Option(help: "A JSON file of faults that requests meet; see the live page.")
    var faults: String?

    @Flag(help: "Print one line of JSON when it listens, and nothing else.")
    var json = false

    @Flag(name: .customLong("no-page"), help: "Leave the live page out.")
    var hidesPage = false

    func validate() throws {
        guard (0...65535).contains(self.port) else { throw ValidationError("--port is from 0 to 65535.") }
        guard (1...Self.mostKept).contains(self.keep) else {
            throw ValidationError("--keep is from 1 to \(Self.mostKept).")
        }
        guard self.requestDateTolerance.map((0...Self.longestTolerance).contains) ?? true else {
            throw ValidationError("--request-date-tolerance is from 0 to \(Self.longestTolerance) seconds.")
        }
        _ = try self.workspace()
    }

    func run() async throws {
        var configuration = EmulatorServerConfiguration(host: self.host, port: self.port)
        configuration.hostNames = Set(self.allowHost)
        configuration.showsPage = !self.hidesPage
        let server: EmulatorServer
        var history: EmulatorHistory?
        do {
            if let data = self.data {
                let opened = try EmulatorHistory(directory: data, configuration: try self.workspace()) { error in
                    Terminal.complain("\(error.message) Nothing is taken any more; start again when there is room.")
                }
                history = opened
                server = EmulatorServer(opened, configuration: configuration)
            } else {
                server = EmulatorServer(Emulator(try self.workspace()), configuration: configuration)
            }
            if let faults = self.faults {
                try server.emulator.faults.add(file: try ToolFile.bytes(faults))
            }
        } catch let error as EmulatorServerError {
            Terminal.complain(error.message)
            throw ToolExit.failed
        } catch let error as ToolFault {
            Terminal.complain(error.message)
            throw ToolExit.failed
        }
        try await self.serve(server, history)
        history?.close()
    }

    private func serve(_ server: EmulatorServer, _ history: EmulatorHistory?) async throws {
        let logger = Logger(label: "signet", factory: { _ in SwiftLogNoOpLogHandler() })
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: server)],
            gracefulShutdownSignals: [.sigint, .sigterm],
            logger: logger
        )
        // A client that never reads its answer does not keep Ctrl-C from ending the server.
        configuration.maximumGracefulShutdownDuration = .seconds(Self.shutdownSeconds)
        let group = ServiceGroup(configuration: configuration)
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                self.announce(try await server.url(), server, history)
                try await tasks.waitForAll()
            }
        } catch let error as EmulatorServerError {
            Terminal.complain(error.message)
            throw ToolExit.failed
        }
    }
}
#endif
