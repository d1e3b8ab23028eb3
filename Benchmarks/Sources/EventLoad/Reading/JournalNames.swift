// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The files of a journal by their names alone.
struct JournalNames {
    /// How many there are.
    let count: Int
    /// The highest number of one: they are counted from 1, and never used again.
    let highest: Int

    init(in directory: String) throws {
        let numbers = try FileManager.default.subpathsOfDirectory(atPath: directory).compactMap { path -> Int? in
            guard path.hasSuffix(".journal"), let name = path.split(separator: "/").last else { return nil }
            return Int(name.dropLast(8), radix: 16)
        }
        self.count = numbers.count
        self.highest = numbers.max() ?? 0
    }
}
