//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel
import SignetTransport

/// What the attributes of one user may be together (Default Service Limits).
///
/// Every batch of a user carries all of them beside at least one event: what does not fit beside the longest event would
/// make the platform refuse every batch.
package enum UserLimits {
    /// The most attributes of one user.
    package static let attributeCount = 100
    /// The most bytes of JSON that the attributes of one user may have together: a batch may have 128 KB, an event 100 KB.
    package static let attributeBytes = 20 * 1024

    /// Looks for the limit that the attributes of a user break together.
    package static func violation(of attributes: [String: AttributeValue]) -> EventViolation? {
        guard attributes.count <= Self.attributeCount else {
            return EventViolation(
                .tooManyAttributes,
                "The user would have \(attributes.count) attributes; at most \(Self.attributeCount) are allowed."
            )
        }
        var writer = JSONWriter()
        writer.beginObject()
        for (key, value) in attributes { writer.member(key, value.text) }
        writer.endObject()
        guard writer.bytes.count <= Self.attributeBytes else {
            return EventViolation(
                .attributesTooLong,
                "The user's attributes would have \(writer.bytes.count) bytes of JSON together; "
                    + "at most \(Self.attributeBytes) are allowed (a batch is 128 KB)."
            )
        }
        return nil
    }
}
