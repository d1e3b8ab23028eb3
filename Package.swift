// swift-tools-version: 6.2
import PackageDescription

// Floors, lowest last. The compiler keeps the order (`--explicit-target-dependency-import-check error`):
//   4  SignetTesting | SignetTrace | SignetServer, SignetTool  ways in
//      SignetHummingbird                           the visitors of a Hummingbird server
//   3  SignetIterable | SignetInfobip              services that follow the users of the runtime
//      SignetWebVisitors                           an installation for each signed cookie
//      SignetPostgres                              where replicas share installations
//   2  Signet | SignetEmulator                     the runtime | the platform it talks to
//   1  SignetJournal | SignetCriteria | SignetWire  mechanisms: none knows another
//   0  SignetModel | SignetTransport | SignetLock  values | a request goes out, an answer comes back | one lock for facts
//      CSignetJournal                              what the journal asks for and Swift has no words for

// A usual set is one trait that enables no other. SwiftPM 6.3 hands the compiler a flag for each enabled trait, the flags
// of several in another order at each run, and flags in another order compile everything again. Code asks for the flags
// of features, never for a trait: they come in the order of `features`.

/// Something that is off without a trait.
struct Feature {
    /// What code asks for, as in `#if SIGNET_LOGGING`.
    let flag: String
    /// Each of them switches it on.
    let traits: Set<String>

    init(_ flag: String, _ traits: Set<String>) {
        self.flag = flag
        self.traits = traits
    }
}

let servers: Set<String> = ["Server", "HummingbirdServer", "FleetServer", "HummingbirdFleetServer"]
let hummingbirdServers: Set<String> = ["HummingbirdServer", "HummingbirdFleetServer"]
let tools: Set<String> = ["Tool", "FleetTool"]

let urlSession = Feature("SIGNET_URL_SESSION", tools.union(["URLSessionTransport"]))
let asyncHTTPClient = Feature("SIGNET_ASYNC_HTTP_CLIENT", servers.union(["AsyncHTTPClientTransport"]))
let serviceLifecycle = Feature("SIGNET_SERVICE_LIFECYCLE", servers.union(["ServiceLifecycleSupport"]))
let logging = Feature("SIGNET_LOGGING", servers.union(["LoggingSupport"]))
let metrics = Feature("SIGNET_METRICS", servers.union(["MetricsSupport"]))
let tracing = Feature("SIGNET_TRACING", servers.union(["TracingSupport"]))
let configuration = Feature("SIGNET_CONFIGURATION", servers.union(["ConfigurationSupport"]))
let crypto = Feature("SIGNET_CRYPTO", ["CryptoSupport"])
let postgres = Feature("SIGNET_POSTGRES", ["PostgresStore", "FleetServer", "HummingbirdFleetServer", "FleetTool"])
let hummingbird = Feature("SIGNET_HUMMINGBIRD", hummingbirdServers.union(["Hummingbird"]))
// With Hummingbird at hand, a server's tests have the emulator over HTTP and fetch nothing for it.
let emulatorServer = Feature("SIGNET_EMULATOR_SERVER", hummingbirdServers.union(tools))
let tool = Feature("SIGNET_TOOL", tools)
// Whoever has AsyncHTTPClient has zlib, and a server takes what it sends.
let deflate = Feature("SIGNET_DEFLATE", asyncHTTPClient.traits.union(emulatorServer.traits))

let features = [
    urlSession, asyncHTTPClient, serviceLifecycle, logging, metrics, tracing, configuration, crypto, postgres,
    hummingbird, emulatorServer, tool, deflate,
]

/// Only where a trait has switched a feature on.
func with(_ feature: Feature) -> TargetDependencyCondition? {
    .when(traits: feature.traits)
}

