// swift-tools-version: 6.2
import PackageDescription

// The parsers for bytes from outside, under libFuzzer. Build with `--sanitize=fuzzer`; see `run`.
// `package` access ends at the package, so this one compiles the module itself, through a symbolic link, instead of
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
        .executableTarget(name: "JSONReaderFuzz", dependencies: ["SignetTransport"], swiftSettings: fuzzSettings),
        .executableTarget(name: "TextFuzz", dependencies: ["SignetTransport"], swiftSettings: fuzzSettings),
    ],
    swiftLanguageModes: [.v6]
)
