// SPDX-License-Identifier: Apache-2.0

import SignetJournal

extension Journal {
    /// The number of frames that are read together.
    private static let portion = 4096

    /// Adds the numbers of the installation contexts that unsettled events use.
    func noteContexts(_ used: inout Set<UInt32>) throws(SignetError) {
        var after: UInt64 = 0
        do throws(StorageError) {
            while let last = try self.visit(
                after: after,
                limit: Self.portion,
                { _, stamp, _ in
                    if let tag = EventMetadata(stamp), tag.own != 0 { used.insert(tag.own) }
                }
            ) {
                after = last
            }
        } catch {
            throw SignetError(error)
        }
    }
}
