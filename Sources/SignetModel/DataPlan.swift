//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The plan that says which events and attributes a workspace expects (Events API v2, `context.data_plan`).
public struct DataPlan: Sendable, Hashable {
    /// Its id, 1 to 256 characters.
    public var id: String
    /// Its version; nil for the newest.
    public var version: Int?

    /// Names a plan.
    public init(id: String, version: Int? = nil) {
        self.id = id
        self.version = version
    }
}
