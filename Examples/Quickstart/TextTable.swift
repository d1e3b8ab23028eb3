//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A table in plain text: columns as wide as they need, numbers to the right.
struct TextTable {
    private let title: String
    private let heads: [String]
    private var rows: [[String]] = []

    init(_ title: String, _ heads: [String] = []) {
        self.title = title
        self.heads = heads
    }

    mutating func add(_ cells: String...) {
        self.rows.append(cells)
    }

    /// The lines of the table.
    var text: String {
        let all = (self.heads.isEmpty ? [] : [self.heads]) + self.rows
        let columns = all.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in all.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        var lines = [
            "", self.title, String(repeating: "-", count: max(self.title.count, widths.reduce(0) { $0 + $1 + 2 })),
        ]
        for row in all {
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
            lines.append(cells.joined(separator: "  "))
        }
        return lines.joined(separator: "\n")
    }
}
