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
    let copy = files.temporaryDirectory.path + "/signet-due-work-\(UUID().uuidString)"
    defer {
        // Left in the temporary folder if it cannot be removed.
        do { try files.removeItem(atPath: copy) } catch {}
    }
    // The journal comes first: the state records where an event was logged, and its outcome, after the journal.
    for part in ["journal", "state"] {
        let (source, target) = ("\(directory)/\(part)", "\(copy)/\(part)")
        try files.createDirectory(atPath: target, withIntermediateDirectories: true)
        for name in try files.contentsOfDirectory(atPath: source) {
            guard !["lock", "spare", "tmp"].contains(where: name.hasSuffix) else { continue }
            try files.copyItem(atPath: "\(source)/\(name)", toPath: "\(target)/\(name)")
        }
    }
    return try DirectoryInspector(copy: copy).dueWork(services.map(\.definition))
}
