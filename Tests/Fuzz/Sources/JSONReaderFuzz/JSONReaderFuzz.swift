// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// What the reader takes can be written and read again without a difference; what it refuses, it refuses with an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSONReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let value = read(bytes, JSONLimits()) else { return 0 }

    let encoded = value.encoded()
    precondition(encoded.count <= bytes.count, "the encoded value is longer than the document")
    guard let again = read(encoded, JSONLimits()) else { preconditionFailure("our own JSON is refused") }
    precondition(again == value, "the value reads back different")
    precondition(again.hashValue == value.hashValue, "equal values hash differently")
    precondition(again.encoded() == encoded, "the value is encoded differently the second time")

    // Limits refuse; they never change what is read.
    if let narrow = read(bytes, JSONLimits(bytes: 64, depth: 3, values: 8)) {
        precondition(bytes.count <= 64 && narrow == value, "limits change the value")
    }
    return 0
}

private func read(_ bytes: [UInt8], _ limits: JSONLimits) -> JSONValue? {
    do {
        return try JSONReader.read(bytes, limits: limits)
    } catch {
        precondition((0...bytes.count).contains(error.offset), "the fault lies outside the document")
        return nil
    }
}
