// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a body with a folder of its own, which is gone afterwards.
///
/// - Parameter body: Is given the path.
/// - Returns: What the body returned.
/// - Throws: What the body threw, or why the folder could not be removed.
func withTemporaryFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quickstart-\(UUID().uuidString)")
    do {
        let result = try await body(folder.path)
        try FileManager.default.removeItem(at: folder)
        return result
    } catch {
        // The first error is the one to tell.
        try? FileManager.default.removeItem(at: folder)
        throw error
    }
}
