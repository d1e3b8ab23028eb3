// SPDX-License-Identifier: Apache-2.0

import SignetTransport

extension IterableRecord {
    /// Lists the faults of a record's members: those that make it no record, and those that no condition reads.
    ///
    /// - Parameters:
    ///   - members: The members of a JSON object.
    ///   - path: The place of the object.
    /// - Returns: The faults; empty for a sound record.
    static func faults(of members: JSONObject, at path: String) -> [CriteriaError] {
        guard let record = IterableRecord(members: members) else {
            let place = "\(path).\(Key.kind)"
            return members[Key.kind] == nil
                ? [CriteriaError(.missingMember, at: place, "is missing; the record is skipped")]
                : [CriteriaError(.wrongType, at: place, "is not text; the record is skipped")]
        }
        var faults: [CriteriaError] = []
        func wrong(_ key: String, _ what: String) {
            faults.append(CriteriaError(.wrongType, at: "\(path).\(key)", "is not \(what); conditions ignore it"))
        }
        if let data = members[Key.data], data.object == nil { wrong(Key.data, "an object") }
        if record.kind == .purchase || record.kind == .cartUpdate, let items = members[Key.items] {
            if let list = items.array {
                for (index, item) in list.enumerated() where item.object == nil {
                    wrong("\(Key.items)[\(index)]", "an object: the list")
                }
            } else {
                wrong(Key.items, "an array of objects")
            }
        }
        return faults
    }
}
