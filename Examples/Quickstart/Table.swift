// SPDX-License-Identifier: Apache-2.0

/// Rows of text under a title, in columns that line up.
struct Table: CustomStringConvertible {
    let title: String
    private var rows: [[String]] = []

    init(_ title: String) {
        self.title = title
    }

    /// Adds a row: the first cell is aligned to the left, the others to the right.
    mutating func add(_ cells: String...) {
        self.rows.append(cells)
    }

    var description: String {
        let columns = self.rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            self.rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        let lines = self.rows.map { row in
            row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }.joined(separator: "  ")
        }
        return ([self.title] + lines.map { "  " + $0 }).joined(separator: "\n")
    }
}
