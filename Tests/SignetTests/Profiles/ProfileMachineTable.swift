//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What becomes of a profile: stage, what happens, what comes of it, and what is remembered and next.
enum ProfileMachineTable {
    static let rows = """
        """
}
