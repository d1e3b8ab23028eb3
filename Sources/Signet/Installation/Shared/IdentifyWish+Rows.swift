// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension IdentifyWish {
    /// Notes what an open wants.
    ///
    /// - Parameters:
    ///   - pending: The identify; nil if the app decides.
    ///   - now: The moment by the database's clock, in milliseconds since 1970.
    mutating func want(_ pending: PendingIdentify?, at now: Int64) {
        self.want(pending?.stored(at: now))
    }

    /// Notes the users of a row.
    mutating func read(_ directory: UserDirectory, _ part: SharedPart) {
        let hasUser = directory.firstUser != nil || directory.current != nil
        // Without one, the last change has let the last user go.
        self.rowHadUser(at: hasUser ? .max : part.changes.last?.milliseconds)
    }
}
