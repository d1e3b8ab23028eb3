// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what measures Signet is never part of it.
let package = Package(
    name: "signet-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The name is needed: without it a clone in a folder called otherwise does not resolve.
        .package(name: "signet", path: "..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "signet-benchmarks",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetEmulator", package: "signet"),
            ],
            path: "Sources/SignetBenchmarks"
        )
    ],
    swiftLanguageModes: [.v6]
)
