//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What the profiles of all installations share.
final class ProfileServices: Sendable {
    let configuration: ProfileConfiguration
    let managers = ProfileManagers()

    init(_ configuration: ProfileConfiguration) {
        self.configuration = configuration
    }
}
