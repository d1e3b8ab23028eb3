//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import struct FoundationEssentials.UUID

extension UUID {
    /// The sixteen bytes.
    var bytes: [UInt8] {
        withUnsafeBytes(of: self.uuid) { Array($0) }
    }

    /// Makes one of sixteen bytes.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var uuid = UUID().uuid
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}
