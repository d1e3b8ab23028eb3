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
    /// The criterion that matches, in each dialect.
    ///
    /// - Parameters:
    ///   - criteria: The document that the service gives out, as JSON.
    ///   - events: What the visitor did, as a JSON array of the records of local storage, oldest first and the user update
    ///     last. A record without the text `eventType` is passed over.
    /// - Returns: For each dialect the id of the first criterion that holds, or nil; or why the criteria are not taken.
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
                matches[dialect] = .success(criteria.evaluate(records).matchedID)
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
    /// - Returns: The id of the first criterion that holds, or nil.
    /// - Throws: ``CriteriaError`` when the criteria or the events are not taken.
    public static func matchedID(
        criteria: [UInt8],
        events: [UInt8],
        dialect: CriteriaDialect = .strict
    ) throws(CriteriaError) -> String? {
        let records = try Self.records(events)
        return try Criteria(json: criteria, dialect: dialect).evaluate(records).matchedID
    }

    /// Reads a JSON array of records; those without a type are passed over.
    package static func records(_ json: [UInt8]) throws(CriteriaError) -> [VisitorRecord] {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(json, limits: JSONLimits(depth: 64))
        } catch {
            throw CriteriaError(.invalidJSON, at: "$", error.description)
        }
        return try Self.records(value)
    }

    /// Takes the records of a JSON array; those without a type are passed over.
    package static func records(_ value: JSONValue, at path: String = "$") throws(CriteriaError) -> [VisitorRecord] {
        guard let elements = value.array else { throw CriteriaError(.wrongType, at: path, "is not an array") }
        var records: [VisitorRecord] = []
        for (index, element) in elements.enumerated() {
            guard let members = element.object else {
                throw CriteriaError(.wrongType, at: "\(path)[\(index)]", "is not an object")
            }
            if let record = VisitorRecord(members: members) {
                records.append(record)
            }
        }
        return records
    }
}
