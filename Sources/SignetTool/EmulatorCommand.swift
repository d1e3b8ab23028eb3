// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import Logging
import ServiceLifecycle
import SignetEmulator
import SignetModel
import SignetServer
import SignetTransport
import UnixSignals

/// `signet emulator`.
struct EmulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulator",
        abstract: "Serves the emulated platform, with a live page at /.",
        discussion: """
            Speaks mParticle's IDSync v1 (identify, login, logout, search, modify, alias) and Events API v2 (single \
            and bulk), Iterable's API and Infobip's Mobile API. It serves the documented paths, with or without the \
            vendors' prefixes. Only this machine reaches it, unless --host names another address. Other machines can \
            then read all requests on the live page, with tokens; --no-page removes the page. Ctrl-C ends the \
            emulator.

            EXAMPLES
              signet emulator
              signet emulator --port 8765 --key us1-mine:my-secret --strategy isolation
              signet emulator --data emulated  # keeps its state in this folder
              signet emulator --faults faults.json
              signet emulator --request-date-tolerance 300  # old signatures get 401
              signet emulator --allow-origin http://localhost:5173 --key-only  # web SDKs

            A faults file is a list of faults in the format of the live page:
              [{"fault": "status", "status": 503, "retryAfter": 2, "times": 3},
               {"fault": "delay", "seconds": 0.5, "route": "identify"}]

            Without "times" a fault applies to all requests, without "route" to all paths. With "share": 0.05 in \
            place of "times" it applies to 5 % of the requests, drawn at random.

            The emulator keeps all users with their data, the last --keep events, and the last --keep requests to \
            Iterable and Infobip with their events. The folder of --data keeps every request: remove it to begin \
            anew. The live page lists the last 500 requests, 8 MiB at most.

            EXIT CODES
              0   Ctrl-C ended it
              2   it cannot listen (the port is in use), or cannot use a file or folder
              64  invalid command line
            """
    )

    private static let shutdownSeconds = 5
    private static let mostKept = 1_000_000_000
    private static let longestTolerance = 1_000_000_000

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 selects a free port.")
    var port = 0

    @Option(help: "A host name, besides localhost, that clients may use for this machine; may be repeated.")
    var allowHost: [String] = []

    @Option(help: "The origin of web pages that may call the services: http://localhost:5173; may be repeated.")
    var allowOrigin: [String] = []

    @Option(help: "The identity strategy: default, conversion, link, isolation or bestMatch.")
    var strategy: String = IdentityStrategy.default.rawValue

    @Option(help: "The identity types that identify a user, most important first: customerid,email,...")
    var priority: String?

    @Option(help: "The API key and the secret of the workspace, as KEY:SECRET.")
    var key: String = "us1-emulated:emulated-secret"

    @Flag(help: "Accept identity requests with the key alone, without a signature, as browsers send them.")
    var keyOnly = false

    @Option(help: "The seconds that the Date of a signature may be off, either way; without it, any date is accepted.")
    var requestDateTolerance: Int?

    @Option(help: "An Iterable project, as KEY, or as KEY:SECRET to require tokens; may be repeated.")
    var project: [String] = []

    @Option(help: "An Infobip application, as CODE or CODE:SECRET; may be repeated.")
    var application: [String] = []

    @Option(help: "A folder that keeps the state across restarts.")
    var data: String?

    @Option(help: "The number of latest events to keep; users are always kept.")
    var keep = 50_000

    @Option(help: "A JSON file of faults to inject into requests; see above.")
    var faults: String?

    @Flag(help: "Print one line of JSON when the emulator listens, and nothing else.")
    var json = false

    @Flag(name: .customLong("no-page"), help: "Serve no live page.")
    var hidesPage = false

    func validate() throws {
        guard (0...65535).contains(self.port) else { throw ValidationError("--port must be from 0 to 65535.") }
        guard (1...Self.mostKept).contains(self.keep) else {
            throw ValidationError("--keep must be from 1 to \(Self.mostKept).")
        }
        guard self.requestDateTolerance.map((0...Self.longestTolerance).contains) ?? true else {
            throw ValidationError("--request-date-tolerance must be from 0 to \(Self.longestTolerance) seconds.")
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
                    Terminal.complain(
                        "\(error.message) The emulator refuses all requests now. Restart it when the disk has room."
                    )
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
        configuration.allowsKeyOnly = self.keyOnly
        configuration.allowedOrigins = try self.origins()
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

    private func origins() throws -> Set<String> {
        let origins = try self.allowOrigin.map { text in
            guard let origin = WebOrigin(text) else {
                throw ValidationError(
                    "--allow-origin must be a scheme and a host: http://localhost:5173. It has no path and no wildcard."
                )
            }
            return origin.description
        }
        return Set(origins)
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
        let origins = configuration.allowedOrigins.sorted().joined(separator: ", ")
        if !origins.isEmpty { Terminal.say("  web pages      of \(origins)") }
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
