//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Which of a workspace's two data sets a request belongs to.
public enum WorkspaceEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Test data.
    case development
    /// Real data.
    case production
}
