// swift-tools-version: 6.2
import PackageDescription

// The parsers for bytes from outside, under libFuzzer. Build with `--sanitize=fuzzer`; see `run`.
// `package` access ends at the package, so this one compiles the modules itself, through symbolic links, instead of
// depending on the package above.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// libFuzzer brings `main`.
let fuzzSettings = settings + [.unsafeFlags(["-parse-as-library"])]

let package = Package(
    name: "signet-fuzz",
    platforms: [.macOS(.v15)],
    targets: [
        .target(name: "SignetTransport", swiftSettings: settings),
        .target(name: "SignetModel", swiftSettings: settings),
        .target(name: "SignetCriteria", dependencies: ["SignetModel", "SignetTransport"], swiftSettings: settings),
        .executableTarget(name: "JSONReaderFuzz", dependencies: ["SignetTransport"], swiftSettings: fuzzSettings),
        .executableTarget(name: "TextFuzz", dependencies: ["SignetTransport"], swiftSettings: fuzzSettings),
        .executableTarget(
            name: "CriteriaFuzz",
            dependencies: ["SignetCriteria", "SignetTransport"],
            swiftSettings: fuzzSettings
        ),
        .executableTarget(name: "PatternFuzz", dependencies: ["SignetCriteria"], swiftSettings: fuzzSettings),
    ],
    swiftLanguageModes: [.v6]
)
