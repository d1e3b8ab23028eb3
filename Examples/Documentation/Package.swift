// swift-tools-version: 6.2
import PackageDescription

// The documentation as one archive: `Examples/Documentation/make`. A package of its own, so that Signet fetches no plugin. All
// public types are there; those of the store need the headers of libpq.
let package = Package(
    name: "signet-documentation",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "signet", path: "../..", traits: [.defaults, "HummingbirdFleetServer"]),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"),
    ],
    targets: [
        // The plugin sees the targets of products that a target of this package depends on.
        .target(
            name: "Documentation",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetIterable", package: "signet"),
                .product(name: "SignetInfobip", package: "signet"),
                .product(name: "SignetEmulator", package: "signet"),
                .product(name: "SignetTesting", package: "signet"),
                .product(name: "SignetServer", package: "signet"),
                .product(name: "SignetWebVisitors", package: "signet"),
                .product(name: "SignetHummingbird", package: "signet"),
                .product(name: "SignetPostgres", package: "signet"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
