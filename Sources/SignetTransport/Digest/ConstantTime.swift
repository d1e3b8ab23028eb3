// SPDX-License-Identifier: Apache-2.0

/// Comparison of secrets that an attacker may guess at.
package enum ConstantTime {
    /// Compares bytes in a time that depends only on the lengths.
    ///
    /// - Returns: True if both are the same; the lengths may leak.
    package static func isEqual(_ lhs: [UInt8], _ rhs: [UInt8]) -> Bool {
        guard lhs.count == rhs.count else { return false }
        var difference: UInt8 = 0
        for index in lhs.indices {
            difference |= lhs[index] ^ rhs[index]
        }
        return difference == 0
    }
}
