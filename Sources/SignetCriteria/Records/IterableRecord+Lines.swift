// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

extension IterableRecord {
    /// Reads a record.
    ///
    /// - Parameters:
    ///   - line: One JSON object.
    ///   - limits: The limits on the JSON.
    /// - Throws: ``CriteriaError`` when the line is not a JSON object, or has no text `eventType`.
    package init(line: [UInt8], limits: JSONLimits = JSONLimits()) throws(CriteriaError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(line, limits: limits)
        } catch {
            throw CriteriaError(.invalidJSON, at: "$", error.description)
        }
        guard let members = value.object else { throw CriteriaError(.wrongType, at: "$", "is not an object") }
        guard let record = IterableRecord(members: members) else {
            throw CriteriaError(.missingMember, at: "$.eventType", "is missing; it must be text")
        }
        self = record
    }

    /// The record as JSON without a line break.
    package var line: [UInt8] {
        JSONValue.object(self.members).encoded()
    }

    /// Reads several records, one per line; empty lines are skipped.
    ///
    /// - Parameters:
    ///   - lines: The lines, each ended by a line feed; the last may have none.
    ///   - limits: The limits on the JSON of each line.
    /// - Returns: The records in order.
    /// - Throws: ``CriteriaError`` of the first line that is not a record, with the line number in its path.
    package static func read(
        lines: [UInt8],
        limits: JSONLimits = JSONLimits()
    ) throws(CriteriaError) -> [IterableRecord] {
        var records: [IterableRecord] = []
        let parts = lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in parts.enumerated() where !line.isEmpty {
            do throws(CriteriaError) {
                records.append(try IterableRecord(line: Array(line), limits: limits))
            } catch {
                throw CriteriaError(error.code, at: "line \(index + 1): \(error.path)", error.message)
            }
        }
        return records
    }
}
