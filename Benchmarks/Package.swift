// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what measures Signet is never part of it, and what it needs nobody else must fetch.
let package = Package(
    name: "signet-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "event-load", targets: ["event-load"])
    ],
    traits: [
        .trait(name: "HTTP", description: "The scenarios http and soak, with the transports that Signet ships."),
        .trait(name: "Fleet", description: "The scenarios fleet-…, with PostgreSQL. Links libpq."),
    ],
    dependencies: [
        // The name is needed: without it a clone in a folder called otherwise does not resolve.
        .package(
            name: "signet",
            path: "..",
            traits: [
                // Not `Server`: what is measured has no observers and no traces.
                .trait(name: "AsyncHTTPClientTransport", condition: .when(traits: ["HTTP"])),
                .trait(name: "URLSessionTransport", condition: .when(traits: ["HTTP"])),
                .trait(name: "PostgresStore", condition: .when(traits: ["Fleet"])),
            ]
        ),
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
    ],
    targets: [
        .target(name: "CFloors"),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .executableTarget(
            name: "event-load",
            dependencies: [
                "CFloors",
                .target(name: "CPostgres", condition: .when(traits: ["Fleet"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetEmulator", package: "signet"),
                .product(name: "SignetPostgres", package: "signet", condition: .when(traits: ["Fleet"])),
                .product(name: "SignetTesting", package: "signet"),
            ],
            path: "Sources/EventLoad"
        ),
        .testTarget(name: "EventLoadTests", dependencies: ["event-load"], path: "Tests/EventLoadTests"),
    ],
    swiftLanguageModes: [.v6]
)

// Set by .ci/run.
if Context.environment["SIGNET_STRICT"] != nil {
    for target in package.targets where !target.name.hasPrefix("C") {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    }
}
