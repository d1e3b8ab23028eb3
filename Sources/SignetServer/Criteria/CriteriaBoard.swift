// SPDX-License-Identifier: Apache-2.0

#if Tool
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
#endif
