// SPDX-License-Identifier: Apache-2.0

/// The timeline of one installation: a bar for each session, letters in it, and flags above it.
///
/// All bars of a story have the same scale, so their lengths compare. A pause between sessions is a line of its own.
struct StoryDrawing {
    /// The most columns of a line.
    static let width = 100
    /// The columns before a bar.
    private static let margin = 13
    /// The most columns of a bar, without its ends.
    private static let room = 52

    private let story: Story
    private let glyphs: Glyphs
    /// The longest session, in milliseconds.
    private let longest: Int64

    init(_ story: Story, _ glyphs: Glyphs) {
        (self.story, self.glyphs) = (story, glyphs)
        var longest: Int64 = 1
        for (index, visit) in story.visits.enumerated() {
            longest = max(longest, Self.last(of: visit, in: story, index) - visit.begin)
        }
        self.longest = longest
    }

    var lines: [String] {
        var lines: [String] = []
        for (index, visit) in self.story.visits.enumerated() {
            if index > 0 {
                let pause = visit.begin - Self.last(of: self.story.visits[index - 1], in: self.story, index - 1)
                if pause > 0 { lines.append(Self.blank + "... \(Self.duration(pause)) later") }
            }
            lines += self.rows(of: visit, index)
        }
        return lines
    }

    /// Cuts a line that is too long.
    static func fitting(_ line: String) -> String {
        line.count <= Self.width ? line : line.prefix(Self.width - 3) + "..."
    }

    private static let blank = String(repeating: " ", count: Self.margin)

    // MARK: - One session

    private func rows(of visit: Story.Visit, _ index: Int) -> [String] {
        let span = Self.span(of: index, in: self.story)
        let marks = self.story.marks.filter { span.contains($0.at) }
        let kill = marks.last { $0.kind == .kill }?.at
        let isCut = kill != nil && (visit.ending == .launch || visit.ending == .open)
        var bar: [Character] = [self.glyphs.begin]
        var columns: [Int64: Int] = [:]
        var left = 0
        for mark in marks where mark.kind != .kill {
            let column = max(self.column(mark.at, in: visit), bar.count)
            guard column <= Self.room else {
                left += 1
                continue
            }
            self.extend(&bar, to: column)
            bar.append(self.glyphs.character(of: mark.kind))
            columns[mark.at] = column
        }
        let end = isCut ? kill ?? visit.end : visit.end
        self.extend(&bar, to: min(max(self.column(end, in: visit) + 1, bar.count), Self.room + 1))
        bar.append(isCut ? self.glyphs.kill : visit.ending == .open ? self.glyphs.open : self.glyphs.end)
        let rest = left == 0 ? "" : ", \(left) more"
        let note = self.note(visit, end: end, isCut: isCut, isKilledLater: !isCut && kill != nil) + rest
        let flags = self.story.flags.filter { span.contains($0.at) }
            .map { (column: columns[$0.at] ?? min(self.column($0.at, in: visit) - 1, bar.count - 1), flag: $0) }
        return self.labels(flags) + [Self.fitting("    \(Self.clock(visit.begin)) \(String(bar)) \(note)")]
    }

    private func extend(_ bar: inout [Character], to count: Int) {
        while bar.count < count { bar.append(self.glyphs.bar) }
    }

    private func note(_ visit: Story.Visit, end: Int64, isCut: Bool, isKilledLater: Bool) -> String {
        let length = Self.duration(max(0, end - visit.begin))
        if isCut { return "killed after \(length)" }
        if visit.ending == .open { return "still open" }
        return isKilledLater ? "\(length), killed later" : length
    }

    /// The column of a moment in a bar; the begin of the bar has column 0.
    private func column(_ at: Int64, in visit: Story.Visit) -> Int {
        let passed = min(max(0, at - visit.begin), self.longest)
        return 1 + Int(passed * Int64(Self.room - 1) / self.longest)
    }

    /// Lines with the names of users above their columns; a name that would touch another goes one line up.
    private func labels(_ flags: [(column: Int, flag: Story.Flag)]) -> [String] {
        var lines: [String] = []
        for (column, flag) in flags {
            let name = flag.customer.map(Self.shown) ?? "anonymous"
            let label = "\(self.glyphs.flag) " + (flag.kind == .known ? "now \(name)" : name)
            let place = Self.margin + column
            let line = lines.firstIndex { $0.count < place } ?? lines.endIndex
            if line == lines.endIndex { lines.append("") }
            lines[line] += String(repeating: " ", count: place - lines[line].count) + label
        }
        return lines.reversed()
    }

    /// A customer id of any trace, without what would move a terminal's cursor.
    private static func shown(_ customer: String) -> String {
        String(String.UnicodeScalarView(customer.unicodeScalars.filter { $0.properties.generalCategory != .control }))
            .prefix(24).description
    }

    // MARK: - Time

    /// The moments that are drawn with a session: from its begin to the begin of the next one.
    private static func span(of index: Int, in story: Story) -> Range<Int64> {
        let begin = index == 0 ? Int64.min : story.visits[index].begin
        let next = index + 1 < story.visits.count ? story.visits[index + 1].begin : .max
        return begin..<max(begin, next)
    }

    /// The last moment to draw: the end of a session, or what cut it short.
    private static func last(of visit: Story.Visit, in story: Story, _ index: Int) -> Int64 {
        let span = Self.span(of: index, in: story)
        switch visit.ending {
        case .timeout, .app: return visit.end
        case .open, .launch: return story.marks.last { span.contains($0.at) }.map { max($0.at, visit.end) } ?? visit.end
        }
    }

    private static func clock(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000 % 86_400
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    static func duration(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
        default: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
        }
    }
}
