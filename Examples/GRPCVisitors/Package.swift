// swift-tools-version: 6.2
import PackageDescription

// Visitors of a gRPC server: the article "Visitors of a web server" in the documentation of Signet.
let package = Package(
    name: "grpc-visitors",
    platforms: [.macOS(.v15)],
    products: [.library(name: "GRPCVisitors", targets: ["GRPCVisitors"])],
    dependencies: [
        .package(name: "signet", path: "../.."),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    ],
    targets: [
        .target(
            name: "GRPCVisitors",
            dependencies: [
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetWebVisitors", package: "signet"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)

// Set by .ci/long.
if Context.environment["SIGNET_STRICT"] != nil {
    for target in package.targets {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    }
}
