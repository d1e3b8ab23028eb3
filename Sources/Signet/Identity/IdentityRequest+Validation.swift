// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension IdentityRequest {
    /// Makes the checks that do not need the platform.
    func validate() throws(SignetError) {
        for type in self.identities.keys.sorted() {
            guard Self.isWireName(type.wireName) else {
                throw SignetError(
                    .invalidArgument,
                    "The wire name of an identity type is empty, too long, or not made of lower-case letters, digits "
                        + "and underscores. The platform would refuse the whole request."
                )
            }
            guard type != .deviceApplicationStamp else {
                throw SignetError(
                    .invalidArgument,
                    "device_application_stamp belongs to the installation. Pass it to open instead."
                )
            }
            if let value = self[type] { try Self.validate(value, of: type) }
        }
    }

    /// Checks one value.
    static func validate(_ value: String, of type: IdentityType) throws(SignetError) {
        guard !value.isEmpty else {
            throw SignetError(.invalidArgument, "The value of \(type) is empty. Set it to nil to remove the identity.")
        }
        guard value.utf16.count <= Self.maximumValueLength else {
            throw SignetError(
                .invalidArgument,
                "The value of \(type) has \(value.utf16.count) characters; the limit is \(Self.maximumValueLength)."
            )
        }
        guard !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw SignetError(.invalidArgument, "The value of \(type) contains a control character.")
        }
    }

    private static func isWireName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
