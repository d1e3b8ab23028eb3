//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct FoundationEssentials.Date

/// How often the app of an installation was launched, and when, by the wall clock of the machine.
public struct LaunchCounts: Sendable, Hashable {
    /// All launches, with the one that goes on.
    public let total: Int
    /// Those in this version and build, with the one that goes on.
    public let sinceUpgrade: Int
    /// When it was launched first.
    public let first: Date
    /// When it was upgraded last; nil when it never was.
    public let upgrade: Date?
    /// When the launch began that goes on.
    public let last: Date

    init(_ record: LaunchRecord) {
        self.total = record.launches
        self.sinceUpgrade = record.launchesSinceUpgrade
        self.first = Date(milliseconds: record.firstLaunch)
        self.upgrade = record.upgrade.map { Date(milliseconds: $0) }
        self.last = Date(milliseconds: record.lastLaunch)
    }
}
