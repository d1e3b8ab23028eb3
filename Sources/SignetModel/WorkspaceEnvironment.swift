// SPDX-License-Identifier: Apache-2.0

/// The two data sets of a workspace.
public enum WorkspaceEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Test data.
    case development
    /// Real data.
    case production
}

/// The plan of the events and attributes that a workspace expects (Events API v2, `context.data_plan`).
public struct DataPlan: Sendable, Hashable {
    /// The versions that a plan can have (`plan_version` of the vendor's configuration request).
    package static let versions = 1...1000
    /// The maximum length of an id, in characters.
    package static let idLength = 256

    /// The id, 1 to 256 characters.
    public var id: String
    /// The version, 1 to 1000; nil for the newest.
    public var version: Int?

    /// Names a plan; a runtime refuses to start with an invalid id or version.
    public init(id: String, version: Int? = nil) {
        self.id = id
        self.version = version
    }
}
