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

/// Only where a trait is switched on.
func with(_ trait: String) -> TargetDependencyCondition? {
    .when(traits: [trait])
}

/// What a server uses, in one word.
let serverTraits: Set<String> = [
    "AsyncHTTPClientTransport", "ServiceLifecycleSupport", "LoggingSupport", "MetricsSupport", "TracingSupport",
    "ConfigurationSupport",
]

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
        .trait(name: "Server", description: "For a server: the six traits above.", enabledTraits: serverTraits),
        .trait(name: "CryptoSupport", description: "Hash and sign with swift-crypto instead of the built-in SHA-256."),
        .trait(name: "PostgresStore", description: "Share installations in PostgreSQL. Links libpq."),
        .trait(name: "Hummingbird", description: "A middleware: an installation for each visitor. Needs Hummingbird."),
        .trait(name: "Tool", description: "The signet tool: the emulator over HTTP. Fetches and links Hummingbird."),
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
                .product(name: "Crypto", package: "swift-crypto", condition: with("CryptoSupport"))
            ]
        ),
        .target(name: "SignetLock"),
        .target(name: "CSignetJournal"),
        // Empty without these traits: whoever has AsyncHTTPClient has zlib, and a server takes what it sends.
        .target(
            name: "CSignetDeflate",
            cSettings: [.define("SIGNET_DEFLATE", .when(traits: ["AsyncHTTPClientTransport", "Tool"]))],
            linkerSettings: [.linkedLibrary("z", .when(traits: ["AsyncHTTPClientTransport", "Tool"]))]
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
                    condition: with("AsyncHTTPClientTransport")
                ),
                .product(name: "NIOCore", package: "swift-nio", condition: with("AsyncHTTPClientTransport")),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: with("AsyncHTTPClientTransport")),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: with("AsyncHTTPClientTransport")),
                .product(name: "NIOPosix", package: "swift-nio", condition: with("AsyncHTTPClientTransport")),
                .product(
                    name: "NIOSSL",
                    package: "swift-nio-ssl",
                    condition: with("AsyncHTTPClientTransport")
                ),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: with("ServiceLifecycleSupport")
                ),
                .product(name: "Logging", package: "swift-log", condition: with("LoggingSupport")),
                .product(name: "Metrics", package: "swift-metrics", condition: with("MetricsSupport")),
                .product(
                    name: "Tracing",
                    package: "swift-distributed-tracing",
                    condition: with("TracingSupport")
                ),
                .product(
                    name: "Configuration",
                    package: "swift-configuration",
                    condition: with("ConfigurationSupport")
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
                    condition: with("ConfigurationSupport")
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
                    condition: with("ConfigurationSupport")
                ),
            ]
        ),
        // Compiled and linked only with the trait: without it nothing depends on it.
        .systemLibrary(
            name: "CSignetPostgres",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        .target(
            name: "SignetPostgres",
            dependencies: [
                "Signet", "SignetLock", "SignetModel",
                .target(name: "CSignetPostgres", condition: with("PostgresStore")),
            ]
        ),
        .target(
            name: "SignetWebVisitors",
            dependencies: ["Signet", "SignetLock", "SignetModel", "SignetTransport"]
        ),
        // Empty without the trait.
        .target(
            name: "SignetHummingbird",
            dependencies: [
                "Signet", "SignetLock", "SignetModel", "SignetWebVisitors",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: with("Hummingbird")),
                .product(name: "Hummingbird", package: "hummingbird", condition: with("Hummingbird")),
                .product(name: "Logging", package: "swift-log", condition: with("Hummingbird")),
                .product(name: "NIOCore", package: "swift-nio", condition: with("Hummingbird")),
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
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Tool"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Tool"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Tool"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Tool"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Tool"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Tool"])),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: .when(traits: ["Tool"])),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Tool"])
                ),
            ],
            resources: [
                .embedInCode("Page/page.html"), .embedInCode("Page/page.css"), .embedInCode("Page/canvas.js"),
                .embedInCode("Page/details.js"), .embedInCode("Page/events.js"), .embedInCode("Page/kinds.js"),
                .embedInCode("Page/page.js"), .embedInCode("Page/parts.js"), .embedInCode("Page/people.js"),
                .embedInCode("Page/profile.js"), .embedInCode("Page/rate.js"), .embedInCode("Page/requests.js"),
                .embedInCode("Page/status.js"), .embedInCode("Page/story.js"), .embedInCode("Page/timeline.js"),
                .embedInCode("Page/tools.js"),
            ]
        ),
        .executableTarget(
            name: "SignetTool",
            dependencies: [
                "Signet", "SignetCriteria", "SignetEmulator", "SignetModel", "SignetServer",
                "SignetTrace", "SignetTransport",
                .target(name: "SignetPostgres", condition: with("PostgresStore")),
                .product(
                    name: "ArgumentParser",
                    package: "swift-argument-parser",
                    condition: .when(traits: ["Tool"])
                ),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Tool"])
                ),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Tool"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Tool"])),
            ]
        ),
        .target(name: "SignetTrace", dependencies: ["Signet", "SignetEmulator", "SignetIterable"]),
        .executableTarget(
            name: "quickstart",
            dependencies: [
                "SignetIterable", "Signet", "SignetEmulator", "SignetModel", "SignetTesting", "SignetTrace",
                "SignetTransport",
                .target(name: "SignetServer", condition: with("Tool")),
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
        // A real PostgreSQL and a network that fails, for tests of the shared store; empty without the trait.
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
        // Empty without the trait.
        .testTarget(
            name: "SignetHummingbirdTests",
            dependencies: [
                "SignetTestSupport", "Signet", "SignetEmulator", "SignetHummingbird", "SignetLock", "SignetModel",
                "SignetTesting", "SignetWebVisitors",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: with("Hummingbird")),
                .product(name: "Hummingbird", package: "hummingbird", condition: with("Hummingbird")),
                .product(name: "Logging", package: "swift-log", condition: with("Hummingbird")),
                .product(name: "InMemoryLogging", package: "swift-log", condition: with("Hummingbird")),
            ]
        ),
        // Empty without the trait.
        .testTarget(
            name: "SignetPostgresTests",
            dependencies: [
                "SignetFleetSupport", "SignetTestSupport", "Signet", "SignetEmulator", "SignetLock", "SignetModel",
                "SignetPostgres", "SignetTesting",
            ]
        ),
        // Empty without the traits PostgresStore and URLSessionTransport.
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
                    condition: with("AsyncHTTPClientTransport")
                ),
                .product(name: "NIOCore", package: "swift-nio", condition: with("AsyncHTTPClientTransport")),
                .product(name: "NIOHPACK", package: "swift-nio-http2", condition: with("AsyncHTTPClientTransport")),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: with("AsyncHTTPClientTransport")),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: with("AsyncHTTPClientTransport")),
                .product(name: "NIOPosix", package: "swift-nio", condition: with("AsyncHTTPClientTransport")),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: with("AsyncHTTPClientTransport")),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: with("ServiceLifecycleSupport")
                ),
                .product(
                    name: "ServiceLifecycleTestKit",
                    package: "swift-service-lifecycle",
                    condition: with("ServiceLifecycleSupport")
                ),
                .product(name: "Logging", package: "swift-log", condition: with("LoggingSupport")),
                .product(name: "InMemoryLogging", package: "swift-log", condition: with("LoggingSupport")),
                .product(name: "CoreMetrics", package: "swift-metrics", condition: with("MetricsSupport")),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: with("MetricsSupport")),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: with("TracingSupport")),
                .product(
                    name: "InMemoryTracing",
                    package: "swift-distributed-tracing",
                    condition: with("TracingSupport")
                ),
                .product(
                    name: "Configuration",
                    package: "swift-configuration",
                    condition: with("ConfigurationSupport")
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
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Tool"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Tool"])),
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
                    condition: .when(traits: ["Tool"])
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
