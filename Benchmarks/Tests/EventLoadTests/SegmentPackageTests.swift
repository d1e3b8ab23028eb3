// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import event_load

@Suite struct SegmentPackageTests {
    @Test func theManifestNamesTheCheckoutAsSwiftWritesIt() {
        let package = SegmentPackage(checkout: #"/tmp/a "b" \c"#)
        #expect(package.manifest.contains(#"path: "/tmp/a \"b\" \\c""#))
    }

    @Test func theProgramPrintsWhatIsRead() throws {
        #expect(SegmentPackage(checkout: "/tmp").program.contains("print(\"\(SegmentFigures.mark)\", "))
        let figures = try #require(SegmentFigures(line: "\(SegmentFigures.mark) 1.5 1.25 800 2000 1e+06"))
        #expect(figures.wall == 1.5 && figures.processor == 1.25)
        #expect(figures.p50 == 800 && figures.p99 == 2000 && figures.p999 == 1_000_000)
    }

    @Test(arguments: [
        "", "Request failed", "segment-figures 1 2 3 4", "segment-figures 1 2 3 4 x", "figures 1 2 3 4 5",
    ])
    func linesOfTheLibraryAreNoFigures(line: String) {
        #expect(SegmentFigures(line: line) == nil)
    }
}
