// SPDX-License-Identifier: Apache-2.0

/// Timelines of some installations, in plain text.
struct Picture: CustomStringConvertible {
    private let choices: [StoryChoice]
    private let glyphs: Glyphs

    init(_ choices: [StoryChoice], _ glyphs: Glyphs) {
        (self.choices, self.glyphs) = (choices, glyphs)
    }

    /// One timeline after another, and the legend; no line has more than 100 columns.
    var description: String {
        guard !self.choices.isEmpty else { return "No visitor of this day did anything worth a picture." }
        let drawings = self.choices.map { choice in
            ([StoryDrawing.fitting("\(choice.story.installation): \(choice.reason.rawValue)")]
                + StoryDrawing(choice.story, self.glyphs).lines).joined(separator: "\n")
        }
        return (drawings + [self.legend]).joined(separator: "\n\n")
    }

    private var legend: String {
        let marks = Story.Mark.Kind.allCases.map { "\(self.glyphs.character(of: $0)) \($0.word)" }
        let glyphs = self.glyphs
        return "  " + (marks + ["\(glyphs.flag) another user"]).joined(separator: "   ") + "\n  "
            + "\(glyphs.begin)\(glyphs.bar)\(glyphs.end) a session; the bars of one installation have one scale, and times are UTC"
    }
}

extension Story.Mark.Kind {
    /// The word for it in the legend.
    fileprivate var word: String {
        switch self {
        case .screen: "screen"
        case .event: "event"
        case .purchase: "purchase"
        case .login: "login"
        case .logout: "logout"
        case .modify: "identities"
        case .kill: "killed"
        }
    }
}
