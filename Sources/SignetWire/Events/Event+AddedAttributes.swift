// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension Event {
    /// Event properties that are sent as attributes, unless the app has set an attribute of that name.
    var addedAttributes: [(key: String, value: AttributeValue)] {
        var added: [(key: String, value: AttributeValue)] = []
        if let category = self.category, self.attributes["$Category"] == nil {
            added.append(("$Category", .string(category)))
        }
        if let timing = self.timing, self.attributes["EventLength"] == nil {
            added.append(("EventLength", .integer(timing.duration)))
        }
        return added
    }
}
