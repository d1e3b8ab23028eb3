// SPDX-License-Identifier: Apache-2.0

public import SignetModel

extension PushToken: ExpressibleByStringLiteral {
    /// A token of APNs.
    public init(stringLiteral value: String) {
        self.init(Secret(value), service: .apns)
    }
}
