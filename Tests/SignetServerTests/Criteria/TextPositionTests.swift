// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import Testing

@testable import SignetServer

/// A place of a fault is that which an editor shows.
@Suite struct TextPositionTests {
    @Test(
        arguments: [
            ("", 0, 1, 1), ("abc", 2, 1, 3), ("a\nbc", 2, 2, 1), ("a\nbc", 3, 2, 2), ("a\n", 2, 2, 1),
            ("a\r\nb", 3, 2, 1),
            ("\u{E9}\u{1F600}x", 6, 1, 3), ("ab", 99, 1, 3),
        ]
    )
    func anOffsetIsALineAndAColumn(text: String, offset: Int, line: Int, column: Int) {
        let position = TextPosition(of: offset, in: Array(text.utf8))
        #expect(position.line == line && position.column == column)
    }
}
#endif
