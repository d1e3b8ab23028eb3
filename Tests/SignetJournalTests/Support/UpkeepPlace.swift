// SPDX-License-Identifier: Apache-2.0

import SignetJournal

/// Where the upkeep of a journal is done in a test.
enum UpkeepPlace: Sendable, CaseIterable {
    /// On the thread of the call that leaves it.
    case call
    /// Where the owner says, as it ships: the test runs it at steps of its own.
    case aside

    /// The list that takes the work; nil where calls do it.
    func makeWorks() -> WorkList? {
        self == .aside ? WorkList() : nil
    }
}

extension Journal.Options {
    /// Lets a list take the upkeep.
    mutating func handOver(to works: WorkList?) {
        guard let works else { return }
        self.aside = { work in works.add(work) }
    }
}