let package = Package(
    name: "signet",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        // With the modules whose types are public in theirs: else they have no pages in the documentation.
        .library(name: "Signet", targets: ["Signet", "SignetModel", "SignetTransport"]),
        .library(name: "SignetIterable", targets: ["SignetIterable", "SignetCriteria"]),
        .library(name: "SignetInfobip", targets: ["SignetInfobip"]),
        .library(name: "SignetPostgres", targets: ["SignetPostgres"]),
        .library(name: "SignetWebVisitors", targets: ["SignetWebVisitors"]),
        .library(name: "SignetHummingbird", targets: ["SignetHummingbird"]),
        .library(name: "SignetEmulator", targets: ["SignetEmulator"]),
        .library(name: "SignetTesting", targets: ["SignetTesting"]),
        .library(name: "SignetServer", targets: ["SignetServer"]),
        .executable(name: "signet", targets: ["SignetTool"]),
    ],
    traits: [
        .trait(name: "URLSessionTransport", description: "Send requests with URLSession. Links Foundation."),
        .trait(name: "AsyncHTTPClientTransport", description: "Send requests with AsyncHTTPClient, compress events."),
        .trait(name: "ServiceLifecycleSupport", description: "The runtime is a Service of swift-service-lifecycle."),
        .trait(name: "LoggingSupport", description: "Tell what goes on to a Logger of swift-log."),
        .trait(name: "MetricsSupport", description: "Count what goes on with swift-metrics."),
        .trait(name: "TracingSupport", description: "A span for each request, with swift-distributed-tracing."),
        .trait(name: "ConfigurationSupport", description: "Read the configuration with swift-configuration."),
        .trait(name: "CryptoSupport", description: "Hash and sign with swift-crypto instead of the built-in SHA-256."),
        .trait(name: "PostgresStore", description: "Share installations in PostgreSQL. Links libpq."),
        .trait(name: "Hummingbird", description: "A middleware: an installation for each visitor. Needs Hummingbird."),
        .trait(name: "Server", description: "A server: AsyncHTTPClient, lifecycle, logs, metrics, traces, settings."),
        .trait(name: "HummingbirdServer", description: "A server with the middleware for Hummingbird."),
        .trait(name: "FleetServer", description: "A server that shares installations in PostgreSQL."),
        .trait(name: "HummingbirdFleetServer", description: "A server with the middleware and PostgreSQL."),
        .trait(name: "Tool", description: "The signet tool: the emulator over HTTP. Fetches and links Hummingbird."),
        .trait(name: "FleetTool", description: "The signet tool with `signet store`. Links libpq."),
        .default(enabledTraits: ["URLSessionTransport"]),
    ],
    // Each behind traits that are off by default: without them nothing is fetched.
    dependencies: [
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.36.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    ],
    targets: [
        .target(name: "SignetModel"),
        .target(
            name: "SignetTransport",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto", condition: with(crypto))
            ]
        ),
        .target(name: "SignetLock"),
        .target(name: "CSignetJournal"),
        // Empty without the feature.
        .target(
            name: "CSignetDeflate",
            cSettings: [.define(deflate.flag, .when(traits: deflate.traits))],
            linkerSettings: [.linkedLibrary("z", .when(traits: deflate.traits))]
        ),
        .target(name: "SignetJournal", dependencies: ["CSignetJournal", "SignetLock"], exclude: ["FORMAT.md"]),
        .target(name: "SignetWire", dependencies: ["SignetModel", "SignetTransport"]),
        .target(name: "SignetCriteria", dependencies: ["SignetModel", "SignetTransport"]),
        .target(
            name: "Signet",
            dependencies: [
                "CSignetDeflate", "SignetJournal", "SignetLock", "SignetModel", "SignetTransport", "SignetWire",
                .product(
                    name: "AsyncHTTPClient",
                    package: "async-http-client",
                    condition: with(asyncHTTPClient)
                ),
                .product(name: "NIOCore", package: "swift-nio", condition: with(asyncHTTPClient)),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: with(asyncHTTPClient)),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: with(asyncHTTPClient)),
                .product(name: "NIOPosix", package: "swift-nio", condition: with(asyncHTTPClient)),
                .product(
                    name: "NIOSSL",
                    package: "swift-nio-ssl",
                    condition: with(asyncHTTPClient)
                ),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: with(serviceLifecycle)
                ),
                .product(name: "Logging", package: "swift-log", condition: with(logging)),
                .product(name: "Metrics", package: "swift-metrics", condition: with(metrics)),
                .product(
                    name: "Tracing",
                    package: "swift-distributed-tracing",
                    condition: with(tracing)
                ),
                .product(
                    name: "Configuration",
                    package: "swift-configuration",
                    condition: with(configuration)
                ),
            ]
        ),
        .target(
            name: "SignetIterable",
            dependencies: [
                "Signet", "SignetCriteria", "SignetLock", "SignetModel", "SignetTransport", "SignetWire",
                .product(
                    name: "Configuration",
                    package: "swift-configuration",
                    condition: with(configuration)
                ),
            ]
        ),
        .target(
            name: "SignetInfobip",
            dependencies: [
                "Signet", "SignetLock", "SignetModel", "SignetTransport", "SignetWire",
                .product(
                    name: "Configuration",
                    package: "swift-configuration",
                    condition: with(configuration)
                ),
            ]
        ),
        // Compiled and linked only with the feature: without it nothing depends on it.
        .systemLibrary(
            name: "CSignetPostgres",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        .target(
            name: "SignetPostgres",
            dependencies: [
                "Signet", "SignetLock", "SignetModel",
                .target(name: "CSignetPostgres", condition: with(postgres)),
            ]
        ),
        .target(
            name: "SignetWebVisitors",
            dependencies: ["Signet", "SignetLock", "SignetModel", "SignetTransport"]
        ),
        // Empty without the feature.
        .target(
            name: "SignetHummingbird",
            dependencies: [
                "Signet", "SignetLock", "SignetModel", "SignetWebVisitors",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: with(hummingbird)),
                .product(name: "Hummingbird", package: "hummingbird", condition: with(hummingbird)),
                .product(name: "Logging", package: "swift-log", condition: with(hummingbird)),
                .product(name: "NIOCore", package: "swift-nio", condition: with(hummingbird)),
            ]
        ),
        .target(
            name: "SignetEmulator",
            dependencies: ["CSignetDeflate", "SignetLock", "SignetModel", "SignetTransport"]
        ),
        .target(
            name: "SignetTesting",
            dependencies: ["Signet", "SignetEmulator", "SignetLock", "SignetModel", "SignetTransport"]
        ),
        .target(
            name: "SignetServer",
            dependencies: [
                "SignetCriteria", "SignetEmulator", "SignetJournal", "SignetLock", "SignetModel", "SignetTransport",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: with(emulatorServer)),
                .product(name: "Hummingbird", package: "hummingbird", condition: with(emulatorServer)),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: with(emulatorServer)),
                .product(name: "Logging", package: "swift-log", condition: with(emulatorServer)),
                .product(name: "NIOCore", package: "swift-nio", condition: with(emulatorServer)),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: with(emulatorServer)),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: with(emulatorServer)),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: with(emulatorServer)
                ),
            ],
            resources: [
                .embedInCode("Page/page.html"), .embedInCode("Page/page.css"), .embedInCode("Page/address.js"),
                .embedInCode("Page/canvas.js"), .embedInCode("Page/copy.js"), .embedInCode("Page/criteria.js"),
                .embedInCode("Page/details.js"), .embedInCode("Page/events.js"), .embedInCode("Page/faults.js"),
                .embedInCode("Page/kinds.js"), .embedInCode("Page/page.js"), .embedInCode("Page/parts.js"),
                .embedInCode("Page/people.js"), .embedInCode("Page/profile.js"), .embedInCode("Page/rate.js"),
                .embedInCode("Page/requests.js"), .embedInCode("Page/status.js"), .embedInCode("Page/story.js"),
                .embedInCode("Page/timeline.js"),
            ]
        ),
        .executableTarget(
            name: "SignetTool",
            dependencies: [
                "Signet", "SignetCriteria", "SignetEmulator", "SignetModel", "SignetServer",
                "SignetTrace", "SignetTransport",
                .target(name: "SignetPostgres", condition: with(postgres)),
                .product(
                    name: "ArgumentParser",
                    package: "swift-argument-parser",
                    condition: with(tool)
                ),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: with(tool)
                ),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: with(tool)),
                .product(name: "Logging", package: "swift-log", condition: with(tool)),
            ]
        ),
        .target(name: "SignetTrace", dependencies: ["Signet", "SignetEmulator", "SignetIterable"]),
        .executableTarget(
            name: "quickstart",
            dependencies: [
                "SignetIterable", "Signet", "SignetEmulator", "SignetModel", "SignetTesting", "SignetTrace",
                "SignetTransport",
                .target(name: "SignetServer", condition: with(emulatorServer)),
            ],
            path: "Examples/Quickstart",
            resources: [.copy("shop-day.jsonl")]
        ),
        .executableTarget(
            name: "criteria-check",
            dependencies: ["SignetCriteria", "SignetTransport"],
            path: "Examples/CriteriaCheck"
        ),
        .executableTarget(
            name: "two-devices",
            dependencies: ["SignetInfobip", "Signet", "SignetEmulator", "SignetModel"],
            path: "Examples/TwoDevices"
        ),
        // Measures what is no product, and therefore lies in this package; see Benchmarks/README.md.
        .executableTarget(
            name: "criteria-load",
            dependencies: ["SignetCriteria", "SignetTransport"],
            path: "Benchmarks/CriteriaLoad"
        ),
        // Run by .ci/validate-batches; no product.
        .executableTarget(
            name: "emitted-batches",
            dependencies: ["Signet", "SignetModel", "SignetTesting", "SignetTransport"],
            path: "Tests/EmittedBatches"
        ),
        // What tests of all floors share: seeds, scale, waiting.
        .target(
            name: "SignetTestSupport",
            dependencies: ["SignetLock", "SignetTransport"],
            path: "Tests/SignetTestSupport"
        ),
        // What tests of the runtime and of its services share: observers, kills, the vendor's times, samples of records.
        .target(
            name: "SignetRuntimeTestSupport",
            dependencies: [
                "SignetTestSupport", "Signet", "SignetEmulator", "SignetJournal", "SignetLock", "SignetModel",
                "SignetTesting", "SignetTransport",
            ],
            path: "Tests/SignetRuntimeTestSupport"
        ),
        // A real PostgreSQL and a network that fails, for tests of the shared store; empty without the feature.
        .target(
            name: "SignetFleetSupport",
            dependencies: ["SignetLock", "SignetModel", "SignetPostgres", "SignetTestSupport"],
            path: "Tests/SignetFleetSupport"
        ),
        // One replica, as a process that SignetFleetTests start, stop and kill; no product.
        .executableTarget(
            name: "signet-fleet-member",
            dependencies: ["Signet", "SignetLock", "SignetModel", "SignetPostgres", "SignetTransport"],
            path: "Tests/FleetMember"
        ),
        .testTarget(name: "SignetModelTests", dependencies: ["SignetTestSupport", "SignetModel"]),
        .testTarget(name: "SignetTransportTests", dependencies: ["SignetTestSupport", "SignetTransport"]),
        .testTarget(name: "SignetLockTests", dependencies: ["SignetLock"]),
        .testTarget(name: "SignetJournalTests", dependencies: ["SignetTestSupport", "SignetJournal", "SignetLock"]),
        .testTarget(
            name: "SignetWireTests",
            dependencies: ["SignetTestSupport", "SignetModel", "SignetTransport", "SignetWire"],
            exclude: ["Golden", "Schemas"]
        ),
        .testTarget(
            name: "SignetCriteriaTests",
            dependencies: ["SignetTestSupport", "SignetCriteria", "SignetModel", "SignetTransport"],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "SignetEmulatorTests",
            dependencies: [
                "SignetTestSupport", "CSignetDeflate", "SignetEmulator", "SignetLock", "SignetModel", "SignetTransport",
            ]
        ),
        .testTarget(
            name: "SignetTests",
            dependencies: [
                "SignetInfobip", "SignetIterable",
                "Signet", "SignetEmulator", "SignetJournal", "SignetLock", "SignetModel", "SignetRuntimeTestSupport",
                "SignetTestSupport", "SignetTesting",
                "SignetTransport", "SignetWire",
            ],
            exclude: ["Golden"]
        ),
        // The runtime's public calls alone: what is owed is done, whoever comes back.
        .testTarget(
            name: "SignetDueWorkTests",
            dependencies: [
                "Signet", "SignetEmulator", "SignetJournal", "SignetLock", "SignetModel",
                "SignetRuntimeTestSupport", "SignetTestSupport", "SignetTesting", "SignetTransport",
            ]
        ),
        .testTarget(
            name: "SignetIterableTests",
            dependencies: [
                "SignetCriteria", "SignetIterable",
                "Signet", "SignetEmulator", "SignetJournal", "SignetLock", "SignetModel", "SignetRuntimeTestSupport",
                "SignetTestSupport", "SignetTesting",
                "SignetTransport", "SignetWire",
            ],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "SignetInfobipTests",
            dependencies: [
                "SignetInfobip",
                "Signet", "SignetEmulator", "SignetLock", "SignetModel", "SignetRuntimeTestSupport",
                "SignetTestSupport",
                "SignetTesting", "SignetTransport", "SignetWire",
            ],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "SignetWebVisitorsTests",
            dependencies: [
                "SignetTestSupport", "Signet", "SignetEmulator", "SignetModel", "SignetTesting", "SignetWebVisitors",
            ]
        ),
        // Empty without the feature.
        .testTarget(
            name: "SignetHummingbirdTests",
            dependencies: [
                "SignetTestSupport", "Signet", "SignetEmulator", "SignetHummingbird", "SignetLock", "SignetModel",
                "SignetTesting", "SignetWebVisitors",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: with(hummingbird)),
                .product(name: "Hummingbird", package: "hummingbird", condition: with(hummingbird)),
                .product(name: "Logging", package: "swift-log", condition: with(hummingbird)),
                .product(name: "InMemoryLogging", package: "swift-log", condition: with(hummingbird)),
            ]
        ),
        // Empty without the feature.
        .testTarget(
            name: "SignetPostgresTests",
            dependencies: [
                "SignetFleetSupport", "SignetTestSupport", "Signet", "SignetEmulator", "SignetLock", "SignetModel",
                "SignetPostgres", "SignetTesting",
            ]
        ),
        // Empty without PostgreSQL and URLSession.
        .testTarget(
            name: "SignetFleetTests",
            dependencies: [
                "signet-fleet-member", "SignetFleetSupport", "SignetTestSupport", "Signet", "SignetEmulator",
                "SignetLock", "SignetModel", "SignetPostgres", "SignetTransport",
            ]
        ),
        .testTarget(
            name: "SignetIntegrationTests",
            dependencies: [
                "SignetInfobip", "SignetIterable",
                "Signet", "SignetEmulator", "SignetJournal", "SignetLock", "SignetModel", "SignetTestSupport",
                "SignetTesting",
                "SignetTransport", "SignetWire",
                .product(
                    name: "AsyncHTTPClient",
                    package: "async-http-client",
                    condition: with(asyncHTTPClient)
                ),
                .product(name: "NIOCore", package: "swift-nio", condition: with(asyncHTTPClient)),
                .product(name: "NIOHPACK", package: "swift-nio-http2", condition: with(asyncHTTPClient)),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: with(asyncHTTPClient)),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: with(asyncHTTPClient)),
                .product(name: "NIOPosix", package: "swift-nio", condition: with(asyncHTTPClient)),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: with(asyncHTTPClient)),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: with(serviceLifecycle)
                ),
                .product(
                    name: "ServiceLifecycleTestKit",
                    package: "swift-service-lifecycle",
                    condition: with(serviceLifecycle)
                ),
                .product(name: "Logging", package: "swift-log", condition: with(logging)),
                .product(name: "InMemoryLogging", package: "swift-log", condition: with(logging)),
                .product(name: "CoreMetrics", package: "swift-metrics", condition: with(metrics)),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: with(metrics)),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: with(tracing)),
                .product(
                    name: "InMemoryTracing",
                    package: "swift-distributed-tracing",
                    condition: with(tracing)
                ),
                .product(
                    name: "Configuration",
                    package: "swift-configuration",
                    condition: with(configuration)
                ),
            ]
        ),
        .testTarget(
            name: "SignetSimulationTests",
            dependencies: [
                "SignetInfobip", "SignetIterable",
                "SignetTestSupport", "Signet", "SignetEmulator", "SignetJournal", "SignetLock", "SignetModel",
                "SignetTesting",
                "SignetTransport",
            ]
        ),
        .testTarget(
            name: "SignetTestingTests",
            dependencies: [
                "SignetTestSupport",
                "Signet", "SignetEmulator", "SignetLock", "SignetModel", "SignetTesting", "SignetTransport",
            ]
        ),
        .testTarget(
            name: "SignetServerTests",
            dependencies: [
                "SignetTestSupport",
                "Signet", "SignetEmulator", "SignetLock", "SignetServer", "SignetTransport",
                .product(name: "NIOCore", package: "swift-nio", condition: with(emulatorServer)),
                .product(name: "NIOPosix", package: "swift-nio", condition: with(emulatorServer)),
            ]
        ),
        .testTarget(
            name: "SignetToolTests",
            dependencies: [
                "SignetFleetSupport", "SignetTestSupport",
                "Signet", "SignetEmulator", "SignetModel", "SignetServer", "SignetTesting", "SignetTool",
                "SignetTransport",
                .product(
                    name: "ArgumentParser",
                    package: "swift-argument-parser",
                    condition: with(tool)
                ),
            ]
        ),
        // The demos, all in one: each is an executable that the tests import.
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "SignetInfobip", "SignetIterable",
                "criteria-check", "quickstart", "two-devices", "Signet", "SignetCriteria", "SignetEmulator",
                "SignetTestSupport", "SignetTesting", "SignetTrace", "SignetTransport",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// A build of some tests alone, as `.ci/run` makes them with traits and optimised.
if let names = Context.environment["SIGNET_TEST_TARGETS"]?.split(separator: ",") {
    package.targets.removeAll { $0.type == .test && !names.contains(Substring($0.name)) }
}

for target in package.targets where target.type != .system {
    var settings = target.swiftSettings ?? []
    settings += features.map { .define($0.flag, .when(traits: $0.traits)) }
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    settings.append(.enableUpcomingFeature("ExistentialAny"))
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    settings.append(.enableUpcomingFeature("InternalImportsByDefault"))
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    settings.append(.enableUpcomingFeature("MemberImportVisibility"))
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
    // Of our targets alone: packages of others may warn. Set by .ci/run.
    if Context.environment["SIGNET_STRICT"] != nil { settings.append(.treatAllWarnings(as: .error)) }
    target.swiftSettings = settings
}
