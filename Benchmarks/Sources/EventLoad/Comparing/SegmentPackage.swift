// SPDX-License-Identifier: Apache-2.0

/// A small package that logs the sample event through a checkout of Segment's analytics-swift, and prints its figures.
///
/// It is generated, as the checkout is nobody's dependency. Nothing is sent: the host of the events is a closed port.
struct SegmentPackage {
    static let product = "segment-load"

    /// The absolute path of the checkout.
    let checkout: String

    /// `Package.swift`.
    var manifest: String {
        """
        // swift-tools-version: 5.9
        import PackageDescription

        let package = Package(
            name: "\(Self.product)",
            dependencies: [.package(name: "Segment", path: \(Self.literal(self.checkout)))],
            targets: [
                .executableTarget(
                    name: "\(Self.product)",
                    dependencies: [.product(name: "Segment", package: "Segment")],
                    path: "Sources"
                )
            ]
        )

        """
    }

    /// `Sources/main.swift`: takes a folder and a number of events, and prints ``SegmentFigures``.
    var program: String {
        """
        import Foundation
        import Segment

        let folder = URL(fileURLWithPath: CommandLine.arguments[1])
        let count = Int(CommandLine.arguments[2]) ?? 0
        // Synchronous: a call returns when its event is in the file.
        let analytics = Analytics(
            configuration: Configuration(writeKey: "event-load")
                .apiHost("127.0.0.1:1/v1")
                .cdnHost("127.0.0.1:1/v1")
                .flushPolicies([])
                .operatingMode(.synchronous)
                .storageMode(.diskAtURL(folder))
        )
        analytics.waitUntilStarted()

        func log(_ number: Int) {
            let properties: [String: Any] = [
                "level": 10 + number % 90, "mode": "\(SampleEvent.mode)", "n": number, "ok": true, "p": 0,
                "score": 1000 + number % 9000,
            ]
            analytics.track(name: "\(SampleEvent.name)", properties: properties)
        }

        func processor() -> Double {
            var usage = rusage()
            getrusage(RUSAGE_SELF.rawValue, &usage)
            func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
            return seconds(usage.ru_utime) + seconds(usage.ru_stime)
        }

        for number in 0..<1000 { log(number) }
        let worked = processor()
        let began = DispatchTime.now().uptimeNanoseconds
        for number in 0..<count { log(number) }
        // Waits for events that a version appends behind the call's back.
        _ = analytics.hasUnsentEvents
        let wall = Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9
        let work = processor() - worked
        var calls: [UInt64] = []
        for number in 0..<max(1000, count / 4) {
            let began = DispatchTime.now().uptimeNanoseconds
            log(number)
            calls.append(DispatchTime.now().uptimeNanoseconds - began)
        }
        _ = analytics.hasUnsentEvents
        calls.sort()
        func quantile(_ share: Double) -> UInt64 { calls[Int(Double(calls.count - 1) * share)] }
        print("\(SegmentFigures.mark)", wall, work, quantile(0.5), quantile(0.99), quantile(0.999))

        """
    }

    /// The events that the program logs in all.
    static func total(of events: Int) -> Int {
        1000 + events + max(1000, events / 4)
    }

    // A text as Swift's source has it.
    private static func literal(_ text: String) -> String {
        var literal = "\""
        for character in text {
            if character == "\"" || character == "\\" { literal.append("\\") }
            literal.append(character)
        }
        return literal + "\""
    }
}
