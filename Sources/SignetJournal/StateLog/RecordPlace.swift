// SPDX-License-Identifier: Apache-2.0

/// The place of a record on disk, which no other record has: numbers of files are never reused.
package struct RecordPlace: Sendable, Hashable {
    private let file: UInt64
    private let offset: UInt64

    package init(file: UInt64, offset: UInt64) {
        self.file = file
        self.offset = offset
    }
}
