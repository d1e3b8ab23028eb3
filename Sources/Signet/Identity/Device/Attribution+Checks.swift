// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension Attribution {
    /// Checks the lengths of its texts.
    func validate() throws(SignetError) {
        for (name, text) in [
            ("service provider", self.serviceProvider), ("publisher", self.publisher), ("campaign", self.campaign),
        ] where text.isEmpty || text.utf16.count > 256 {
            throw SignetError(
                .invalidArgument,
                "The \(name) of an attribution has \(text.utf16.count) characters; 1 to 256 are allowed."
            )
        }
    }
}
