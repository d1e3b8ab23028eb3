// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

/// All limits that a call violates: the `SignetError.cause` of its `invalidArgument`.
public struct InfobipViolations: Error, Sendable, Hashable {
    /// The violations, in the order of the fields.
    public let all: [InfobipViolation]
}

extension SignetError {
    /// Makes the error of violations; nil if there are none.
    init?(_ violations: [InfobipViolation]) {
        guard !violations.isEmpty else { return nil }
        let text = violations.map(\.description).joined(separator: "; ")
        self.init(.invalidArgument, "Nothing was done: \(text).", cause: InfobipViolations(all: violations))
    }
}
