// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

@Suite struct LaunchRecordTests {
    private static func application(_ version: String?, _ build: String? = "1") -> ApplicationInformation {
        ApplicationInformation(name: "Shop", version: version, build: build)
    }

    private static func launches(
        _ versions: [String],
        _ type: SignetConfiguration.Sessions.InstallType = .autodetect
    ) -> (record: LaunchRecord?, launches: [LaunchRecord.Launch]) {
        var record: LaunchRecord?
        var launches: [LaunchRecord.Launch] = []
        for (index, version) in versions.enumerated() {
            let now = Int64(index + 1) * 1000
            let launched = LaunchRecord.launch(after: record, type, Self.application(version), now: now)
            record = launched.record
            launches.append(launched.launch)
        }
        return (record, launches)
    }

    /// What a first launch is / one of the same version / one of another version.
    @Test(
        arguments: [
            (.autodetect, [.install, .same, .upgrade]), (.knownInstall, [.install, .install, .install]),
            (.knownUpgrade, [.upgrade, .upgrade, .upgrade]), (.knownSameVersion, [.same, .same, .same]),
        ] as [(SignetConfiguration.Sessions.InstallType, [ApplicationStateTransition.LaunchKind])]
    )
    func theTypeDecidesWhatALaunchIs(
        type: SignetConfiguration.Sessions.InstallType,
        kinds: [ApplicationStateTransition.LaunchKind]
    ) {
        let launches = Self.launches(["1", "1", "2"], type).launches
        #expect(launches.map(\.kind) == kinds)
        #expect(launches.map { $0.previous == nil } == [true, false, false])
    }

    @Test func anOlderVersionIsAnotherOneToo() {
        #expect(Self.launches(["2", "1"]).launches.map(\.kind) == [.install, .upgrade])
    }

    @Test func launchesAreCountedAndDated() throws {
        let record = try #require(Self.launches(["1", "1", "2", "2"]).record)
        #expect(record.launches == 4)
        #expect(record.launchesSinceUpgrade == 2)
        #expect(record.firstLaunch == 1000)
        #expect(record.upgrade == 3000)
        #expect(record.lastLaunch == 4000)
        #expect(record.version == "2")
        let first = try #require(Self.launches(["1"]).record)
        #expect((first.launches, first.launchesSinceUpgrade) == (1, 1))
        #expect(first.upgrade == nil)
    }

    @Test func howTheProcessBeforeEndedIsToldOnce() {
        var (record, launch) = LaunchRecord.launch(after: nil, .autodetect, nil, now: 1)
        #expect(launch.wasClosedInOrder)
        (record, launch) = LaunchRecord.launch(after: record, .autodetect, nil, now: 2)
        #expect(!launch.wasClosedInOrder)
        record.isClosedInOrder = true
        (record, launch) = LaunchRecord.launch(after: record, .autodetect, nil, now: 3)
        #expect(launch.wasClosedInOrder)
        #expect(!record.isClosedInOrder)
    }

    @Test(arguments: [nil, "", "1.0"] as [String?], [nil, "", "42"] as [String?])
    func whatIsWrittenIsRead(version: String?, build: String?) {
        var record = LaunchRecord.launch(after: nil, .knownUpgrade, Self.application(version, build), now: -5).record
        #expect(LaunchRecord(record.encoded()) == record)
        record.isClosedInOrder = true
        record.upgrade = nil
        #expect(LaunchRecord(record.encoded()) == record)
        let bytes = record.encoded()
        for count in 0..<bytes.count { #expect(LaunchRecord(Array(bytes.prefix(count))) == nil, "\(count)") }
    }
}
