//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import SignetEmulator
import SignetTransport

/// The criteria of the emulated project: shows them and puts others in their place.
struct CriteriaBoard: Sendable {
    private let emulator: Emulator
    private let history: EmulatorHistory?

    init(_ emulator: Emulator, history: EmulatorHistory?) {
        self.emulator = emulator
        self.history = history
    }

    /// Takes `{"criteria": "<the document, word for word>"}`.
    func set(_ json: [UInt8]) throws(PageRefusal) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(json)
        } catch {
            throw PageRefusal("The body is not acceptable JSON: \(error)")
        }
        guard let text = value["criteria"]?.string else { throw PageRefusal("'criteria' must be a text.") }
        guard let history = self.history else {
            self.emulator.visitors.setCriteria(text)
            return
        }
        do throws(EmulatorServerError) {
            try history.setCriteria(text)
        } catch {
            throw PageRefusal(error.message)
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("project", self.emulator.visitors.apiKey)
        writer.member("criteria", self.emulator.visitors.project.criteria)
        writer.endObject()
    }
}
#endif
