// SPDX-License-Identifier: Apache-2.0

package import Signet

import class FoundationEssentials.FileManager
import struct FoundationEssentials.UUID

/// The work in a directory that nothing excuses: none, once a runtime has had the time to do it without a call.
///
/// It reads a copy of the files, so a runtime may use the directory.
///
/// - Parameters:
///   - directory: The directory of a runtime.
///   - services: The services that the runtime is given.
/// - Returns: The work.
/// - Throws: `SignetError` for files that cannot be read; the errors of the copy.
package func owedWork(directory: String, services: [any SignetService] = []) throws -> [DueWorkReport.Entry] {
    try dueWork(directory: directory, services: services).owed
}

/// All work in a directory, also what may wait.
///
/// - Parameters:
///   - directory: The directory of a runtime.
///   - services: The services that the runtime is given.
/// - Returns: The work.
/// - Throws: `SignetError` for files that cannot be read; the errors of the copy.
package func dueWork(directory: String, services: [any SignetService] = []) throws -> DueWorkReport {
    let files = FileManager.default
    let copies = files.temporaryDirectory.path + "/signet-due-work-\(UUID().uuidString)"
    defer {
        // Left in the temporary folder if they cannot be removed.
        do { try files.removeItem(atPath: copies) } catch {}
    }
    var attempt = 0
    while true {
        attempt += 1
        do {
            try copyFiles(of: directory, to: "\(copies)/\(attempt)")
            return try DirectoryInspector(copy: "\(copies)/\(attempt)").dueWork(services.map(\.definition))
        } catch let error as SignetError {
            throw error
        } catch {
            // A runtime that lives may remove a file meanwhile.
            guard attempt < 20 else { throw error }
        }
    }
}

/// Copies the files of a directory that a runtime may use.
private func copyFiles(of directory: String, to copy: String) throws {
    let files = FileManager.default
    // The journal comes first: the state records where an event was logged, and its outcome, after the journal.
    for part in ["journal", "state"] {
        let (source, target) = ("\(directory)/\(part)", "\(copy)/\(part)")
        try files.createDirectory(atPath: target, withIntermediateDirectories: true)
        for name in try files.contentsOfDirectory(atPath: source) {
            guard !["lock", "spare", "tmp"].contains(where: name.hasSuffix) else { continue }
            try files.copyItem(atPath: "\(source)/\(name)", toPath: "\(target)/\(name)")
        }
    }
}
