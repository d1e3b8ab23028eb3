//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet

/// The way to make events survive a loss of power, as far as this version of Signet has one.
enum Durability {
    /// Whether it has one.
    static let isThere = false

    /// Waits until what was logged before survives a loss of power.
    static func sync(_ runtime: SignetRuntime) async throws {
        throw LoadError("this version of Signet has no flush(.synced)")
    }
}
