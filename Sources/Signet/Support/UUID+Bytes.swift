// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

extension UUID {
    /// The sixteen bytes.
    var bytes: [UInt8] {
        withUnsafeBytes(of: self.uuid) { Array($0) }
    }

    /// Makes a UUID of sixteen bytes.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        let b = Array(bytes)
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
                b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            )
        )
    }
}
