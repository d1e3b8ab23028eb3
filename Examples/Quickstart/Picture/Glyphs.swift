// SPDX-License-Identifier: Apache-2.0

/// The characters of a picture.
struct Glyphs: Sendable, Hashable {
    let begin: Character
    let bar: Character
    let end: Character
    let open: Character
    let kill: Character
    let flag: Character

    /// Box drawing.
    static let unicode = Glyphs(begin: "┣", bar: "━", end: "┫", open: "╍", kill: "✕", flag: "⚑")
    /// For terminals that are not UTF-8.
    static let ascii = Glyphs(begin: "[", bar: "-", end: "]", open: ">", kill: "x", flag: "^")

    /// Returns the characters that a terminal can show, by the variables that name its encoding (POSIX, 8.2).
    static func suited(to environment: [String: String]) -> Glyphs {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let encoding = locale.lowercased().replacing("-", with: "")
        return encoding.contains("utf8") ? .unicode : .ascii
    }

    /// Returns the letter of a mark; a kill has its own sign.
    func character(of kind: Story.Mark.Kind) -> Character {
        switch kind {
        case .screen: "s"
        case .event: "e"
        case .purchase: "P"
        case .login: "L"
        case .logout: "O"
        case .modify: "m"
        case .kill: self.kill
        }
    }
}
