//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet

/// How often a runtime has flushed the disk, as far as this version of Signet says it.
enum CountedFlushes {
    /// The count since its start; nil when it does not say.
    static func of(_ runtime: SignetRuntime) -> Int? {
        nil
    }

    /// The count as a figure.
    static func measures(_ runtime: SignetRuntime) -> [Measure] {
        Self.of(runtime).map { [Measure("flushes of the disk", "", Double($0))] } ?? []
    }
}
