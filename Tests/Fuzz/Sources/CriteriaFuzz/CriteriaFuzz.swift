// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport

/// Criteria with events, as `criteria-check` takes them: nothing traps, and record by record is the same as at once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCriteria(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do {
        let document = try JSONReader.read(bytes, limits: JSONLimits(depth: 64)).object
        guard let criteria = document?["criteria"], let events = document?["events"] else { return 0 }
        let records = try CriteriaCheck.records(events)
        try check(try Criteria(criteria, dialect: .iOS), records)
        try check(try Criteria(criteria, dialect: .strict), records)
    } catch is JSONError {
        return 0
    } catch let error as CriteriaError {
        precondition(error.path.hasPrefix("$"), "a fault lies outside the document")
    } catch {
        preconditionFailure("another error")
    }
    return 0
}

private func check(_ criteria: Criteria, _ records: [IterableRecord]) throws {
    let report = try criteria.evaluate(records)
    precondition(report.entries.first { $0.holds }?.id == report.matchedID, "the report does not fit the match")
    // User updates are merged record by record, and stand behind all others.
    guard !records.contains(where: { $0.kind == .userUpdate }) else { return }
    var evaluator = CriteriaEvaluator(criteria, threshold: 3)
    for (index, record) in records.enumerated() {
        let stored = Array(records[...index].suffix(3))
        let anew = try criteria.evaluate(stored).matchedID
        precondition(evaluator.record(record) == anew, "what was evicted counts")
        do {
            let again = try IterableRecord(line: record.line)
            precondition(again == record, "a record reads back different")
        } catch {
            preconditionFailure("our own record is refused")
        }
    }
}
