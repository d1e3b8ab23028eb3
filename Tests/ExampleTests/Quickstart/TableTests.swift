// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import quickstart

@Suite struct TableTests {
    @Test func columnsLineUp() {
        var table = Table("Title")
        table.add("a", "1", "22")
        table.add("longer", "333")
        #expect(table.description == "Title\n  a         1  22\n  longer  333")
    }

    @Test func withoutRowsThereIsTheTitle() {
        #expect(Table("Title").description == "Title")
    }
}
