// SPDX-License-Identifier: Apache-2.0

extension BinaryInteger {
    /// The number with the words that follow it: `count.of("batch is", "batches are")` is "1 batch is" or "2 batches are".
    ///
    /// - Parameters:
    ///   - one: The words for 1.
    ///   - many: The words for any other number.
    /// - Returns: The number, a blank, and the words.
    package func of(_ one: String, _ many: String) -> String {
        "\(self) \(self == 1 ? one : many)"
    }
}
