// SPDX-License-Identifier: Apache-2.0

import Foundation
import Signet
import Testing

@Suite struct VersionTests {
    @Test func theVersionIsTheNewestOfTheChangelog() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let changelog = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let newest = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(newest.split(separator: " ").dropFirst().first.map(String.init) == SignetRuntime.version)
    }
}
