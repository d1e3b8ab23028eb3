// SPDX-License-Identifier: Apache-2.0

import SignetCriteria

/// A line with a regular expression, then a text: nothing traps, and what changes nothing changes nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPattern(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self).unicodeScalars
    let source = String(String.UnicodeScalarView(input.prefix { $0 != "\n" }))
    let text = String(String.UnicodeScalarView(input.drop { $0 != "\n" }.dropFirst()))
    guard let pattern = read(source) else { return 0 }
    let isFound = pattern.isFound(in: text)
    // The other spellings may be too long.
    for (same, spelling) in [
        ("a group", "(?:\(source))"), ("once", "(\(source)){1}"), ("a choice", "(?:\(source))|(?:\(source))"),
    ] {
        if let other = read(spelling) {
            precondition(other.isFound(in: text) == isFound, "\(same) makes a difference")
        }
    }
    if let optional = read("(\(source))?") {
        precondition(optional.isFound(in: text), "nothing is not found")
    }
    return 0
}

private func read(_ source: String) -> Pattern? {
    do {
        return try Pattern(source)
    } catch {
        precondition((0...source.unicodeScalars.count).contains(error.offset), "the fault lies outside the pattern")
        return nil
    }
}
