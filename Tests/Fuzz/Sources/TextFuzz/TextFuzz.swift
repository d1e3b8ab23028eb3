// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// What the small parsers take has one spelling, and they write that spelling.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzText(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)

    if let bytes = Base64.decode(text) {
        precondition(Base64.encode(bytes) == text, "base 64 has two spellings")
    }
    if let milliseconds = HTTPDate.parse(text) {
        let spellings = [
            HTTPDate.rfc1123(milliseconds: milliseconds), HTTPDate.basicISO8601(milliseconds: milliseconds),
        ]
        precondition(spellings.contains(text), "a date does not come back")
        precondition(spellings.allSatisfy { HTTPDate.parse($0) == milliseconds }, "two spellings, two times")
    }
    var headers = HTTPHeaders()
    if headers.append(name: "X-Test", value: text) {
        precondition(!text.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }, "a header holds a line break")
    }
    check(address: text)
    return 0
}

private func check(address text: String) {
    let url: ServerURL
    do {
        url = try ServerURL(text)
    } catch {
        return
    }
    do {
        let again = try ServerURL(url.text)
        precondition(again == url, "an address does not come back")
    } catch {
        preconditionFailure("our own address is refused")
    }
    precondition(url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "an address holds other than visible ASCII")
    precondition(!url.text.hasSuffix("/") && !url.text.contains("/../"), "an address leads elsewhere")
    let isLocal = url.host == "localhost" || url.host == "[::1]" || url.host.hasPrefix("127.")
    precondition(url.text.hasPrefix("https://") || isLocal, "plain http to another machine")
}
