// SPDX-License-Identifier: Apache-2.0

/// The two data sets of a workspace.
public enum WorkspaceEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Test data.
    case development
    /// Real data.
    case production
}
