// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The persisted launch counts and times of an installation's app.
struct LaunchRecord: Sendable, Hashable {
    /// The version and build of the last launch.
    var version: String?
    var build: String?
    /// The number of launches in total and in this version.
    var launches = 0
    var launchesSinceUpgrade = 0
    /// The times of the first launch, the last upgrade and the last launch, in milliseconds since 1970.
    var firstLaunch: Int64
    var upgrade: Int64?
    var lastLaunch: Int64
    /// True if the launch ended in order, or the app is in the background, where a system may end it.
    var isClosedInOrder = false

    private static let version: UInt8 = 1

    /// Records a launch of the app.
    ///
    /// - Parameters:
    ///   - record: The record of the last launch; nil if there was none.
    ///   - type: The kind of launch, as far as the app knows it.
    ///   - application: The version and build of the app now.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The new record, and the launch to report.
    static func launch(
        after record: LaunchRecord?,
        _ type: SignetConfiguration.Sessions.InstallType,
        _ application: ApplicationInformation?,
        now: Int64
    ) -> (record: LaunchRecord, launch: Launch) {
        let isOther =
            record.map { $0.version != application?.version || $0.build != application?.build } ?? false
        let isUpgrade =
            switch type {
            case .autodetect: isOther
            case .knownUpgrade: true
            case .knownInstall, .knownSameVersion: false
            }
        let isInstall = type == .knownInstall || type == .autodetect && record == nil
        var next = record ?? LaunchRecord(firstLaunch: now, lastLaunch: now)
        next.version = application?.version
        next.build = application?.build
        next.launches += 1
        next.launchesSinceUpgrade = isUpgrade ? 1 : next.launchesSinceUpgrade + 1
        if isUpgrade { next.upgrade = now }
        next.lastLaunch = now
        next.isClosedInOrder = false
        let launch = Launch(
            isFirst: record == nil,
            isInstall: isInstall,
            isUpgrade: isUpgrade,
            wasClosedInOrder: record?.isClosedInOrder ?? true
        )
        return (next, launch)
    }

    /// The facts of a launch that the platform gets.
    struct Launch: Sendable, Hashable {
        /// True if there is no record of an earlier launch.
        var isFirst: Bool
        var isInstall: Bool
        var isUpgrade: Bool
        /// True if the previous process ended in order, and at the first launch.
        var wasClosedInOrder: Bool
    }

    // MARK: - Bytes

    init(firstLaunch: Int64, lastLaunch: Int64) {
        self.firstLaunch = firstLaunch
        self.lastLaunch = lastLaunch
    }

    /// The bytes on disk.
    func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 64)
        writer.write(Self.version)
        writer.write(UInt8(self.isClosedInOrder ? 1 : 0) | (self.version == nil ? 0 : 2) | (self.build == nil ? 0 : 4))
        writer.write(UInt64(clamping: self.launches))
        writer.write(UInt64(clamping: self.launchesSinceUpgrade))
        writer.write(self.firstLaunch)
        writer.write(self.upgrade ?? .min)
        writer.write(self.lastLaunch)
        writer.write(self.version ?? "")
        writer.write(self.build ?? "")
        return writer.bytes
    }

    /// Reads the bytes on disk; nil if they are not a launch record.
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.version, let flags = reader.read(UInt8.self), flags < 8,
            let launches = reader.read(UInt64.self), let sinceUpgrade = reader.read(UInt64.self),
            let first = reader.read(Int64.self), let upgrade = reader.read(Int64.self),
            let last = reader.read(Int64.self), let version = reader.readText(), let build = reader.readText()
        else { return nil }
        self.init(firstLaunch: first, lastLaunch: last)
        self.isClosedInOrder = flags & 1 != 0
        self.version = flags & 2 != 0 ? version : nil
        self.build = flags & 4 != 0 ? build : nil
        self.launches = Int(clamping: launches)
        self.launchesSinceUpgrade = Int(clamping: sinceUpgrade)
        self.upgrade = upgrade == .min ? nil : upgrade
    }
}
