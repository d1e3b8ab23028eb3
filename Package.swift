// swift-tools-version: 6.2
import PackageDescription

// Floors, lowest last. The compiler keeps the order (`--explicit-target-dependency-import-check error`):
//   3  SignetTesting                               ways in
//   2  Signet | SignetEmulator                     the runtime | the platform it talks to
//   1  SignetJournal | SignetCriteria | SignetWire  mechanisms: none knows another
//   0  SignetModel | SignetTransport | SignetLock  values | a request goes out, an answer comes back | one lock for facts
//      CSignetJournal                              what the journal asks for and Swift has no words for
let package = Package(
    name: "signet",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Signet", targets: ["Signet"]),
        .library(name: "SignetEmulator", targets: ["SignetEmulator"]),
        .library(name: "SignetTesting", targets: ["SignetTesting"]),
        .executable(name: "quickstart", targets: ["quickstart"]),
        .executable(name: "criteria-check", targets: ["criteria-check"]),
        .executable(name: "two-devices", targets: ["two-devices"]),
    ],
    traits: [
        .trait(name: "URLSessionTransport", description: "Send requests with URLSession. Links Foundation."),
        .default(enabledTraits: ["URLSessionTransport"]),
    ],
    targets: [
        .target(name: "SignetModel"),
        .target(name: "SignetTransport"),
        .target(name: "SignetLock"),
        .target(name: "CSignetJournal"),
        .target(name: "SignetJournal", dependencies: ["CSignetJournal", "SignetLock"], exclude: ["FORMAT.md"]),
        .target(name: "SignetWire", dependencies: ["SignetModel", "SignetTransport"]),
        .target(name: "SignetCriteria", dependencies: ["SignetModel", "SignetTransport"]),
        .target(
            name: "Signet",
            dependencies: [
                "SignetCriteria", "SignetJournal", "SignetLock", "SignetModel", "SignetTransport", "SignetWire",
            ]
        ),
        .target(name: "SignetEmulator", dependencies: ["SignetLock", "SignetModel", "SignetTransport"]),
        .target(
            name: "SignetTesting",
            dependencies: ["Signet", "SignetEmulator", "SignetLock", "SignetModel", "SignetTransport"]
        ),
        .executableTarget(
            name: "quickstart",
            dependencies: ["Signet", "SignetEmulator", "SignetModel", "SignetTesting", "SignetTransport"],
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
            dependencies: ["Signet", "SignetEmulator", "SignetModel"],
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
        .testTarget(name: "SignetModelTests", dependencies: ["SignetModel"]),
        .testTarget(name: "SignetTransportTests", dependencies: ["SignetTransport"]),
        .testTarget(name: "SignetLockTests", dependencies: ["SignetLock"]),
        .testTarget(name: "SignetJournalTests", dependencies: ["SignetJournal", "SignetLock"]),
        .testTarget(
            name: "SignetWireTests",
            dependencies: ["SignetModel", "SignetTransport", "SignetWire"],
            exclude: ["Golden", "Schemas"]
        ),
        .testTarget(
            name: "SignetCriteriaTests",
            dependencies: ["SignetCriteria", "SignetModel", "SignetTransport"],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "CriteriaCheckTests",
            dependencies: ["criteria-check", "SignetCriteria", "SignetTransport"]
        ),
        .testTarget(
            name: "SignetEmulatorTests",
            dependencies: ["SignetEmulator", "SignetLock", "SignetModel", "SignetTransport"]
        ),
        .testTarget(
            name: "SignetTests",
            dependencies: [
                "Signet", "SignetEmulator", "SignetJournal", "SignetLock", "SignetModel", "SignetTesting",
                "SignetTransport",
                "SignetWire",
            ]
        ),
        .testTarget(
            name: "SignetSimulationTests",
            dependencies: [
                "Signet", "SignetEmulator", "SignetJournal", "SignetLock", "SignetModel", "SignetTesting",
                "SignetTransport",
            ]
        ),
        .testTarget(
            name: "SignetTestingTests",
            dependencies: [
                "Signet", "SignetEmulator", "SignetLock", "SignetModel", "SignetTesting", "SignetTransport",
            ]
        ),
        .testTarget(
            name: "QuickstartTests",
            dependencies: ["quickstart", "Signet", "SignetEmulator", "SignetTesting"]
        ),
        .testTarget(name: "TwoDevicesTests", dependencies: ["two-devices"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    var settings = target.swiftSettings ?? []
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    settings.append(.enableUpcomingFeature("ExistentialAny"))
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    settings.append(.enableUpcomingFeature("InternalImportsByDefault"))
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    settings.append(.enableUpcomingFeature("MemberImportVisibility"))
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
    target.swiftSettings = settings
}
