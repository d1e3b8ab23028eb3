// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
/// A place in a text as editors name it: lines and columns begin at 1, and a column is a Unicode scalar.
struct TextPosition: Sendable, Hashable {
    let line: Int
    let column: Int

    /// Converts a byte offset in UTF-8; an offset beyond the text means its end.
    init(of offset: Int, in bytes: [UInt8]) {
        let before = bytes.prefix(offset)
        self.line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // Continuation bytes belong to the scalar before them.
        self.column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
    }
}
#endif
