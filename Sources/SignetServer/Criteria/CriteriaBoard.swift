// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetCriteria
import SignetEmulator
import SignetTransport

/// Shows and replaces the criteria of the emulated projects.
struct CriteriaBoard: Sendable {
    private let history: EmulatorHistory?

    init(history: EmulatorHistory?) {
        self.history = history
    }

    /// Reads `{"criteria": "<the document, word for word>"}` and sets the criteria.
    func set(_ json: [UInt8], of project: EmulatedIterable) throws(PageRefusal) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(json)
        } catch {
            throw PageRefusal("The body is not valid JSON: \(error)")
        }
        guard let text = value["criteria"]?.string else { throw PageRefusal("'criteria' must be a string.") }
        guard let history = self.history else {
            project.setCriteria(text)
            return
        }
        do throws(EmulatorServerError) {
            try history.setCriteria(text, of: project)
        } catch {
            throw PageRefusal(error.message, kind: .storage)
        }
    }

    func write(of project: EmulatedIterable, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("project", project.apiKey)
        writer.member("criteria", project.project.criteria)
        writer.endObject()
    }
}

/// The evaluation of criteria against events in each dialect, for the box "does it match?".
struct CriteriaTrial: Sendable {
    private let faults: [CriteriaError]
    private let outcomes: [(dialect: CriteriaDialect, outcome: Result<CriteriaReport, CriteriaError>)]

    /// Reads `{"criteria": "<document>", "events": "<array of records>"}`, both as texts.
    init(_ json: [UInt8]) throws(PageRefusal) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(json)
        } catch {
            throw PageRefusal("The body is not valid JSON: \(error)")
        }
        guard let criteria = value["criteria"]?.string, let events = value["events"]?.string else {
            throw PageRefusal("'criteria' and 'events' must be strings.")
        }
        // Said once, not by each dialect.
        try Self.check(criteria, named: "The criteria")
        try Self.check(events, named: "The records")
        let records: [IterableRecord]
        do throws(CriteriaError) {
            records = try CriteriaCheck.records(Array(events.utf8))
            self.faults = try CriteriaCheck.faults(events: Array(events.utf8))
        } catch {
            throw PageRefusal("'events' cannot be read: \(error)")
        }
        self.outcomes = CriteriaDialect.allCases.map { dialect in
            do throws(CriteriaError) {
                return (dialect, .success(try Criteria(json: Array(criteria.utf8), dialect: dialect).evaluate(records)))
            } catch {
                return (dialect, .failure(error))
            }
        }
    }

    // Syntax only: the limits on the size and the depth are those of the readers.
    private static func check(_ text: String, named name: String) throws(PageRefusal) {
        let bytes = Array(text.utf8)
        do throws(JSONError) {
            _ = try JSONReader.read(bytes, limits: JSONLimits(bytes: .max, depth: 512, values: .max), faults: .leftOut)
        } catch {
            guard error.code == .invalidSyntax || error.code == .truncated else { return }
            let place = TextPosition(of: error.offset, in: bytes)
            let text = "Line \(place.line), column \(place.column): \(error.message)."
            throw PageRefusal("\(name) are not valid JSON. \(text)")
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for (dialect, outcome) in self.outcomes {
            writer.beginObject()
            writer.member("dialect", dialect.rawValue)
            switch outcome {
            case .success(let report):
                writer.member("matched", report.matchedID.map(JSONValue.string) ?? .null)
                let why = ["\(report)"] + self.faults.map { "  record: \($0)" }
                writer.member("why", why.joined(separator: "\n"))
            case .failure(let error):
                writer.member("error", error.description)
            }
            writer.endObject()
        }
        writer.endArray()
    }
}
#endif
