// SPDX-License-Identifier: Apache-2.0

/// The bytes of a text; tests read better with it.
func bytes(_ text: String) -> [UInt8] {
    Array(text.utf8)
}
