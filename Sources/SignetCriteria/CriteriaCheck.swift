//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

/// Answers whether what a visitor did meets a project's criteria, without a runtime: to try criteria out.
public enum CriteriaCheck {
    /// The most steps of work that one evaluation may take; beyond, it is refused (``CriteriaError/Code/limitExceeded``) with
    /// the path of the condition at which it ended, and by a runtime nobody is activated by a criterion with that condition.
    ///
    /// A step is about as much as comparing two numbers: the limit is half a second to a second of one processor. Counted is
    /// what criteria and records multiply with each other: a condition for each record, a value of the criterion for each
    /// element of a list, a byte of text for each regular expression and 64 of its states. Of it one condition may take a
    /// tenth on one record. Fifty criteria over a hundred records take about 100,000.
    public static let workLimit = 50_000_000

    /// The criterion that matches, in each dialect.
    ///
    /// - Parameters:
    ///   - criteria: The document that the service gives out, as JSON.
    ///   - events: What the visitor did, as a JSON array of the records of local storage, oldest first and the user update
    ///     last. A record without the text `eventType` is passed over (``faults(events:)``).
    /// - Returns: For each dialect the id of the first criterion that holds, or nil; or why the criteria are not taken, or
    ///   not evaluated (``workLimit``). Criteria that cannot be read are left out (``skipped(criteria:dialect:)``).
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

    /// The criterion that matches in one dialect.
    ///
    /// - Parameters:
    ///   - criteria: The document that the service gives out, as JSON.
    ///   - events: What the visitor did, as ``matchedIDs(criteria:events:)`` takes it.
    ///   - dialect: How to read the criteria.
    /// - Returns: The id of the first criterion that holds, or nil. Criteria that cannot be read are left out
    ///   (``skipped(criteria:dialect:)``).
    /// - Throws: ``CriteriaError`` when the criteria or the events are not taken, or it takes more work than ``workLimit``.
    public static func matchedID(
        criteria: [UInt8],
        events: [UInt8],
        dialect: CriteriaDialect = .strict
    ) throws(CriteriaError) -> String? {
        let records = try Self.records(events)
        return try Criteria(json: criteria, dialect: dialect).evaluate(records).matchedID
    }

    /// Why criteria of a document are left out; each of them matches nobody, and the others count.
    ///
    /// - Parameters:
    ///   - criteria: The document that the service gives out, as JSON.
    ///   - dialect: How to read it; under `.iOS` none is left out, what cannot be read is a condition that does not hold.
    /// - Returns: A fault for each criterion that is left out, with its path.
    /// - Throws: ``CriteriaError`` when nothing of the document can be used.
    public static func skipped(
        criteria: [UInt8],
        dialect: CriteriaDialect = .strict
    ) throws(CriteriaError) -> [CriteriaError] {
        try Criteria(json: criteria, dialect: dialect).skipped
    }

    /// What is wrong with single records, each with its place in the list, such as `$[2].eventType`.
    ///
    /// A record without the text `eventType` is passed over. Where `items` or `dataFields` are of another type than they must
    /// be, the record counts, and no condition finds anything in them.
    ///
    /// - Parameter events: What the visitor did, as ``matchedIDs(criteria:events:)`` takes it.
    /// - Returns: The faults, in the order of the records.
    /// - Throws: ``CriteriaError`` when the events are not an array of objects.
    public static func faults(events: [UInt8]) throws(CriteriaError) -> [CriteriaError] {
        try Self.faults(Self.read(events))
    }

    /// What is wrong with single records of a JSON array.
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

    /// Reads a JSON array of records; those without a type are passed over.
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

    /// Takes the records of a JSON array; those without a type are passed over.
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
