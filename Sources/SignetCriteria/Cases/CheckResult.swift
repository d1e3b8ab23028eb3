// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The result of a case in one dialect.
package struct CheckResult: Sendable {
    let name: String
    let dialect: CriteriaDialect
    let expected: CheckCase.Expectation
    let faults: [CriteriaError]
    let outcome: Result<CriteriaReport, CriteriaError>

    /// True if the result is not the expected one; always true when any criterion is refused.
    package var differs: Bool {
        switch (self.outcome, self.expected) {
        case (.failure, _): true
        case (.success(let report), _) where !report.skipped.isEmpty: true
        case (.success, .any): false
        case (.success(let report), .match(let id)): !Self.isSame(report.matchedID, id)
        }
    }

    private static func isSame(_ id: String?, _ other: String?) -> Bool {
        id.map { ByteText($0) } == other.map { ByteText($0) }
    }

    /// Prints each difference with its reasons, and the number of results that agree, per dialect if there are two.
    ///
    /// - Parameters:
    ///   - results: The results of the cases.
    ///   - dialects: The dialects in which the cases were evaluated.
    ///   - showsAll: True to print results that agree too, without the counts.
    /// - Returns: Lines, each ended by a line feed.
    package static func text(_ results: [CheckResult], in dialects: [CriteriaDialect], showsAll: Bool) -> String {
        var lines: [String] = []
        for result in results where showsAll || result.differs {
            if case .match(let id) = result.expected { lines.append("\(result.name): expected \(id ?? "no match")") }
            switch result.outcome {
            case .success(let report): lines.append("\(report)")
            case .failure(let error): lines.append("\(result.dialect.rawValue): refused: \(error)")
            }
            lines += result.faults.map { "  record: \($0)" }
        }
        if !showsAll {
            for dialect in dialects {
                let mine = results.filter { $0.dialect == dialect }
                let differing = mine.count(where: \.differs)
                let name = dialects.count == 1 ? "" : "\(dialect.rawValue): "
                lines.append("\(name)\(mine.count - differing) agree, \(differing) differ")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// All results as a JSON array.
    ///
    /// - Parameter results: The results of the cases.
    /// - Returns: One line, ended by a line feed.
    package static func json(_ results: [CheckResult]) -> String {
        let values = results.map { result -> JSONValue in
            var object: JSONObject = ["name": .string(result.name), "dialect": .string(result.dialect.rawValue)]
            if case .match(let id) = result.expected { object["expected"] = id.map(JSONValue.string) ?? .null }
            switch result.outcome {
            case .success(let report):
                object["matched"] = report.matchedID.map(JSONValue.string) ?? .null
                object["criteria"] = .array(report.entries.map(Self.json))
                object["skipped"] = .array(report.skipped.map { .string($0.description) })
            case .failure(let error):
                object["error"] = .string(error.description)
            }
            object["records"] = .array(result.faults.map { .string($0.description) })
            object["differs"] = .bool(result.differs)
            return .object(object)
        }
        return String(decoding: JSONValue.array(values).encoded(), as: UTF8.self) + "\n"
    }

    private static func json(_ entry: CriteriaReport.Entry) -> JSONValue {
        let leaves = entry.leaves.map { leaf -> JSONValue in
            [
                "path": .string(leaf.path), "type": .string(leaf.type), "holds": .bool(leaf.holds),
                "count": .number(JSONNumber(Int64(leaf.count))), "minimum": .number(JSONNumber(Int64(leaf.minimum))),
                "notes": .array(leaf.notes.map(JSONValue.string)),
            ]
        }
        return [
            "id": .string(entry.id), "holds": .bool(entry.holds), "leaves": .array(leaves),
            "notes": .array(entry.notes.map(JSONValue.string)),
        ]
    }
}
