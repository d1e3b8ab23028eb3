//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The plan that says which events and attributes a workspace expects (Events API v2, `context.data_plan`).
public struct DataPlan: Sendable, Hashable {
    /// The versions that a plan can have (`plan_version` of the vendor's configuration request).
    package static let versions = 1...1000
    /// The most characters of an id.
    package static let idLength = 256

    /// Its id, 1 to 256 characters.
    public var id: String
    /// Its version, 1 to 1000; nil for the newest.
    public var version: Int?

    /// Names a plan; a runtime refuses to start with an id or a version that cannot be.
    public init(id: String, version: Int? = nil) {
        self.id = id
        self.version = version
    }
}
