// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

/// Evaluates a project's criteria over a visitor's records without a runtime, to try criteria out.
public enum CriteriaCheck {
    /// The maximum work of one evaluation, in steps.
    ///
    /// An evaluation that needs more fails with ``CriteriaError/Code/limitExceeded`` and the path of the condition at
    /// which it ended. A runtime activates no visitor by a criterion with that condition.
    ///
    /// A step is about as much as comparing two numbers; the limit is half a second to a second of one processor. Steps
    /// count what criteria and records multiply with each other. That is a condition for each record, a value of the
    /// criterion for each element of a list, and a byte of text for 64 states of a regular expression. One condition may
    /// take a tenth of the limit on one record. Fifty criteria over a hundred records take about 100,000 steps.
    public static let workLimit = 50_000_000

    /// Finds the matching criterion in each dialect.
    ///
    /// - Parameters:
    ///   - criteria: The criteria document as Iterable serves it, as JSON.
    ///   - events: The visitor's records, as a JSON array of the records of local storage, oldest first and the user
    ///     update last. A record without the text `eventType` is skipped (``faults(events:)``).
    /// - Returns: For each dialect the id of the first criterion that holds, or nil, or the error by which the criteria
    ///   are refused or not evaluated (``workLimit``). Unreadable criteria are left out
    ///   (``skipped(criteria:dialect:)``).
    /// - Throws: ``CriteriaError`` when the events are not an array of objects.
    public static func matchedIDs(
        criteria: [UInt8],
        events: [UInt8]
    ) throws(CriteriaError) -> [CriteriaDialect: Result<String?, CriteriaError>] {
        let records = try Self.records(events)
        var matches: [CriteriaDialect: Result<String?, CriteriaError>] = [:]
        for dialect in CriteriaDialect.allCases {
            do throws(CriteriaError) {
                let criteria = try Criteria(json: criteria, dialect: dialect)
                matches[dialect] = .success(try criteria.evaluate(records).matchedID)
            } catch {
                matches[dialect] = .failure(error)
            }
        }
        return matches
    }

    /// Finds the matching criterion in one dialect.
    ///
    /// - Parameters:
    ///   - criteria: The criteria document as Iterable serves it, as JSON.
    ///   - events: The visitor's records, as ``matchedIDs(criteria:events:)`` takes them.
    ///   - dialect: The dialect in which the criteria are read.
    /// - Returns: The id of the first criterion that holds, or nil. Unreadable criteria are left out
    ///   (``skipped(criteria:dialect:)``).
    /// - Throws: ``CriteriaError`` when the criteria or the events are refused, or the evaluation takes more work than
    ///   ``workLimit``.
    public static func matchedID(
        criteria: [UInt8],
        events: [UInt8],
        dialect: CriteriaDialect = .strict
    ) throws(CriteriaError) -> String? {
        let records = try Self.records(events)
        return try Criteria(json: criteria, dialect: dialect).evaluate(records).matchedID
    }

    /// Lists the faults of criteria that are left out; such a criterion matches no visitor, and the others count.
    ///
    /// - Parameters:
    ///   - criteria: The criteria document as Iterable serves it, as JSON.
    ///   - dialect: The dialect in which it is read. Under `.iOS` no criterion is left out; an unreadable part is a
    ///     condition that does not hold.
    /// - Returns: A fault for each criterion that is left out, with its path.
    /// - Throws: ``CriteriaError`` when nothing of the document can be used.
    public static func skipped(
        criteria: [UInt8],
        dialect: CriteriaDialect = .strict
    ) throws(CriteriaError) -> [CriteriaError] {
        try Criteria(json: criteria, dialect: dialect).skipped
    }

    /// Lists the faults of single records, each with its place in the list, such as `$[2].eventType`.
    ///
    /// A record without the text `eventType` is skipped. A record whose `items` or `dataFields` have the wrong type
    /// counts, and no condition finds anything in them.
    ///
    /// - Parameter events: The visitor's records, as ``matchedIDs(criteria:events:)`` takes them.
    /// - Returns: The faults, in the order of the records.
    /// - Throws: ``CriteriaError`` when the events are not an array of objects.
    public static func faults(events: [UInt8]) throws(CriteriaError) -> [CriteriaError] {
        try Self.faults(Self.read(events))
    }

    /// Lists the faults of single records of a JSON array.
    package static func faults(_ value: JSONValue, at path: String = "$") throws(CriteriaError) -> [CriteriaError] {
        guard let elements = value.array else { throw CriteriaError(.wrongType, at: path, "is not an array") }
        var faults: [CriteriaError] = []
        for (index, element) in elements.enumerated() {
            let place = "\(path)[\(index)]"
            guard let members = element.object else {
                throw CriteriaError(.wrongType, at: place, "is not an object")
            }
            faults += IterableRecord.faults(of: members, at: place)
        }
        return faults
    }

    /// Reads a JSON array of records; records without a type are skipped.
    package static func records(_ json: [UInt8]) throws(CriteriaError) -> [IterableRecord] {
        try Self.records(Self.read(json))
    }

    private static func read(_ events: [UInt8]) throws(CriteriaError) -> JSONValue {
        do throws(JSONError) {
            return try JSONReader.read(events, limits: JSONLimits(depth: 64))
        } catch {
            throw CriteriaError(.invalidJSON, at: "$", error.description)
        }
    }

    /// Reads the records of a JSON array; records without a type are skipped.
    package static func records(_ value: JSONValue, at path: String = "$") throws(CriteriaError) -> [IterableRecord] {
        guard let elements = value.array else { throw CriteriaError(.wrongType, at: path, "is not an array") }
        var records: [IterableRecord] = []
        for (index, element) in elements.enumerated() {
            guard let members = element.object else {
                throw CriteriaError(.wrongType, at: "\(path)[\(index)]", "is not an object")
            }
            if let record = IterableRecord(members: members) {
                records.append(record)
            }
        }
        return records
    }
}
