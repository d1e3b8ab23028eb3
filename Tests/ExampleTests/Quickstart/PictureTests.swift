// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import quickstart

/// The timelines of the quickstart, to the character.
@Suite struct PictureTests {
    private static let start: Int64 = 1_000_000_000_000

    private static func mark(_ at: Int64, _ kind: Story.Mark.Kind) -> Story.Mark {
        Story.Mark(at: Self.start + at, kind: kind)
    }

    /// A minute with a login and a purchase, half a minute that a kill ends, and a session that stays open.
    private static let story = Story(
        installation: "i-1",
        visits: [
            Story.Visit(begin: Self.start, end: Self.start + 60_000, ending: .timeout),
            Story.Visit(begin: Self.start + 7_200_000, end: Self.start + 7_210_000, ending: .launch),
            Story.Visit(begin: Self.start + 7_300_000, end: Self.start + 7_300_000, ending: .open),
        ],
        marks: [
            Self.mark(1000, .screen), Self.mark(1100, .event), Self.mark(20_000, .login), Self.mark(40_000, .purchase),
            Self.mark(7_201_000, .screen), Self.mark(7_230_000, .kill), Self.mark(7_305_000, .logout),
        ],
        flags: [
            Story.Flag(at: Self.start, kind: .first, customer: nil),
            Story.Flag(at: Self.start + 20_000, kind: .known, customer: "c-1"),
            Story.Flag(at: Self.start + 7_305_000, kind: .other, customer: nil),
        ]
    )

    @Test func aSmallStoryIsDrawnToTheCharacter() {
        let expected = """
            i-1: logs in, then buys
                         ⚑ anonymous       ⚑ now c-1
                01:46:40 ┣se━━━━━━━━━━━━━━━L━━━━━━━━━━━━━━━━P━━━━━━━━━━━━━━━━━┫ 1 min 0 s
                         ... 1 h 59 min later
                03:46:40 ┣s━━━━━━━━━━━━━━━━━━━━━━━━━✕ killed after 30 s
                         ... 1 min 10 s later
                              ⚑ anonymous
                03:48:20 ┣━━━━O╍ still open

              s screen   e event   P purchase   L login   O logout   m identities   ✕ killed   ⚑ another user
              ┣━┫ a session; the bars of one installation have one scale, and times are UTC
            """
        #expect(Picture(StoryChoice.choose(from: [Self.story]), .unicode).description == expected)
    }

    @Test func withoutUTF8ThePictureIsASCII() {
        let picture = Picture(StoryChoice.choose(from: [Self.story]), .ascii).description
        #expect(picture.utf8.allSatisfy { $0 < 0x80 })
        #expect(picture.contains("[s-------------------------x killed after 30 s"))
    }

    @Test(arguments: [
        (["LANG": "en_US.UTF-8"], true), (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false),
        (["LC_CTYPE": "C.utf8"], true), (["LC_ALL": "", "LANG": "de_DE.utf8"], true), ([:], false),
    ])
    func theEncodingOfTheTerminalChoosesTheGlyphs(environment: [String: String], isUTF8: Bool) {
        #expect(Glyphs.suited(to: environment) == (isUTF8 ? .unicode : .ascii))
    }

    @Test func noLineIsLongerThanATerminalHoweverMuchHappens() {
        let name = String(repeating: "name", count: 30)
        let marks = (0..<300).map { Self.mark(Int64($0) * 10, Story.Mark.Kind.screen) }
        let flags = (0..<5).map { Story.Flag(at: Self.start + $0, kind: .other, customer: name) }
        let story = Story(
            installation: name,
            visits: [Story.Visit(begin: Self.start, end: Self.start + 3000, ending: .timeout)],
            marks: [Self.mark(0, .login), Self.mark(0, .purchase)] + marks,
            flags: flags
        )
        let lines = Picture(StoryChoice.choose(from: [story]), .unicode).description.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= StoryDrawing.width })
        #expect(lines.contains { $0.hasSuffix("3 s, 250 more") }, "52 of 302 marks have a column")
        #expect(lines.count { $0.contains("⚑ namename") } == 5, "no name covers another")
    }

    @Test func aDayWithoutStoriesSaysSo() {
        #expect(Picture([], .ascii).description == "No visitor of this day did anything worth a picture.")
    }
}
