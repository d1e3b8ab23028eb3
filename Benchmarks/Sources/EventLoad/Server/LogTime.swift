// SPDX-License-Identifier: Apache-2.0

import Signet

/// The time of `log` as an attribute of the event, so that the platform can read it from a batch.
enum LogTime {
    /// The attributes of a page view.
    ///
    /// - Parameters:
    ///   - nanoseconds: The time by ``Nanoseconds/now``, which ``all(in:)`` reads.
    ///   - page: The number of the page.
    /// - Returns: The attributes.
    static func attributes(_ nanoseconds: UInt64, page: Int) -> Attributes {
        ["at": .integer(Int64(nanoseconds)), "page": .integer(Int64(page))]
    }

    /// The times of all events in a body of batches; events without one, such as those of sessions, are left out.
    static func all(in body: UnsafeRawBufferPointer) -> [UInt64] {
        let key: StaticString = "\"at\":\""
        var times: [UInt64] = []
        var place = 0
        while let found = Bytes.find(key, in: body, from: place) {
            place = found + key.utf8CodeUnitCount
            var time: UInt64 = 0
            while place < body.count, case let digit = body[place] &- UInt8(ascii: "0"), digit < 10 {
                time = time &* 10 &+ UInt64(digit)
                place += 1
            }
            times.append(time)
        }
        return times
    }
}
