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
        let kind: ApplicationStateTransition.LaunchKind =
            switch (type, record) {
            case (.knownInstall, _), (.autodetect, nil): .install
            case (.knownUpgrade, _): .upgrade
            case (.knownSameVersion, _): .same
            case (.autodetect, let record?):
                record.version == application?.version && record.build == application?.build ? .same : .upgrade
            }
        var next = record ?? LaunchRecord(firstLaunch: now, lastLaunch: now)
        next.version = application?.version
        next.build = application?.build
        next.launches += 1
        next.launchesSinceUpgrade = kind == .upgrade ? 1 : next.launchesSinceUpgrade + 1
        if kind == .upgrade { next.upgrade = now }
        next.lastLaunch = now
        next.isClosedInOrder = false
        return (next, Launch(kind: kind, previous: record))
    }

    /// The facts of a launch that the platform gets.
    struct Launch: Sendable, Hashable {
        /// The app's version, compared with that of the previous launch.
        let kind: ApplicationStateTransition.LaunchKind
        /// The record of the previous launch; nil at the first one.
        let previous: LaunchRecord?

        /// True if the previous process ended in order, and at the first launch.
        var wasClosedInOrder: Bool { self.previous?.isClosedInOrder ?? true }
    }

    init(firstLaunch: Int64, lastLaunch: Int64) {
        self.firstLaunch = firstLaunch
        self.lastLaunch = lastLaunch
    }
}

extension LaunchRecord: StoredRecord {
    static var subject: String { "the launches of an app" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("version", self.version)
        encoder.write("build", self.build)
        encoder.write("launches", self.launches)
        encoder.write("sinceUpgrade", self.launchesSinceUpgrade)
        encoder.write("first", self.firstLaunch)
        encoder.write("upgrade", self.upgrade)
        encoder.write("last", self.lastLaunch)
        encoder.write("closed", flag: self.isClosedInOrder)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.version = try decoder.optional("version")
        self.build = try decoder.optional("build")
        self.launches = try decoder.read("launches")
        self.launchesSinceUpgrade = try decoder.read("sinceUpgrade")
        self.firstLaunch = try decoder.read("first")
        self.upgrade = try decoder.optional("upgrade")
        self.lastLaunch = try decoder.read("last")
        self.isClosedInOrder = try decoder.flag("closed")
    }
}
