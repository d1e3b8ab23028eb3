// swift-tools-version: 6.2
import PackageDescription

// A shop server as a user of Signet would write it; see the article Storefront of Signet.docc.
let package = Package(
    name: "storefront",
    platforms: [.macOS(.v15)],
    // One or the other, so that Signet gets one trait: with several, Swift 6.3 compiles it again whenever the build is
    // planned anew.
    traits: [
        .trait(name: "Single", description: "One process has the visitors for itself."),
        .trait(name: "Fleet", description: "Several replicas share the visitors in PostgreSQL. Needs libpq."),
        .default(enabledTraits: ["Single"]),
    ],
    dependencies: [
        .package(
            name: "signet",
            path: "../..",
            traits: [
                .trait(name: "HummingbirdServer", condition: .when(traits: ["Single"])),
                .trait(name: "HummingbirdFleetServer", condition: .when(traits: ["Fleet"])),
            ]
        ),
        // Without its two default traits, for the same reason.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    ],
    targets: [
        .target(
            name: "Shop",
            dependencies: [
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetHummingbird", package: "signet"),
                .product(name: "SignetWebVisitors", package: "signet"),
                .product(name: "SignetPostgres", package: "signet", condition: .when(traits: ["Fleet"])),
            ]
        ),
        .executableTarget(
            name: "storefront",
            dependencies: [
                "Shop", .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetWebVisitors", package: "signet"),
            ],
            path: "Sources/Storefront"
        ),
        // The server of the README, which holds it line by line.
        .executableTarget(
            name: "first-server",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetHummingbird", package: "signet"),
                .product(name: "SignetWebVisitors", package: "signet"),
            ],
            path: "Sources/FirstServer"
        ),
        .testTarget(
            name: "ShopTests",
            dependencies: [
                "Shop", .product(name: "Logging", package: "swift-log"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Signet", package: "signet"), .product(name: "SignetEmulator", package: "signet"),
                .product(name: "SignetServer", package: "signet"),
                .product(name: "SignetWebVisitors", package: "signet"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Set by .ci/run.
if Context.environment["SIGNET_STRICT"] != nil {
    for target in package.targets {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    }
}
