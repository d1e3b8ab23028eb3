// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Signet
import SignetModel
import SignetTransport

import class FoundationEssentials.FileManager

/// A file that a start has set aside, for a reader.
struct AsideReport {
    private let file: AsideFile
    /// The ids of installations by their numbers, as far as they are known.
    private let ids: [UInt32: InstallationID]

    /// Reads a file; the directory that it lies in has the ids of its installations.
    ///
    /// - Throws: ``ToolFault``; `invalidArgument` for a file that is none of a journal, and the errors of the directory.
    init(_ path: String, _ progress: ProgressLine = ProgressLine(write: nil)) throws {
        let file = try AsideFile(ToolFile.bytes(path), path: path)
        self.file = file
        let folders = path.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        let directory = folders.isEmpty ? "." : folders.joined(separator: "/")
        // A copy elsewhere has nothing to do with the directory around it.
        guard path.split(separator: "/").dropLast().last == "journal",
            FileManager.default.fileExists(atPath: directory + "/state"),
            FileManager.default.fileExists(atPath: directory + "/journal")
        else {
            self.ids = [:]
            return
        }
        self.ids = try DirectoryCopy.survey(directory, progress) { survey in
            var ids: [UInt32: InstallationID] = [:]
            for number in file.installations { ids[number] = try survey.installation(number) }
            return ids
        }
    }

    /// True if a path leads to a file, not to a directory.
    static func isFile(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory
    }

    private func name(_ number: UInt32?) -> String {
        guard let number else { return "an unknown installation" }
        return self.ids[number].map { "installation \($0.rawValue)" } ?? "installation number \(number)"
    }

    var json: JSONValue {
        func number(_ value: Int64?) -> JSONValue { value.map { .number(JSONNumber($0)) } ?? .null }
        func origin(_ installation: UInt32?, _ mpid: MPID?) -> [(String, JSONValue)] {
            let id = installation.flatMap { self.ids[$0] }
            return [
                ("installation", id.map { .string($0.rawValue) } ?? .null),
                ("installationNumber", number(installation.map(Int64.init))),
                ("mpid", mpid.map { .string($0.description) } ?? .null),
            ]
        }
        func object(_ members: [(String, JSONValue)]) -> JSONValue {
            var object = JSONObject()
            for (key, value) in members { object[key] = value }
            return .object(object)
        }
        let events = self.file.events.map { event in
            object(
                [
                    ("sequence", number(Int64(clamping: event.sequence))),
                    ("id", event.id.map { .string($0.uuidString) } ?? .null), ("kind", .string(event.kind)),
                    (
                        "time",
                        event.milliseconds.map { .string(HTTPDate.basicISO8601(milliseconds: $0)) } ?? .null
                    ),
                ] + origin(event.installation, event.mpid) + [("event", event.json)]
            )
        }
        let damage = self.file.damage.map { damage in
            object(
                [
                    ("offset", number(Int64(clamping: damage.offset))), ("bytes", number(Int64(damage.count))),
                    ("sequence", number(damage.sequence.map { Int64(clamping: $0) })),
                ] + origin(damage.installation, damage.mpid)
            )
        }
        return ["copies": .bool(self.file.isCopies), "events": .array(events), "damaged": .array(damage)]
    }

    var text: String {
        var lines = [
            self.file.isCopies
                ? "copies of damaged bytes; the file that they are from has the events that are whole"
                : self.file.events.count.of("event is whole", "events are whole")
        ]
        for event in self.file.events {
            let user = event.mpid.map { ", user \($0)" } ?? ""
            let id = event.id.map(\.uuidString) ?? "no id"
            lines.append("  \(event.sequence): \(id) \(event.kind) of \(self.name(event.installation))\(user)")
        }
        lines.append(self.file.damage.count.of("place is damaged", "places are damaged"))
        for damage in self.file.damage {
            let owner = damage.sequence.map { ": event \($0) of \(self.name(damage.installation))" } ?? ""
            lines.append("  \(damage.count.of("byte", "bytes")) at \(damage.offset)\(owner)")
        }
        return lines.joined(separator: "\n")
    }
}
#endif
