// SPDX-License-Identifier: Apache-2.0

import SignetModel

extension MPID {
    /// The users that a record may name, at any depth: by an MPID, a number, or decimal digits in a text; nil if it cannot
    /// be read.
    static func named(in record: [UInt8]) -> Set<MPID>? {
        var found: Set<MPID> = []
        do throws(RecordDamage) {
            try RecordDecoder.visit(
                record,
                number: { if let mpid = MPID(rawValue: $0) { found.insert(mpid) } },
                text: { found.formUnion(self.written(in: $0)) }
            )
        } catch {
            return nil
        }
        return found
    }

    /// The numbers that the bytes spell in decimal digits.
    private static func written(in bytes: ArraySlice<UInt8>) -> Set<MPID> {
        var found: Set<MPID> = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else {
                index += 1
                continue
            }
            let begin = index
            while index < bytes.endIndex, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
            // Behind a hyphen it is a negative number, or the number of "user-7".
            let digits = String(decoding: bytes[begin..<index], as: UTF8.self)
            let hasHyphen = begin > bytes.startIndex && bytes[begin - 1] == UInt8(ascii: "-")
            found.formUnion([digits, hasHyphen ? "-\(digits)" : ""].compactMap { MPID($0) })
        }
        return found
    }
}
