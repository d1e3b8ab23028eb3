// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@Suite struct WordsTests {
    @Test(arguments: [(0, "0 batches are"), (1, "1 batch is"), (2, "2 batches are"), (-1, "-1 batches are")])
    func oneAloneIsSingular(count: Int, words: String) {
        #expect(count.of("batch is", "batches are") == words)
    }
}
